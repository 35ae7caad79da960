import { AmplifierError } from './amplifier-error.js';

export interface LLMErrorDetails {
  provider?: string | undefined;
  model?: string | undefined;
  status_code?: number;
  /** Seconds the server asked us to wait. */
  retry_after?: number | undefined;
  /** Stretches the backoff of this failure; may take it past the cap. */
  delay_multiplier?: number;
  retryable?: boolean;
  /** Had the answer begun? Then it was paid for. */
  midway?: boolean;
  cause?: unknown;
}

/** A model call failed. The subclass says how; `retryable` says whether the same request may succeed later. */
export class LLMError extends AmplifierError {
  static code = 'LLM_ERROR';
  /** Unless the provider says otherwise of this one. */
  static retryable = false;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly status_code: number | undefined;
  readonly retry_after: number | undefined;
  readonly delay_multiplier: number;
  readonly midway: boolean;

  constructor(message: string, details: LLMErrorDetails = {}) {
    super(message, {
      code: new.target.code,
      retryable: details.retryable ?? new.target.retryable,
      cause: details.cause,
      origin: details.provider,
    });
    this.provider = details.provider;
    this.model = details.model;
    this.status_code = details.status_code;
    this.retry_after = details.retry_after;
    this.delay_multiplier = details.delay_multiplier ?? 1;
    this.midway = details.midway ?? false;
  }
}

/** Too many requests; wait and try again. */
export class RateLimitError extends LLMError {
  static override code = 'RATE_LIMIT';
  static override retryable = true;
}

/** The account has no quota left; waiting a moment will not help. */
export class QuotaExceededError extends RateLimitError {
  static override code = 'QUOTA_EXCEEDED';
  static override retryable = false;
}

/** The service is down or overloaded. */
export class ProviderUnavailableError extends LLMError {
  static override code = 'PROVIDER_UNAVAILABLE';
  static override retryable = true;
}

/** The service was never reached. */
export class NetworkError extends ProviderUnavailableError {
  static override code = 'NETWORK_ERROR';
}

/** The service took too long. */
export class LLMTimeoutError extends LLMError {
  static override code = 'LLM_TIMEOUT';
  static override retryable = true;
}

/** The stream broke off or made no sense. */
export class StreamError extends LLMError {
  static override code = 'STREAM_ERROR';
  static override retryable = true;
}

/** The credentials are missing or wrong. */
export class AuthenticationError extends LLMError {
  static override code = 'AUTHENTICATION';
}

/** The credentials are right and do not allow this. */
export class AccessDeniedError extends AuthenticationError {
  static override code = 'ACCESS_DENIED';
}

/** The conversation does not fit the model's window. */
export class ContextLengthError extends LLMError {
  static override code = 'CONTEXT_LENGTH';
}

/** The provider's filter refused the request or the answer. */
export class ContentFilterError extends LLMError {
  static override code = 'CONTENT_FILTER';
}

/** The provider does not understand the request. */
export class InvalidRequestError extends LLMError {
  static override code = 'INVALID_REQUEST';
}

/** No such model or endpoint. */
export class NotFoundError extends LLMError {
  static override code = 'NOT_FOUND';
}

/** We ended the call ourselves. */
export class AbortError extends LLMError {
  static override code = 'ABORTED';
}

/** The provider is set up wrongly on our side. */
export class ConfigurationError extends LLMError {
  static override code = 'CONFIGURATION';
}

/** The model asked for a tool in a way that cannot be read. */
export class InvalidToolCallError extends LLMError {
  static override code = 'INVALID_TOOL_CALL';
  readonly tool_name: string;
  readonly raw_arguments: string;

  constructor(
    message: string,
    call: { tool_name: string; raw_arguments: string },
    details?: LLMErrorDetails,
  ) {
    super(message, details);
    this.tool_name = call.tool_name;
    this.raw_arguments = call.raw_arguments;
  }
}
