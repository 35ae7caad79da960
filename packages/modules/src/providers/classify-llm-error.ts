import {
  AccessDeniedError,
  AuthenticationError,
  ContentFilterError,
  ContextLengthError,
  InvalidRequestError,
  LLMError,
  type LLMErrorDetails,
  NotFoundError,
  ProviderUnavailableError,
  RateLimitError,
} from '@amplifier/core';

type LLMErrorClass = new (message: string, details?: LLMErrorDetails) => LLMError;

const BY_STATUS: Record<number, LLMErrorClass> = {
  401: AuthenticationError,
  403: AccessDeniedError,
  404: NotFoundError,
  413: ContextLengthError,
  429: RateLimitError,
};

/** Bad-request statuses hide many causes; the words tell them apart. First match wins. */
const BY_WORDS: [RegExp, LLMErrorClass][] = [
  [/context length|too many tokens|maximum context/i, ContextLengthError],
  [/rate limit|too many requests/i, RateLimitError],
  [/authentication|api key|unauthorized/i, AuthenticationError],
  [/not found/i, NotFoundError],
  [/content filter|safety|blocked/i, ContentFilterError],
];

/** Turns a provider's status and words into our taxonomy. */
export function classifyLLMError(message: string, details: LLMErrorDetails = {}): LLMError {
  return new (errorClassOf(message, details.status_code))(message, details);
}

function errorClassOf(message: string, status: number | undefined): LLMErrorClass {
  if (status === undefined) return LLMError;
  if (status >= 500) return ProviderUnavailableError;
  if (status === 400 || status === 422) {
    return BY_WORDS.find(([words]) => words.test(message))?.[1] ?? InvalidRequestError;
  }
  return BY_STATUS[status] ?? LLMError;
}
