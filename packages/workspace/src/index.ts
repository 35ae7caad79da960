export { CARRIED, SYSTEM_FOLDERS } from './defaults.js';
export { WORKSPACE_ERROR_CODES, type WorkspaceErrorCode } from './error-codes.js';
export { addressGuard } from './grant/address-guard.js';
export { type Action, checkGrant, type GrantDecision } from './grant/check-grant.js';
export { explainGrant } from './grant/explain-grant.js';
export {
  ExecLevel,
  FULL_GRANT,
  Grant,
  intersectGrants,
  limitNetwork,
  NetworkAccess,
  READ_ONLY_GRANT,
  tighterNetwork,
  withinReach,
} from './grant/grant.js';
export { listInside, type OpenMode, type OpenOptions, openInside } from './grant/open-inside.js';
export {
  absoluteFolder,
  amplifierHome,
  deploymentHome,
  keepOutOfGit,
  ownHomes,
  treesFolders,
} from './grant/own-homes.js';
export {
  ancestors,
  exceptFromDenied,
  intersectScopes,
  isWithin,
  PathScope,
  pathScope,
  scopeRefusal,
  widenScope,
} from './grant/path-scope.js';
export { isSamePath, type PathState, pathState, settledPathState } from './grant/path-state.js';
export { proveFolder, provenLooks } from './grant/proven-folder.js';
export { type Looked, realPathOf } from './grant/real-path.js';
export { NOT_FILES, type ResolvedPath, realGrant, resolveInside } from './grant/resolve-inside.js';
export {
  grantForSafetyMode,
  isWiderMode,
  requiresTrust,
  type SafetyContext,
  SafetyMode,
  sessionGrant,
  tighterMode,
  type Unreadable,
} from './grant/safety-mode.js';
export { Isolation } from './isolation/isolation.js';
export { IsolationKind, IsolationRecord } from './isolation/isolation-record.js';
export { listFiles } from './isolation/list-source.js';
export type { IsolateOptions } from './isolation/make-tree.js';
export {
  type Applied,
  applyProposal,
  cleanProposals,
  discardProposal,
  type FindOptions,
  findProposal,
  listProposals,
  type Proposal,
  type ProposalDetail,
  pendingProposals,
  showProposal,
  undoProposal,
} from './isolation/proposals.js';
export {
  listIsolations,
  type ReclaimedIsolation,
  reclaimIsolations,
} from './isolation/reclaim-isolations.js';
export { setUpTree } from './isolation/set-up-tree.js';
export { TOO_DEEP } from './isolation/walk-tree.js';
export {
  type ApplyOptions,
  type ApplyResult,
  applyPatch,
  type FolderCheck,
  type RecoveredApply,
  recoverApplies,
  type UndoResult,
  undoApply,
} from './patches/apply-patch.js';
export { Change, type ChangeKind, kindOfChange } from './patches/change.js';
export type { Conflict } from './patches/check-changes.js';
export { type CompareOptions, Comparison } from './patches/comparison.js';
export { type FolderChange, FolderSnapshots } from './patches/folder-snapshots.js';
export { listWork } from './patches/list-work.js';
export type { Patch, PatchOptions } from './patches/make-patch.js';
export { TreeEntry } from './patches/tree-entry.js';
export type { CollectedOutput } from './processes/bounded-output.js';
export { commandEnv, programEnv } from './processes/command-env.js';
export { withLockedPath } from './processes/path-lock.js';
export { listProcesses } from './processes/process-table.js';
export { type ReclaimedProcess, reclaimProcesses } from './processes/process-tree.js';
export {
  type ProcessEnd,
  type ProcessOptions,
  type RunningProcess,
  startProcess,
} from './processes/start-process.js';
export {
  type PlannedCommand,
  planCommand,
  type RunningTree,
  type StartOptions,
  startTree,
  type TreeEnd,
} from './processes/start-tree.js';
export { Bubblewrap } from './sandbox/bubblewrap.js';
export { checkLeft } from './sandbox/check-after.js';
export { detectSandbox, explainGuarantees, NoSandbox, sandboxWords } from './sandbox/detect-sandbox.js';
export type { Overlay } from './sandbox/overlay.js';
export type { ConfinedCommand, Confinement, Sandbox, SandboxGuarantees } from './sandbox/sandbox.js';
export { ACTS_LATER } from './trust/acts-later.js';
export { actsLaterIn } from './trust/protected-paths.js';
export { repositoryRefusal } from './trust/repository-shape.js';
export {
  expandHome,
  isTrusted,
  readTrusted,
  type TrustChange,
  trustWorkspace,
  untrustWorkspace,
} from './trust/trust.js';
export { WorkspaceError } from './workspace-error.js';
