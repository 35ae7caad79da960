// A root with many children: node wide-process.mjs <folder> <children> hang|finish <places>. With hang, as many children as there are
// places hang, the others stand in line, and READY is printed when it is so. With finish, the tree is brought to its end, and it is
// printed after how many milliseconds it was as before (all found, every place taken by a child that has asked its model), and
// after how many the root had its answer.
import { ModuleLoader } from '@amplifier/core';
import { Delegator, delegationModules } from '@amplifier/delegation';
import { openSessionStore } from '@amplifier/sessions';
import { memoryContextModule, minimalLoopModule, ScriptedProvider } from '@amplifier/testkit';

const [folder, count, mode, places = count] = process.argv.slice(2);
const children = Number(count);
const atOnce = Number(places);
let spawned = 0;
const reportReady = () => {
  if (hanging === atOnce && spawned === children) process.stdout.write('READY\n');
};
let hanging = 0;
let resumed = 0;
let atWork = 0;
let started = 0;
const model = new ScriptedProvider(({ messages }) => {
  const isRoot = messages.some(({ role, content }) => role === 'system' && content === 'root');
  if (!isRoot && mode === 'hang') {
    hanging++;
    reportReady();
    return { hang: true };
  }
  if (!isRoot && ++resumed === atOnce) atWork = performance.now() - started;
  if (!isRoot || messages.some(({ role }) => role === 'tool')) return { text: 'Done.' };
  const task = { agent: 'leaf', instruction: 'Look.', context_depth: 'none' };
  return {
    tool_calls: Array.from({ length: children }, (_, at) => ({
      id: `call_${at}`,
      name: 'delegate',
      arguments: task,
    })),
  };
});
const modules = {
  'loop-minimal': minimalLoopModule,
  'context-memory': memoryContextModule,
  'provider-scripted': { mount: ({ mounts }) => mounts.mount('providers', model) },
};
const builtins = Object.fromEntries(Object.entries(modules).map(([id, module]) => [id, () => module]));
const store = await openSessionStore(`${folder}/record.db`);
const loader = new ModuleLoader({ builtins: { ...delegationModules, ...builtins } });
const delegator = new Delegator({ store, loader });
const session_id = 'session_wide';
if (mode === 'hang') {
  await delegator.start({
    session_id,
    plan: {
      session: { orchestrator: 'loop-minimal', context: 'context-memory' },
      providers: ['provider-scripted'],
      tools: ['tool-delegate'],
      agents: { leaf: { description: 'Looks.', instruction: 'You look.' } },
    },
    system_prompt: 'root',
    instruction: 'Go.',
    cwd: folder,
    trusted: true,
    safety_mode: 'write',
    limits: { max_children: children, max_concurrency: atOnce },
    onEvent: (name) => {
      if (name !== 'delegate:agent_spawned') return;
      spawned++;
      reportReady();
    },
  });
} else {
  started = performance.now();
  const { outcome } = await delegator.continue(session_id);
  const ended = performance.now() - started;
  await store.close();
  const report = { status: outcome.status, at_work_ms: Math.round(atWork), ended_ms: Math.round(ended) };
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
