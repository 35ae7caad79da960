export { ACTS_LATER } from './acts-later.js';
export { addressGuard } from './address-guard.js';
export {
  type ApplyOptions,
  type ApplyResult,
  applyPatch,
  type RecoveredApply,
  recoverApplies,
  type UndoResult,
  undoApply,
} from './apply-patch.js';
export type { CollectedOutput } from './bounded-output.js';
export { Bubblewrap } from './bubblewrap.js';
export { checkLeft } from './check-after.js';
export type { Conflict } from './check-changes.js';
export { type Action, checkGrant, type GrantDecision } from './check-grant.js';
export { commandEnv, programEnv } from './command-env.js';
export { CARRIED, SYSTEM_FOLDERS } from './defaults.js';
export { detectSandbox, explainGuarantees } from './detect-sandbox.js';
export { WORKSPACE_ERROR_CODES, type WorkspaceErrorCode } from './error-codes.js';
export { explainGrant } from './explain-grant.js';
export { type FileChange, FolderStates, type KeptFile } from './folder-states.js';
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
} from './grant.js';
export { type IsolateOptions, Isolation } from './isolate.js';
export { IsolationKind, IsolationRecord } from './isolation-record.js';
export { keepOutOfGit } from './keep-out-of-git.js';
export { listFiles } from './list-source.js';
export type { Patch, PatchOptions } from './make-patch.js';
export { NoSandbox } from './no-sandbox.js';
export { type OpenMode, type OpenOptions, openInside } from './open-inside.js';
export type { Overlay } from './overlay.js';
export { absoluteFolder, amplifierHome, deploymentHome, ownHomes } from './own-homes.js';
export { Change, type ChangeKind, kindOfChange } from './patch.js';
export {
  ancestors,
  intersectScopes,
  isWithin,
  PathScope,
  pathScope,
  scopeRefusal,
  widenScope,
} from './path-scope.js';
export { listProcesses } from './process-table.js';
export {
  type Applied,
  applyProposal,
  cleanProposals,
  discardProposal,
  findProposal,
  listProposals,
  type Proposal,
  type ProposalDetail,
  showProposal,
  undoProposal,
} from './proposals.js';
export { realPathOf } from './real-path.js';
export { listIsolations, type ReclaimedIsolation, reclaimIsolations } from './reclaim-isolations.js';
export { type ReclaimedProcess, reclaimProcesses } from './reclaim-processes.js';
export { repositoryRefusal } from './repository-shape.js';
export { type ResolvedPath, realGrant, resolveInside } from './resolve-inside.js';
export {
  grantForSafetyMode,
  isWiderMode,
  requiresTrust,
  type SafetyContext,
  SafetyMode,
  sessionGrant,
  tighterMode,
  type Unreadable,
} from './safety-mode.js';
export type { ConfinedCommand, Confinement, Sandbox, SandboxGuarantees } from './sandbox.js';
export { sandboxWords } from './sandbox-words.js';
export { setUpTree } from './set-up-tree.js';
export { type ProcessEnd, type ProcessOptions, type RunningProcess, startProcess } from './start-process.js';
export {
  type PlannedCommand,
  planCommand,
  type RunningTree,
  type StartOptions,
  startTree,
  type TreeEnd,
} from './start-tree.js';
export { TreeEntry } from './tree-entry.js';
export { isTrusted, readTrusted, type TrustChange, trustWorkspace, untrustWorkspace } from './trust.js';
export { WorkspaceError } from './workspace-error.js';
