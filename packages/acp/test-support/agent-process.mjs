// Amplifier as an agent on standard input and output, with a model that only repeats. Argument: a folder.
import { AcpAgent, serveStdio } from '@amplifier/acp';
import { ModuleLoader, textOf } from '@amplifier/core';
import { Delegator } from '@amplifier/delegation';
import { openSessionStore } from '@amplifier/sessions';
import { memoryContextModule, minimalLoopModule, ScriptedProvider } from '@amplifier/testkit';

const model = new ScriptedProvider(({ messages }) => ({
  text: `You said: ${textOf(messages.at(-1).content)}`,
}));
const store = await openSessionStore(`${process.argv[2]}/record.db`);
const loader = new ModuleLoader({
  builtins: {
    loop: () => minimalLoopModule,
    context: () => memoryContextModule,
    provider: () => ({ mount: ({ mounts }) => mounts.mount('providers', model) }),
  },
});
const delegator = new Delegator({ store, loader });
const plan = { session: { orchestrator: 'loop', context: 'context' }, providers: ['provider'] };
const agent = new AcpAgent({
  cwd: process.cwd(),
  open: async () => ({
    store,
    models: async () => [],
    start: async ({ id, cwd, safety_mode }, turn) =>
      (await delegator.start({ plan, trusted: false, cwd, safety_mode, session_id: id, ...turn })).outcome,
    resume: async ({ id }, { instruction, ...watching }) =>
      (await delegator.resume(id, instruction, watching)).outcome,
  }),
});
await serveStdio(agent);
await store.close();
