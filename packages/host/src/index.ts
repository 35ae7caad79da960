// What entry points need of the packages below. An entry point imports the host alone.
export {
  ACP_ERROR_CODES,
  type AgentConnection,
  CANCELLED,
  CircuitBreaker,
  depthFrom,
  fallbackModel,
  REEXECUTION_SAFETY,
  type ReexecutionSafety,
  runWithFallback,
} from '@amplifier/acp';
export {
  AmplifierError,
  type ApprovalRequest,
  boundsFault,
  CancellationToken,
  type Clock,
  cacheHitRate,
  closestNames,
  type DelegationTree,
  type Diagnostic,
  describeToolCall,
  errorInfo,
  everySoOften,
  findOwnProgram,
  findProgram,
  foldEvent,
  imageType,
  isoTime,
  isPlainObject,
  type JsonObject,
  type MountPlan,
  moduleSpec,
  outOfBounds,
  parseBoundedJson,
  previewLines,
  programPath,
  type Report,
  redactSecrets,
  redactText,
  rootSessionId,
  shorten,
  shortLine,
  shownJson,
  shownText,
  standStillFor,
  superviseProcess,
  systemClock,
  type TreeNode,
  textOf,
  ulidSource,
} from '@amplifier/core';
export {
  type ChildStatus,
  type ClaimedRun,
  type DataAttachment,
  DelegateRequest,
  type DelegateResult,
  type Delegation,
  delegateResult,
  HandBack,
  interruptedIn,
  keptOutcome,
  type LaunchRecord,
  type Limits,
  OUTCOME_VIEWS,
  type Outcome,
  outcomeIn,
  outcomeInEvent,
  outcomeText,
  type Question,
  type RunEnd,
  resultLimit,
  runningResult,
  summaryRequest,
  turnOf,
  wholeOutcome,
  withinResult,
} from '@amplifier/delegation';
export {
  type AgentListing,
  agentVariable,
  isRelativeSource,
  type LoadedAgent,
  listMatrices,
  loadMatrix,
  loadSettings,
  type ModelOptions,
  type ModelRoleResolver,
  parseAgent,
  parseSource,
  preferredProvider,
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
  RunQueue,
  RunRecord,
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
  copyRecord,
  exportLines,
  projectCopies,
  projectSlug,
  readExport,
  rebuildRecord,
  retainSessions,
  verifyRecord,
} from '@amplifier/sessions/record';
export {
  amplifierHome,
  applyProposal,
  cleanProposals,
  detectSandbox,
  discardProposal,
  explainGrant,
  explainGuarantees,
  type FindOptions,
  type FolderCheck,
  isTrusted,
  isWiderMode,
  isWithin,
  type Looked,
  listFiles,
  listProposals,
  NetworkAccess,
  type Proposal,
  type ProposalDetail,
  provenLooks,
  readTrusted,
  realPathOf,
  requiresTrust,
  SafetyMode,
  showProposal,
  type TrustChange,
  tighterNetwork,
  undoProposal,
} from '@amplifier/workspace';
export type { HostOptions } from './assembly/assemble-host.js';
export { claimStdout } from './assembly/claim-stdout.js';
export { BUILT_IN_MODULES, moduleLoader, moduleSources } from './assembly/module-loader.js';
export { probeModules } from './assembly/probe-modules.js';
export { PYTHON_MODULES } from './assembly/python-modules.js';
export { type ReportedModule, reportModules } from './assembly/report-modules.js';
export { checkCodingAgents } from './doctor/check-coding-agents.js';
export {
  type Check,
  checkFolder,
  checkText,
  runChecks,
} from './doctor/run-checks.js';
export type { Environment } from './environment.js';
export { HOST_ERROR_CODES, type HostErrorCode } from './error-codes.js';
export { readAcpRegistry } from './external-agents/acp-registry.js';
export { type ConnectedAgent, connectAgents } from './external-agents/connect-agents.js';
export { findCodingAgents } from './external-agents/find-coding-agents.js';
export {
  builtinExternalAgents,
  type ExternalAgent,
  externalAgents,
  locateRegistryAgents,
} from './external-agents/list-external-agents.js';
export { Host, type SessionSetting } from './host.js';
export { HostError } from './host-error.js';
export { type HostPaths, hostPaths, projectFolders, recordOf } from './host-paths.js';
export type { FoundModel } from './models/find-local-models.js';
export { findLocalModels } from './models/find-local-models.js';
export { findModels, rolesOf } from './models/find-models.js';
export { projectRoles } from './models/project-roles.js';
export { readProjectProviders } from './models/read-project-providers.js';
export { type ProviderReading, readProviders, usableProviders } from './models/read-providers.js';
export { type ProviderTest, tryProvider } from './models/try-provider.js';
export { expandCommand, findCommand, type PromptCommand, promptCommands } from './other-tools/commands.js';
export { type Permissions, readPermissions, tilde } from './permissions/read-permissions.js';
export { reviewDeployment, trustDeployment } from './pinned/deployment-trust.js';
export { listCopies } from './pinned/unused-copies.js';
export { agentCatalog } from './project/agent-catalog.js';
export { type DeploymentPlaces, deploymentProject } from './project/deployment-project.js';
export { namedBundles, openProject, type ProjectOptions } from './project/open-project.js';
export type { Project } from './project/project.js';
export { projectNetwork } from './project/project-grant.js';
export { listSkills, skillFolders } from './project/skills.js';
export { backgroundWorker, type WorkerCommand } from './runs/background-worker.js';
export { endOfTurn } from './runs/end-of-turn.js';
export { HostPool, type LentHost } from './runs/host-pool.js';
export { JOB_KIND, type JobEnd } from './runs/run-record.js';
export { failoverFor, type RunRequest } from './runs/run-request.js';
export { type ActiveJob, RunService } from './runs/run-service.js';
export { isMailUnread, UNREAD_MAIL } from './runs/unread-mail.js';
export { type ListedServer, listServers } from './servers/list-servers.js';
export { probeServer, type ServerProbe } from './servers/probe-server.js';
export { earlierHomes, importHome } from './store/earlier-homes.js';
export { type FoundSession, findSession, type StorePlace, storePlaces } from './store/find-session.js';
export { openAllProjects, openAllRuns, openQueue, openStore } from './store/open-store.js';
export {
  chosenDatabase,
  type DatabaseChoice,
  fixRecord,
  openRecordAt,
  placeDatabase,
  placeOnServer,
} from './store/place-database.js';
export type { ActingPart } from './trust/acting-parts.js';
export { actingLines, trustNotice } from './trust/describe-trust.js';
export {
  type FolderTrust,
  folderTrust,
  keptFolderTrust,
  readSettings,
  recordTrust,
  type TrustedSettings,
  type TrustState,
  trustedWorkspaces,
  untrustFolder,
} from './trust/folder-trust.js';
export { reviewFolder, trustFolder } from './trust/trust-folder.js';
export { requireTrust } from './trust/workspace-trust.js';
export { planUndo, type UndoStep, undoChanges } from './undo/undo-changes.js';
