// Runs one tree of delegations, or continues with it where a killed process left it, and prints a line for everything that
// happens: node tree-process.mjs <folder> <root id>. The last line is DONE.
import { ModuleLoader, systemClock, toolSuccess } from '@amplifier/core';
import {
  BACKGROUND_KIND,
  backgroundKind,
  Delegator,
  delegationModules,
  QueueWorker,
} from '@amplifier/delegation';
import { builtinModules } from '@amplifier/modules';
import { openRunQueue, openSessionStore } from '@amplifier/sessions';
import { ScriptedProvider } from '@amplifier/testkit';
import { answer } from './tree-script.mjs';

const [folder, root_id] = process.argv.slice(2);
const say = (text) => process.stdout.write(`${text}\n`);
const pause = {
  name: 'pause',
  description: 'Lets others go first.',
  inputSchema: { type: 'object' },
  execute: () => new Promise((resolve) => setTimeout(() => resolve(toolSuccess('paused')), 2)),
};
const model = new ScriptedProvider((request) => {
  say('model');
  return answer(request);
});
const modules = {
  'provider-scripted': { mount: ({ mounts }) => mounts.mount('providers', model) },
  'tool-pause': { mount: ({ mounts }) => mounts.mount('tools', pause) },
};
const builtins = Object.fromEntries(Object.entries(modules).map(([id, module]) => [id, () => module]));
const store = await openSessionStore(`${folder}/record.db`);
// A process that is killed from outside does not speak against its children.
const queue = await openRunQueue(`${folder}/record.db`, { maxAttempts: 1_000_000 });
const report = ({ message }) => process.stderr.write(`${message}\n`);
const delegator = new Delegator({
  store,
  queue,
  loader: new ModuleLoader({ builtins: { ...builtinModules, ...delegationModules, ...builtins } }),
  report,
  runInBackground: () => worker.start(),
});
const kinds = { [BACKGROUND_KIND]: backgroundKind((claimed) => delegator.performBackground(claimed)) };
const worker = new QueueWorker({ queue, store, clock: systemClock, report, kinds });
const onEvent = (name) => say(name);
const { outcome } = (await store.has(root_id))
  ? await delegator.continue(root_id, { onEvent })
  : await delegator.start({
      session_id: root_id,
      plan: {
        session: { orchestrator: 'loop-streaming', context: 'context-simple' },
        providers: ['provider-scripted'],
        tools: ['tool-pause', 'tool-delegate'],
        agents: {
          leaf: { description: 'Does a part.', instruction: 'You are a leaf.' },
          branch: { description: 'Splits.', instruction: 'You are a branch.', tools: ['tool-delegate'] },
        },
      },
      system_prompt: 'You are the root.',
      instruction: 'Do everything.',
      cwd: folder,
      trusted: true,
      safety_mode: 'write',
      onEvent,
    });
if (outcome.status !== 'completed') throw new Error(`The root ended as ${JSON.stringify(outcome)}`);
await worker.close();
await queue.close();
await store.close();
say('DONE');
