export { BACKGROUND_KIND } from './background/background-queue.js';
export { backgroundKind } from './background/background-work.js';
export { HeldClaim } from './background/held-claim.js';
export {
  type ClaimedRun,
  QueueWorker,
  type RunAgain,
  type RunEnd,
  type RunKind,
  runFailure,
} from './background/queue-worker.js';
export { Delegator, type DelegatorOptions } from './delegator.js';
export { bringBack, patchArtifact } from './engine/bring-back.js';
export { type Ending, outcomeOf } from './engine/ending.js';
export type { Engine } from './engine/engine.js';
export { makeTree, NO_NEEDS, type TreeNeeds } from './engine/isolated-engine.js';
export {
  QUESTION_ANSWERED,
  QUESTION_ASKED,
  QUESTION_CLOSED,
  type Question,
  Questions,
} from './engine/questions.js';
export { type MailHandlers, SessionMail } from './engine/session-mail.js';
export { readStructuredAnswer, repairPrompt } from './engine/structured-answer.js';
export { Watchdog } from './engine/watch-turn.js';
export { Budget } from './metering/budget.js';
export { LimitOptions, Limits, tightenLimits } from './metering/limits.js';
export { type AgentCatalog, fileAgents, NO_AGENTS, type ResolvedAgent } from './plan/agents.js';
export { childPrompt } from './plan/child-prompt.js';
export { ContextScope } from './plan/in-scope.js';
export {
  ContextDepth,
  type ContextFiles,
  type ContextManifest,
  inheritContext,
} from './plan/inherit-context.js';
export type { LaunchRecord } from './plan/launch-record.js';
export type { RootRequest } from './plan/plan-root.js';
export { networkOf } from './plan/read-overlay.js';
export { type TurnRights, withFailover } from './plan/with-rights.js';
export type { Project } from './project.js';
export { type ChildStatus, Control } from './recovery/control.js';
export { interruptedIn } from './recovery/cut-off.js';
export { endLeftObserved, type ObservedChild, observeChild } from './recovery/observed-child.js';
export { keptOutcome, outcomeIn, outcomeInEvent, turnOf, wholeOutcome } from './recovery/stored-outcome.js';
export { DelegateConfig, delegateConfigOf, readDelegateConfig } from './request/delegate-config.js';
export {
  DELEGATE_AGENT_CANCELLED,
  DELEGATE_AGENT_COMPLETED,
  DELEGATE_AGENT_RESUMED,
  DELEGATE_AGENT_SPAWNED,
  DELEGATE_ERROR,
  DELEGATE_EVENTS,
  missingEvents,
} from './request/delegate-events.js';
export {
  type DelegateResult,
  delegateResult,
  runningResult,
  withinResult,
} from './request/delegate-result.js';
export {
  DELEGATION_ERROR_CODES,
  DelegationError,
  type DelegationErrorCode,
} from './request/delegation-error.js';
export type { ExpandedInstruction } from './request/instruction.js';
export {
  type Delegation,
  type Ended,
  OUTCOME_VIEWS,
  type Outcome,
  type OutcomeStatus,
  outcomeText,
} from './request/outcome.js';
export { Attachment, DataAttachment } from './request/read-attachments.js';
export {
  type DelegateInput,
  DelegateRequest,
  HandBack,
  resultLimit,
  summaryRequest,
} from './request/request.js';
export type { Runtime } from './runtime.js';
export { delegationModules } from './tools/modules.js';
export type { AdoptRequest } from './turn/begin-session.js';
export type { Parent } from './turn/parent.js';
export type { ResumeOptions } from './turn/resume-session.js';
export { type StopReason, StopSwitch } from './turn/stop-switch.js';
export type { StoredParentOptions } from './turn/stored-parent.js';
export type { Turn, Watching } from './turn/turn.js';
