export { type AgentCatalog, fileAgents, NO_AGENTS, type ResolvedAgent } from './agents.js';
export { childPrompt } from './child-prompt.js';
export { ContextScope } from './context/in-scope.js';
export {
  ContextDepth,
  type ContextFiles,
  type ContextManifest,
  inheritContext,
} from './context/inherit-context.js';
export { type ChildStatus, Control } from './control.js';
export { MIN_RESULT } from './defaults.js';
export { DelegateConfig, delegateConfigOf, readDelegateConfig } from './delegate-config.js';
export { type DelegateResult, delegateResult, withinResult } from './delegate-result.js';
export type { Delegation, Ended } from './delegation.js';
export { DelegationError } from './delegation-error.js';
export { Delegator } from './delegator.js';
export type { DelegatorOptions } from './delegator-options.js';
export { bringBack } from './engine/bring-back.js';
export { type Ending, outcomeOf } from './engine/ending.js';
export type { Engine } from './engine/engine.js';
export { makeTree, NO_NEEDS, type TreeNeeds } from './engine/isolated-engine.js';
export { patchArtifact } from './engine/patch-artifact.js';
export {
  QUESTION_ANSWERED,
  QUESTION_ASKED,
  QUESTION_CLOSED,
  type Question,
  Questions,
} from './engine/questions.js';
export { type MailHandlers, SessionMail } from './engine/session-mail.js';
export { type StopReason, StopSwitch } from './engine/stop-switch.js';
export { readStructuredAnswer, repairPrompt } from './engine/structured-answer.js';
export { Watchdog } from './engine/watchdog.js';
export { DELEGATION_ERROR_CODES, type DelegationErrorCode } from './error-codes.js';
export {
  DELEGATE_AGENT_CANCELLED,
  DELEGATE_AGENT_COMPLETED,
  DELEGATE_AGENT_RESUMED,
  DELEGATE_AGENT_SPAWNED,
  DELEGATE_ERROR,
  DELEGATE_EVENTS,
} from './events.js';
export { HandBack, resultLimit, summaryRequest } from './hand-back-form.js';
export type { ExpandedInstruction } from './instruction-of.js';
export { interruptedIn } from './is-interrupted.js';
export type { AdoptRequest } from './launch/adopt-session.js';
export type { RootRequest } from './launch/plan-root.js';
export { networkOf } from './launch/read-overlay.js';
export { withFailover } from './launch/with-failover.js';
export type { TurnRights } from './launch/with-rights.js';
export type { LaunchRecord, ModelChoice } from './launch-record.js';
export { Budget } from './limits/budget.js';
export { Limits, LimitWishes, tightenLimits } from './limits/limits.js';
export { keptOutcome, wholeOutcome } from './long-answer.js';
export { agentPreferences } from './model/choose-model.js';
export { endLeftObserved, type ObservedChild, observeChild } from './observed-child.js';
export { OUTCOME_VIEWS, type Outcome, type OutcomeStatus, outcomeText } from './outcome.js';
export type { Parent } from './parent.js';
export { Attachment, DataAttachment } from './read-attachments.js';
export { refusingLog } from './refusing-log.js';
export { DelegateRequest } from './request.js';
export type { StoredParentOptions } from './stored-parent.js';
export { delegationModules } from './tools/modules.js';
export type { Turn } from './turn.js';
export type { ResumeOptions, Watching } from './turn-options.js';
