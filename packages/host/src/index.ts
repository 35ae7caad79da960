// What doors need of the packages below. A door imports the host alone.
export { ACP_ERROR_CODES, depthFrom, REEXECUTION_SAFETY, type ReexecutionSafety } from '@amplifier/acp';
export {
  AmplifierError,
  type ApprovalRequest,
  boundsFault,
  CancellationToken,
  type Clock,
  closestNames,
  type Diagnostic,
  errorInfo,
  isoTime,
  isPlainObject,
  type JsonObject,
  type MountPlan,
  moduleSpec,
  outOfBounds,
  type Report,
  redactSecrets,
  redactText,
  shownJson,
  shownText,
  systemClock,
  textOf,
} from '@amplifier/core';
export {
  type ChildStatus,
  DelegateRequest,
  type DelegateResult,
  type Delegation,
  delegateResult,
  interruptedIn,
  type LaunchRecord,
  type Limits,
  OUTCOME_VIEWS,
  type Outcome,
  outcomeText,
  type Question,
} from '@amplifier/delegation';
export {
  type AgentListing,
  agentVariable,
  type LoadedAgent,
  listMatrices,
  loadMatrix,
  loadSettings,
  type ModelRoleResolver,
  parseAgent,
  parseSource,
  ROUTING_DIR,
  SETTINGS_SCOPES,
  type SettingsScope,
  snapshotBundle,
  writeKey,
  writeSetting,
} from '@amplifier/foundation';
export type {
  SessionLog,
  SessionMetadata,
  SessionStatus,
  SessionStore,
  SessionSummary,
  TranscriptLine,
} from '@amplifier/sessions';
export {
  hasCode,
  isSessionId,
  openDatabase,
  projectCopies,
  rebuildRecord,
  rootSessionId,
  ulidSource,
  verifyRecord,
} from '@amplifier/sessions';
export {
  detectSandbox,
  explainGrant,
  explainGuarantees,
  isTrusted,
  readTrusted,
  SafetyMode,
  type TrustChange,
} from '@amplifier/workspace';
export { agentCatalog } from './agent-catalog.js';
export { amplifierHome, type Environment } from './amplifier-home.js';
export { backgroundWorker, type WorkerCommand } from './background-worker.js';
export { chooseRootModel, type ModelWish, roleResolver } from './choose-root-model.js';
export { claimStdout } from './claim-stdout.js';
export { HOST_ERROR_CODES, type HostErrorCode } from './error-codes.js';
export { type FoundSession, findSession, type StorePlace, storePlaces } from './find-session.js';
export { failoverFor, Host, type HostOptions, type RunRequest } from './host.js';
export { HostError } from './host-error.js';
export { type HostPaths, hostPaths } from './host-paths.js';
export { builtinExternalAgents, type ExternalAgent, externalAgents } from './list-external-agents.js';
export { BUILT_IN_MODULES, moduleLoader, moduleSources } from './module-loader.js';
export { namedBundles, openProject, type Project, type ProjectOptions } from './open-project.js';
export { openQueue, openStore } from './open-store.js';
export { PlanHost, type PlanHostOptions, type SessionSetting } from './plan-host.js';
export { probeModules } from './probe-modules.js';
export { readProjectProviders } from './read-project-providers.js';
export { type ProviderReading, readProviders, usableProviders } from './read-providers.js';
export type { ActingPart } from './trust/acting-parts.js';
export { actingLines, trustNotice } from './trust/describe-trust.js';
export {
  type FolderTrust,
  folderTrust,
  readSettings,
  type TrustedSettings,
  type TrustState,
  trustedWorkspaces,
  trustFolder,
  untrustFolder,
} from './trust/folder-trust.js';
export { requireTrust } from './workspace-trust.js';
