// Amplifier as an agent on standard input and output, with a model that only repeats. Argument: a folder.
import { AcpDoor, serveStdio } from '@amplifier/acp';
import { ModuleLoader, textOf } from '@amplifier/core';
import { Delegator } from '@amplifier/delegation';
import { FileSessionStore } from '@amplifier/sessions';
import { memoryContextModule, minimalLoopModule, ScriptedProvider } from '@amplifier/testkit';

const model = new ScriptedProvider(({ messages }) => ({
  text: `You said: ${textOf(messages.at(-1).content)}`,
}));
const store = await FileSessionStore.open({ folder: process.argv[2] });
const loader = new ModuleLoader({
  builtins: {
    loop: () => minimalLoopModule,
    context: () => memoryContextModule,
    provider: () => ({ mount: ({ mounts }) => mounts.mount('providers', model) }),
  },
});
const delegator = new Delegator({ store, loader });
const plan = { session: { orchestrator: 'loop', context: 'context' }, providers: ['provider'] };
await serveStdio(new AcpDoor({ delegator, begin: async () => ({ plan, trusted: false }) }));
await store.close();
