import { AISDKError, APICallError } from '@ai-sdk/provider';
import {
  AbortError,
  AuthenticationError,
  errorInfo,
  InvalidRequestError,
  isPlainObject,
  LLMError,
  type LLMErrorDetails,
  LLMTimeoutError,
  NetworkError,
  NotFoundError,
  ProviderUnavailableError,
  QuotaExceededError,
  RateLimitError,
  redactText,
  StreamError,
} from '@amplifier/core';
import { classifyLLMError } from './classify-llm-error.js';
import { readRetryAfter } from './read-retry-after.js';

/** Where and how a call failed, as far as the caller knows. */
export interface Failure {
  provider: string;
  model: string;
  /** Who ended the call, when we did. */
  ended_by: 'caller' | 'timeout' | null;
  /** Had the answer begun? */
  midway: boolean;
  timeout: number;
  now: number;
}

/** Anything a model call may throw, in our taxonomy and with the original as its cause. */
export function toLLMError(cause: unknown, failure: Failure): LLMError {
  const { provider, model } = failure;
  const details = { provider, model, cause, midway: failure.midway };
  if (failure.ended_by === 'caller')
    return new AbortError(`The call to ${model} was ended on request.`, details);
  if (failure.ended_by === 'timeout') {
    const message = `${model} did not finish within ${failure.timeout} s. Raise 'timeout' or ask for less.`;
    return new LLMTimeoutError(message, details);
  }
  if (cause instanceof LLMError) return cause;
  if (APICallError.isInstance(cause)) return fromApiCall(cause, failure, details);
  if (cause instanceof Error) return fromError(cause, failure, details);
  return fromStreamEvent(cause, details);
}

function fromApiCall(error: APICallError, failure: Failure, details: LLMErrorDetails): LLMError {
  const status = error.statusCode;
  if (status === undefined) return unreached(apiMessage(error), failure, details);
  const message =
    status < 400 ? apiMessage(error) : `${failure.provider} answered ${status}: ${apiMessage(error)}`;
  // A 2xx that failed is an answer that broke off or made no sense.
  if (status < 400)
    return new StreamError(`The answer of ${failure.model} cannot be read: ${message}`, details);
  const retry_after = readRetryAfter(error.responseHeaders ?? {}, error.data, failure.now);
  const known = { ...details, status_code: status, retry_after: retry_after ?? undefined };
  if (status === 402 || (status === 429 && isQuota(error))) return new QuotaExceededError(message, known);
  if (status === 408) return new LLMTimeoutError(message, known);
  return classifyLLMError(message, known);
}

function apiMessage(error: APICallError): string {
  const words = error.message.trim();
  if (words !== '') return redactText(words);
  const body = error.responseBody?.trim().slice(0, 500) ?? '';
  return redactText(body === '' ? `HTTP ${error.statusCode ?? 'failure'} without a message` : body);
}

function isQuota(error: APICallError): boolean {
  return /insufficient_quota|exceeded your current quota|credit balance|billing/i.test(
    `${error.message} ${error.responseBody ?? ''}`,
  );
}

function fromError(error: Error, failure: Failure, details: LLMErrorDetails): LLMError {
  const words = redactText(error.message);
  switch (error.name) {
    case 'AI_JSONParseError':
    case 'AI_TypeValidationError':
    case 'AI_InvalidResponseDataError':
    case 'AI_EmptyResponseBodyError':
    case 'AI_NoContentGeneratedError':
      return new StreamError(`The answer of ${failure.model} cannot be read: ${words}`, details);
    case 'AI_NoSuchModelError':
      return new NotFoundError(words, details);
    case 'AI_LoadAPIKeyError':
    case 'AI_LoadSettingError':
      return new AuthenticationError(words, details);
  }
  if (AISDKError.isInstance(error)) return new InvalidRequestError(words, details);
  if (isNetworkFailure(error)) return unreached(words, failure, details);
  return new LLMError(words, details);
}

/** `fetch` says "fetch failed" or "terminated" and keeps the reason in the cause. */
function isNetworkFailure(error: Error): boolean {
  const reason = error.cause;
  const code =
    isPlainObject(reason) || reason instanceof Error ? (reason as { code?: unknown }).code : undefined;
  return error instanceof TypeError || typeof code === 'string';
}

function unreached(message: string, failure: Failure, details: LLMErrorDetails): LLMError {
  if (failure.midway) return new StreamError(`The answer of ${failure.model} broke off: ${message}`, details);
  return new NetworkError(`${failure.provider} cannot be reached: ${message}`, details);
}

type ErrorClass = new (message: string, details?: LLMErrorDetails) => LLMError;

/** Errors that arrive within a stream have no status; their type or code says what happened. First match wins. */
const BY_TYPE: readonly [RegExp, ErrorClass][] = [
  [/quota/, QuotaExceededError],
  [/rate_limit|too_many_requests|resource_exhausted|\b429\b/, RateLimitError],
  [/overloaded|server_error|api_error|internal|unavailable|\b5\d\d\b/, ProviderUnavailableError],
  [/authentication|unauthenticated|permission/, AuthenticationError],
  [/invalid_request|invalid_argument/, InvalidRequestError],
  [/not_found/, NotFoundError],
];

function fromStreamEvent(event: unknown, details: LLMErrorDetails): LLMError {
  const { kind, message } = readStreamEvent(event);
  const found = BY_TYPE.find(([words]) => words.test(kind))?.[1] ?? StreamError;
  return new found(redactText(message), details);
}

function readStreamEvent(event: unknown): { kind: string; message: string } {
  const outer = isPlainObject(event) ? event : {};
  const inner = isPlainObject(outer.error) ? outer.error : outer;
  const kind = [inner.type, inner.code, inner.status]
    .filter((part) => part != null)
    .join(' ')
    .toLowerCase();
  if (typeof inner.message === 'string') return { kind, message: inner.message };
  const text = errorInfo(event).message;
  return { kind: kind === '' ? text.toLowerCase() : kind, message: text };
}
