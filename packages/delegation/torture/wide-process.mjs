// Roots with many children: node wide-process.mjs <folder> <roots> <children> hang|finish <slots>. With hang, as many children of each
// root as there are slots hang, the others wait for a slot, and READY is printed when all of this is so. With finish, the trees are
// brought to their end. It prints after how many milliseconds every slot was taken by a child that has asked its model, and after how
// many all roots had their answers.
import { ModuleLoader } from '@amplifier/core';
import { Delegator, delegationModules } from '@amplifier/delegation';
import { builtinModules } from '@amplifier/modules';
import { openSessionStore } from '@amplifier/sessions';
import { ScriptedProvider } from '@amplifier/testkit';

const [folder, roots, count, mode, slots = count] = process.argv.slice(2);
const children = Number(count);
const atOnce = Number(slots) * Number(roots);
let spawned = 0;
const reportReady = () => {
  if (hanging === atOnce && spawned === children * Number(roots)) process.stdout.write('READY\n');
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
  ...builtinModules,
  ...delegationModules,
  'provider-scripted': () => ({ mount: ({ mounts }) => mounts.mount('providers', model) }),
};
const store = await openSessionStore(`${folder}/record.db`);
const delegator = new Delegator({ store, loader: new ModuleLoader({ builtins: modules }) });
const start = (session_id) =>
  delegator.start({
    session_id,
    plan: {
      session: { orchestrator: 'loop-streaming', context: 'context-simple' },
      providers: ['provider-scripted'],
      tools: ['tool-delegate'],
      agents: { leaf: { description: 'Looks.', instruction: 'You look.' } },
    },
    system_prompt: 'root',
    instruction: 'Go.',
    cwd: folder,
    trusted: true,
    safety_mode: 'write',
    limits: { max_children: children, max_concurrency: Number(slots) },
    onEvent: (name) => {
      if (name !== 'delegate:agent_spawned') return;
      spawned++;
      reportReady();
    },
  });
const ids = Array.from({ length: Number(roots) }, (_, at) => `session_wide-${at}`);
if (mode === 'hang') await Promise.all(ids.map(start));
else {
  started = performance.now();
  const ended = await Promise.all(ids.map((session_id) => delegator.continue(session_id)));
  const ended_ms = Math.round(performance.now() - started);
  await store.close();
  const statuses = ended.map(({ outcome }) => outcome.status);
  process.stdout.write(`${JSON.stringify({ statuses, at_work_ms: Math.round(atWork), ended_ms })}\n`);
}
