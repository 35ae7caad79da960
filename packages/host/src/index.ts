// What entry points need of the packages below. An entry point imports the host alone.
export {
  ACP_ERROR_CODES,
  type AgentConnection,
  depthFrom,
  findProgram,
  REEXECUTION_SAFETY,
  type ReexecutionSafety,
} from '@amplifier/acp';
export {
  AmplifierError,
  type ApprovalRequest,
  boundsFault,
  CancellationToken,
  type Clock,
  cacheHitRate,
  closestNames,
  type Diagnostic,
  errorInfo,
  imageType,
  isoTime,
  isPlainObject,
  type JsonObject,
  type MountPlan,
  moduleSpec,
  outOfBounds,
  previewLines,
  type Report,
  redactSecrets,
  redactText,
  rootSessionId,
  shownJson,
  shownText,
  standStillFor,
  superviseProcess,
  systemClock,
  textOf,
  ulidSource,
} from '@amplifier/core';
export {
  type ChildStatus,
  type DataAttachment,
  DelegateRequest,
  type DelegateResult,
  type Delegation,
  delegateResult,
  HandBack,
  interruptedIn,
  type LaunchRecord,
  type Limits,
  MIN_RESULT,
  OUTCOME_VIEWS,
  type Outcome,
  outcomeText,
  type Question,
  resultLimit,
  summaryRequest,
  wholeOutcome,
  withinResult,
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
export {
  ApprovalPolicy,
  decideApproval,
  decidePermission,
  PERMISSION_ACTIONS,
  type PermissionAction,
  type PermissionRule,
  readRules,
  signInToServer,
  splitRule,
  toolsNamed,
  touchedPaths,
} from '@amplifier/modules';
export type {
  SessionLog,
  SessionMetadata,
  SessionStatus,
  SessionStore,
  SessionSummary,
  TranscriptLine,
} from '@amplifier/sessions';
export {
  eventPages,
  hasCode,
  isSessionId,
  messagePages,
  openDatabase,
} from '@amplifier/sessions';
export {
  amplifierHome,
  applyProposal,
  cleanProposals,
  detectSandbox,
  discardProposal,
  explainGrant,
  explainGuarantees,
  findProposal,
  isTrusted,
  isWiderMode,
  isWithin,
  listFiles,
  listProposals,
  NetworkAccess,
  type Proposal,
  type ProposalDetail,
  readTrusted,
  realPathOf,
  requiresTrust,
  SafetyMode,
  showProposal,
  type TrustChange,
  tighterNetwork,
  undoProposal,
} from '@amplifier/workspace';
export { readAcpRegistry } from './acp-registry.js';
export { agentCatalog } from './agent-catalog.js';
export type { HostOptions } from './assemble-host.js';
export { backgroundWorker, type WorkerCommand } from './background-worker.js';
export { chooseRootModel, type ModelWish, preferredProvider, roleResolver } from './choose-root-model.js';
export { claimStdout } from './claim-stdout.js';
export { type ConnectedAgent, connectAgents } from './connect-agents.js';
export { type DeploymentPlaces, deploymentProject } from './deployment-project.js';
export { earlierHomes, importHome } from './earlier-homes.js';
export type { Environment } from './environment.js';
export { HOST_ERROR_CODES, type HostErrorCode } from './error-codes.js';
export { findCodingAgents } from './find-coding-agents.js';
export type { FoundModel } from './find-local-models.js';
export { findLocalModels } from './find-local-models.js';
export { findModels, rolesOf } from './find-models.js';
export { type FoundSession, findSession, type StorePlace, storePlaces } from './find-session.js';
export { Host, type SessionSetting } from './host.js';
export { HostError } from './host-error.js';
export { type HostPaths, hostPaths } from './host-paths.js';
export {
  builtinExternalAgents,
  type ExternalAgent,
  externalAgents,
  locateRegistryAgents,
} from './list-external-agents.js';
export { type ListedServer, listServers } from './list-servers.js';
export { BUILT_IN_MODULES, moduleLoader, moduleSources } from './module-loader.js';
export { namedBundles, openProject, type ProjectOptions } from './open-project.js';
export { openAllProjects, openQueue, openStore } from './open-store.js';
export { expandCommand, findCommand, type PromptCommand, promptCommands } from './other-tools/commands.js';
export { type Permissions, readPermissions, tilde } from './permissions/read-permissions.js';
export {
  chosenDatabase,
  type DatabaseChoice,
  fixRecord,
  openRecordAt,
  placeDatabase,
  placeOnServer,
} from './place-database.js';
export { probeModules } from './probe-modules.js';
export { probeServer, type ServerProbe } from './probe-server.js';
export type { Project } from './project.js';
export { projectNetwork } from './project-grant.js';
export { PYTHON_MODULES } from './python-modules.js';
export { readProjectProviders } from './read-project-providers.js';
export { type ProviderReading, readProviders, usableProviders } from './read-providers.js';
export { rebuildRecord } from './record/bring-back.js';
export { projectCopies } from './record/copy-layout.js';
export { copyRecord } from './record/copy-record.js';
export { exportLines, readExport } from './record/export-lines.js';
export { projectSlug } from './record/project-slug.js';
export { retainSessions } from './record/retain-sessions.js';
export { verifyRecord } from './record/verify-record.js';
export { type ReportedModule, reportModules } from './report-modules.js';
export { failoverFor, type RunRequest } from './run-request.js';
export { listSkills, skillFolders } from './skills.js';
export type { ActingPart } from './trust/acting-parts.js';
export { actingLines, trustNotice } from './trust/describe-trust.js';
export {
  type FolderTrust,
  folderTrust,
  readSettings,
  recordTrust,
  type TrustedSettings,
  type TrustState,
  trustedWorkspaces,
  untrustFolder,
} from './trust/folder-trust.js';
export { reviewFolder, trustFolder } from './trust/trust-folder.js';
export { type ProviderTest, tryProvider } from './try-provider.js';
export { planUndo, type UndoStep, undoChanges } from './undo/undo-changes.js';
export { requireTrust } from './workspace-trust.js';
