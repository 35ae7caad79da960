export { type AgentCatalog, fileAgents, NO_AGENTS, type ResolvedAgent } from './agents.js';
export { ContextScope } from './context/in-scope.js';
export {
  ContextDepth,
  type ContextFiles,
  type ContextManifest,
  inheritContext,
} from './context/inherit-context.js';
export { type ChildStatus, Control } from './control.js';
export { DelegateConfig, readDelegateConfig } from './delegate-config.js';
export { type DelegateResult, delegateResult } from './delegate-result.js';
export { DelegationError } from './delegation-error.js';
export { Delegator, type Ended, type ResumeOptions, type Watching } from './delegator.js';
export type { DelegatorOptions } from './delegator-options.js';
export { type Ending, outcomeOf } from './engine/ending.js';
export type { Engine, Turn } from './engine/engine.js';
export { patchArtifact } from './engine/isolated-engine.js';
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
export { interruptedIn } from './is-interrupted.js';
export type { AdoptRequest } from './launch/adopt-session.js';
export type { PlannedLaunch } from './launch/build-launch-record.js';
export type { RootRequest } from './launch/build-root-record.js';
export type { TurnRights } from './launch/with-rights.js';
export type { LaunchRecord, ModelChoice } from './launch-record.js';
export { Budget } from './limits/budget.js';
export { Limits, LimitWishes, tightenLimits } from './limits/limits.js';
export { agentPreferences } from './model/choose-model.js';
export { type ObservedChild, observeChild } from './observed-child.js';
export { OUTCOME_VIEWS, type Outcome, type OutcomeStatus, outcomeText } from './outcome.js';
export type { Parent } from './parent.js';
export { DelegateRequest } from './request.js';
export type { Delegation } from './spawn-child.js';
export type { StoredParentOptions } from './stored-parent.js';
export { delegationModules } from './tools/modules.js';
