import { describe, expect, it } from 'vitest';
import { AmplifierError, errorInfo } from './amplifier-error.js';
import * as errors from './llm-errors.js';

describe('retryable by nature', () => {
  it.each([
    [errors.RateLimitError, true],
    [errors.ProviderUnavailableError, true],
    [errors.NetworkError, true],
    [errors.LLMTimeoutError, true],
    [errors.StreamError, true],
    [errors.QuotaExceededError, false],
    [errors.AuthenticationError, false],
    [errors.AccessDeniedError, false],
    [errors.ContextLengthError, false],
    [errors.ContentFilterError, false],
    [errors.InvalidRequestError, false],
    [errors.NotFoundError, false],
    [errors.AbortError, false],
    [errors.ConfigurationError, false],
    [errors.LLMError, false],
  ])('%o: %s', (ErrorClass, retryable) => {
    expect(new ErrorClass('x').retryable).toBe(retryable);
    expect(new ErrorClass('x', { retryable: !retryable }).retryable).toBe(!retryable);
  });

  it('puts the special cases under the general ones', () => {
    expect(new errors.QuotaExceededError('x')).toBeInstanceOf(errors.RateLimitError);
    expect(new errors.NetworkError('x')).toBeInstanceOf(errors.ProviderUnavailableError);
    expect(new errors.AccessDeniedError('x')).toBeInstanceOf(errors.AuthenticationError);
  });

  it('keeps what the model tried to say in a broken tool call', () => {
    const error = new errors.InvalidToolCallError('bad', { tool_name: 'bash', raw_arguments: '{"a":' });
    expect(error).toMatchObject({
      tool_name: 'bash',
      raw_arguments: '{"a":',
      code: 'INVALID_TOOL_CALL',
      retryable: false,
    });
  });
});

describe('errors as data', () => {
  it('keep type, code, retryability and origin', () => {
    expect(errorInfo(new errors.RateLimitError('slow', { provider: 'openai' }))).toEqual({
      type: 'RateLimitError',
      message: 'slow',
      code: 'RATE_LIMIT',
      retryable: true,
      origin: 'openai',
    });
  });

  it('are made of anything that was thrown', () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(errorInfo(new TypeError('x'))).toEqual({ type: 'TypeError', message: 'x' });
    expect(errorInfo('text')).toEqual({ type: 'string', message: 'text' });
    expect(errorInfo(undefined)).toEqual({ type: 'undefined', message: 'undefined' });
    expect(errorInfo(circular)).toEqual({ type: 'object', message: '[object Object]' });
  });

  it('are recognised by their mark, not their class', () => {
    expect(AmplifierError.is(new errors.LLMError('x'))).toBe(true);
    expect(AmplifierError.is(new Error('x'))).toBe(false);
    expect(AmplifierError.is(null)).toBe(false);
  });
});
