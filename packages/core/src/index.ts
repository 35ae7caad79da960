export { AnswerRoom, MAX_ANSWER_CHARACTERS } from './answer-room.js';
export { Bell } from './bell.js';
export { boundsFault, MAX_DATA_DEPTH, outOfBounds, parseBoundedJson } from './bounds.js';
export { type CancellationListener, type CancellationState, CancellationToken } from './cancellation.js';
export type { Capabilities, CapabilityOf } from './capabilities.js';
export {
  ChatRequest,
  ChatResponse,
  FinishReason,
  ResponseFormat,
  type StreamDelta,
  ToolCall,
  ToolSpec,
} from './chat.js';
export { type Clock, isoTime, quietClock, type Random, sleep, systemClock } from './clock.js';
export { closestNames } from './closest-names.js';
export {
  type ApprovalRequest,
  type ApprovalSystem,
  ApprovalTimeoutError,
  isAcceptance,
} from './contracts/approval-system.js';
export type { ContextManager, RequestView } from './contracts/context-manager.js';
export type { DisplaySystem } from './contracts/display-system.js';
export type { AmplifierModule, Cleanup, ModuleKind, ModuleSourceResolver } from './contracts/module.js';
export type { Orchestrator, TurnRuntime } from './contracts/orchestrator.js';
export {
  type CompleteOptions,
  type ConfigField,
  DEFAULT_PROVIDER_PRIORITY,
  type ModelInfo,
  type Provider,
  type ProviderInfo,
  type ProviderQuota,
} from './contracts/provider.js';
export type { Tool, ToolContext } from './contracts/tool.js';
export { ContributionChannels, type Contributor } from './contribution-channels.js';
export { Coordinator, type CoordinatorOptions } from './coordinator.js';
export { addDecimals, compareDecimals, isDecimal } from './decimal.js';
export type { Diagnostic, Report } from './diagnostics.js';
export { AmplifierError, type ErrorDetails, type ErrorInfo, errorInfo } from './errors/amplifier-error.js';
export { classifyLLMError } from './errors/classify-llm-error.js';
export { KERNEL_ERROR_CODES, type KernelErrorCode } from './errors/error-codes.js';
export { KernelError } from './errors/kernel-error.js';
export {
  AbortError,
  AccessDeniedError,
  AuthenticationError,
  ConfigurationError,
  ContentFilterError,
  ContextLengthError,
  InvalidRequestError,
  InvalidToolCallError,
  LLMError,
  type LLMErrorDetails,
  LLMTimeoutError,
  NetworkError,
  NotFoundError,
  ProviderUnavailableError,
  QuotaExceededError,
  RateLimitError,
  StreamError,
} from './errors/llm-errors.js';
export {
  type CanonicalEvent,
  EVENTS,
  type EventPayloads,
  type EventStamp,
  type PayloadOf,
  type ToolEvent,
} from './events.js';
export { type GlobOptions, glob } from './glob.js';
export { continueWith, type HookReply, HookResult, hookResult } from './hook-result.js';
export {
  type EventObserver,
  HOOK_TIMEOUT_MS,
  type HookHandler,
  type HookListener,
  type HookOptions,
  HookRegistry,
} from './hooks.js';
export { imageType } from './image-type.js';
export {
  cloneJson,
  freezeJson,
  isPlainObject,
  isSameJson,
  type Json,
  type JsonObject,
  setOwn,
} from './json.js';
export { keepSecrets } from './known-secrets.js';
export { LIVE_PAUSE_MS, type LiveItem, type LivePart, LiveText } from './live-text.js';
export { looseMembers } from './loose-members.js';
export { ContentBlock, Message, MessageRole, StoredToolCall, textOf } from './messages.js';
export { environmentOf, type ModuleEnvironment, withEnvironment } from './module-environment.js';
export { ModuleLoader, type ModuleLoaderOptions, type ModuleRegistry } from './module-loader.js';
export {
  instanceLabel,
  type ModuleEntry,
  type ModuleSpec,
  type MountPlan,
  moduleIdentity,
  moduleSpec,
  type SessionSection,
  sessionModuleSpec,
  withFailover,
} from './mount-plan.js';
export { type MountPoint, type MountPoints, Mounts } from './mounts.js';
export {
  newTraceId,
  type RandomBytes,
  rootSessionId,
  subSessionId,
  systemRandom,
  ulidSource,
} from './new-ids.js';
export { mergeModuleLists, mergeValues, overlayPlan } from './overlay-plan.js';
export { isJudgeable, type Liveness, type ProcessIdentity, systemLiveness } from './process-identity.js';
export {
  frozenWithoutSecrets,
  REDACTED,
  redactDiagnostics,
  redactSecrets,
  redactText,
} from './redact-secrets.js';
export {
  missingResult,
  type OpenToolCall,
  openToolCalls,
  repairToolCalls,
  type SaidMessage,
  toolCallsOf,
} from './repair-tool-calls.js';
export { DEFAULT_RETRY, type RetryConfig, type RetryOptions, retry, retryDelay } from './retry.js';
export { sanitizeText } from './sanitize-text.js';
export { isSecretName } from './secret-name.js';
export { Session, type SessionOptions, type SessionState, type SessionStatus } from './session.js';
export { shownJson, shownText } from './shown-text.js';
export { standStillFor, superviseProcess } from './supervise-process.js';
export {
  everySoOften,
  isPassingFailure,
  type LoopHealth,
  type LoopOptions,
  SupervisedLoop,
} from './supervised-loop.js';
export { ToolResult, toolFailure, toolResultText, toolSuccess } from './tool-result.js';
export { addCosts, addUsage, cacheHitRate, NO_USAGE, readUsage, Usage } from './usage.js';
export {
  formatPlanIssues,
  isValidMountPlan,
  type PlanIssue,
  type PlanValidation,
  validateMountPlan,
} from './validate-mount-plan.js';
export { WaitingLine } from './waiting-line.js';
export { within } from './within.js';
