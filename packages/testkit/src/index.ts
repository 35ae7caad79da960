export { chaosAgentCommand } from './chaos-agent-command.js';
export { replyFromConversation } from './fake-model/directives.js';
export {
  type FakeExchange,
  FakeModelServer,
  type FakeModelServerOptions,
  type FakeScript,
} from './fake-model/fake-model-server.js';
export type { FakeReply, FakeUsage } from './fake-model/reply.js';
export type { Step as FakeStep } from './fake-model/wire.js';
export { MemoryContext, memoryContextModule } from './memory-context.js';
export { MinimalLoop, minimalLoopModule } from './minimal-loop.js';
export { type MountedSession, type MountedSessionOptions, mountedSession } from './mounted-session.js';
export { openLink } from './open-link.js';
export { PICTURE } from './picture.js';
export { editTree, Outside, picture, randomRepo, swapFolders } from './random-tree.js';
export { type EventRecorder, type RecordedEvent, recordEvents } from './record-events.js';
export {
  type Script,
  ScriptedProvider,
  type ScriptedProviderOptions,
  type ScriptedTurn,
  scriptedProviderModule,
} from './scripted-provider.js';
export { type ScriptedSessionOptions, scriptedSession } from './scripted-session.js';
export { seededIds, seededRandom } from './seeded-random.js';
export { TempGitRepo, TempWorkspace } from './temp-workspace.js';
export { settle, VirtualClock } from './virtual-clock.js';
