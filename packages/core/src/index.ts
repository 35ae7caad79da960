export { boundsFault, MAX_DATA_DEPTH, outOfBounds, parseBoundedJson } from './data/bounds.js';
export { addDecimals, compareDecimals, isDecimal } from './data/decimal.js';
export { type DelegationTree, foldEvent, type TreeEvent, type TreeNode } from './data/delegation-tree.js';
export {
  freezeJson,
  frozenCopy,
  isFrozenJson,
  isJson,
  type JsonText,
  jsonTextOf,
} from './data/frozen-json.js';
export { imageType } from './data/image-type.js';
export {
  cloneJson,
  isPlainObject,
  isSameJson,
  type Json,
  type JsonObject,
  setOwn,
} from './data/json.js';
export { canonicalJson, jsonDigest } from './data/json-digest.js';
export { type CheckValue, compileSchema, schemaCompiler } from './data/json-schema.js';
export { Memo } from './data/memo.js';
export { mergeValues } from './data/merge-values.js';
export {
  newTraceId,
  type RandomBytes,
  rootSessionId,
  subSessionId,
  systemRandom,
  ulidSource,
} from './data/new-ids.js';
export {
  type MessageGroup,
  missingResult,
  openToolCalls,
  pairToolCalls,
  type SaidMessage,
  toolCallsOf,
} from './data/pair-tool-calls.js';
export { addCosts, addUsage, cacheHitRate, NO_USAGE, readUsage, type Usage } from './data/usage.js';
export {
  type CancellationListener,
  type CancellationState,
  CancellationToken,
} from './kernel/cancellation.js';
export type { Capabilities, CapabilityOf } from './kernel/capabilities.js';
export type {
  ChatRequest,
  ChatResponse,
  FinishReason,
  ResponseFormat,
  StreamDelta,
  ToolCall,
  ToolSpec,
} from './kernel/chat.js';
export {
  type ApprovalRequest,
  type ApprovalSystem,
  ApprovalTimeoutError,
  isAcceptance,
} from './kernel/contracts/approval-system.js';
export type { ContextManager, RequestView } from './kernel/contracts/context-manager.js';
export type { DisplaySystem } from './kernel/contracts/display-system.js';
export type {
  AmplifierModule,
  Cleanup,
  ModuleSourceResolver,
} from './kernel/contracts/module.js';
export type { Orchestrator, TurnRuntime } from './kernel/contracts/orchestrator.js';
export {
  type CompleteOptions,
  type ConfigField,
  DEFAULT_PROVIDER_PRIORITY,
  type ModelInfo,
  type Provider,
  type ProviderInfo,
  type ProviderQuota,
} from './kernel/contracts/provider.js';
export type { Tool, ToolContext } from './kernel/contracts/tool.js';
export { ContributionChannels, type Contributor } from './kernel/contribution-channels.js';
export { Coordinator, type CoordinatorOptions } from './kernel/coordinator.js';
export type { Diagnostic, Report } from './kernel/diagnostics.js';
export {
  AmplifierError,
  type ErrorDetails,
  type ErrorInfo,
  errorInfo,
} from './kernel/errors/amplifier-error.js';
export { KERNEL_ERROR_CODES, type KernelErrorCode } from './kernel/errors/error-codes.js';
export { KernelError } from './kernel/errors/kernel-error.js';
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
} from './kernel/errors/llm-errors.js';
export {
  type CanonicalEvent,
  EVENTS,
  type EventPayloads,
  type EventStamp,
  type PayloadOf,
  type ToolEvent,
} from './kernel/events.js';
export { continueWith, type HookReply, HookResult, hookResult } from './kernel/hook-result.js';
export {
  type EventObserver,
  HOOK_TIMEOUT_MS,
  type HookHandler,
  type HookListener,
  type HookOptions,
  HookRegistry,
  type IsWanted,
} from './kernel/hooks.js';
export { ContentBlock, Message, MessageRole, StoredToolCall, textOf } from './kernel/messages.js';
export { ModuleLoader, type ModuleLoaderOptions, type ModuleRegistry } from './kernel/module-loader.js';
export {
  instanceLabel,
  type ModuleEntry,
  type ModuleSpec,
  type MountPlan,
  moduleIdentity,
  moduleSpec,
  type SessionSection,
  sessionModuleSpec,
} from './kernel/mount-plan.js';
export { type MountPoint, type MountPoints, Mounts } from './kernel/mounts.js';
export { mergeModuleLists, overlayPlan } from './kernel/overlay-plan.js';
export { DEFAULT_RETRY, type RetryConfig, type RetryOptions, retry, retryDelay } from './kernel/retry.js';
export { Session, type SessionOptions, type SessionState, type SessionStatus } from './kernel/session.js';
export { ToolResult, toolFailure, toolResultText, toolSuccess } from './kernel/tool-result.js';
export {
  formatPlanIssues,
  type PlanIssue,
  type PlanValidation,
  validateMountPlan,
} from './kernel/validate-mount-plan.js';
export { Plan } from './plan.js';
export { Bell } from './process/bell.js';
export { type Clock, isoTime, quietClock, type Random, sleep, systemClock } from './process/clock.js';
export { acquireFileLock } from './process/file-lock.js';
export { environmentOf, type ModuleEnvironment, withEnvironment } from './process/module-environment.js';
export {
  hasEnded,
  isJudgeable,
  type Liveness,
  livenessOf,
  ProcessIdentity,
  systemLiveness,
} from './process/process-identity.js';
export { findOwnProgram, findProgram, programPath } from './process/program-path.js';
export { standStillFor, superviseProcess } from './process/supervise-process.js';
export {
  everySoOften,
  isPassingFailure,
  type LoopHealth,
  type LoopOptions,
  SupervisedLoop,
} from './process/supervised-loop.js';
export { WaitingLine } from './process/waiting-line.js';
export { graceAfter, within } from './process/within.js';
export { keepSecrets } from './secrets/known-secrets.js';
export {
  frozenWithoutSecrets,
  REDACTED,
  redactDiagnostics,
  redactSecrets,
  redactText,
} from './secrets/redact-secrets.js';
export { isSecretName } from './secrets/secret-name.js';
export { AnswerRoom, MAX_ANSWER_CHARACTERS } from './text/answer-room.js';
export {
  type ApprovalPreview,
  type PreviewDrawing,
  type PreviewLine,
  previewLines,
  previewMembers,
} from './text/approval-preview.js';
export { closestNames } from './text/closest-names.js';
export { describeToolCall, toolSubject } from './text/describe-tool-call.js';
export { messageTokens, textTokens } from './text/estimate-tokens.js';
export { escapeGlob, type GlobOptions, glob } from './text/glob.js';
export { type LiveItem, type LivePart, LiveText } from './text/live-text.js';
export { looseMembers } from './text/loose-members.js';
export { escapePattern, loadPatterns, type PatternCompiler } from './text/pattern.js';
export { sanitizeText } from './text/sanitize-text.js';
export { moreCharacters, shorten, shortLine } from './text/shorten.js';
export { shownJson, shownText } from './text/shown-text.js';
