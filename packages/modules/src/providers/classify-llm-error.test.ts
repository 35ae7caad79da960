import * as errors from '@amplifier/core';
import { describe, expect, it } from 'vitest';
import { classifyLLMError } from './classify-llm-error.js';

describe('classification', () => {
  it.each([
    [401, 'x', errors.AuthenticationError],
    [403, 'x', errors.AccessDeniedError],
    [404, 'x', errors.NotFoundError],
    [413, 'x', errors.ContextLengthError],
    [429, 'x', errors.RateLimitError],
    [500, 'x', errors.ProviderUnavailableError],
    [529, 'x', errors.ProviderUnavailableError],
    [400, 'maximum context is 200k', errors.ContextLengthError],
    [422, 'Too many requests', errors.RateLimitError],
    [400, 'invalid API key', errors.AuthenticationError],
    [400, 'model not found', errors.NotFoundError],
    [400, 'blocked by safety', errors.ContentFilterError],
    [400, 'what is this', errors.InvalidRequestError],
    [418, 'x', errors.LLMError],
    [undefined, 'rate limit', errors.LLMError],
  ])('status %s with %j', (status_code, message, ErrorClass) => {
    const error = classifyLLMError(message, {
      provider: 'p',
      ...(status_code === undefined ? {} : { status_code }),
    });
    expect(error.constructor).toBe(ErrorClass);
    expect(error).toMatchObject({ message, provider: 'p', status_code });
  });
});
