import { describe, expect, it } from 'vitest';
import { errorInfo } from '../kernel/errors/amplifier-error.js';
import { keepSecrets } from './known-secrets.js';
import { redactDiagnostics, redactSecrets, redactText } from './redact-secrets.js';
import { isSecretName } from './secret-name.js';

describe('secret names', () => {
  it.each([
    'api_key',
    'apiKey',
    'api-key',
    'apikey',
    'ANTHROPIC_API_KEY',
    'x-api-key',
    'secret',
    'client_secret',
    'clientSecret',
    'password',
    'token',
    'access_token',
    'refreshToken',
    'bearer_token',
    'bearer',
    'credential',
    'credentials',
    'private_key',
    'privatekey',
    'auth',
    'Authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'aws_secret_access_key',
    'connection_string',
  ])('%s is one', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    'max_tokens',
    'token_count',
    'tokens',
    'input_tokens',
    'author',
    'authority',
    'keyboard',
    'key',
    'secretary',
    'password_policy',
    'base_url',
  ])('%s is none', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe('redaction', () => {
  it('is not held up by a text full of beginnings', () => {
    const text = '-eyJaaaaaaaa'.repeat(40_000);
    expect(redactText(text)).toBe(text);
    expect(redactText(`${text} eyJaaaaaaaa.eyJbbbbbbbb.cccccccc`)).toBe(`${text} [REDACTED]`);
    const schemes = 'a.'.repeat(500_000);
    expect(redactDiagnostics(`${schemes} A_KEY=x`)).toBe(`${schemes} A_KEY=[REDACTED]`);
    expect(redactText(`${schemes} https://me:secret@example.com`)).toBe(
      `${schemes} https://me:[REDACTED]@example.com`,
    );
  });

  it('replaces values by name at any depth and leaves the input alone', () => {
    const input = { a: [{ headers: { 'X-Api-Key': 'k', accept: 'json' } }], password: 1234, n: 5 };
    expect(redactSecrets(input)).toEqual({
      a: [{ headers: { 'X-Api-Key': '[REDACTED]', accept: 'json' } }],
      password: '[REDACTED]',
      n: 5,
    });
    expect(input.password).toBe(1234);
  });

  it('keeps references, empty values and flags, and looks into objects under a secret name', () => {
    const input = {
      api_key: '${API_KEY}',
      token: '',
      secret: null,
      auth: { user: 'me', password: 'p', enabled: true },
      credentials: ['a', '${B}'],
    };
    expect(redactSecrets(input)).toEqual({
      api_key: '${API_KEY}',
      token: '',
      secret: null,
      auth: { user: 'me', password: '[REDACTED]', enabled: true },
      credentials: ['[REDACTED]', '${B}'],
    });
  });

  it('finds credentials in text by their shape', () => {
    expect(redactText('curl -H "Authorization: Bearer abcdef123456" http://x')).toBe(
      'curl -H "Authorization: Bearer [REDACTED]" http://x',
    );
    expect(redactText('postgres://user:hunter2@localhost/db')).toBe(
      'postgres://user:[REDACTED]@localhost/db',
    );
    expect(redactText('Basic idea: a bearer of news')).toBe('Basic idea: a bearer of news');
  });

  it.each([
    `sk-ant-${'a1'.repeat(12)}`,
    `ghp_${'b2'.repeat(18)}`,
    'AKIAIOSFODNN7EXAMPLE',
    `AIza${'c'.repeat(35)}`,
    `xai-${'d4'.repeat(12)}`,
  ])('finds %s by its shape', (secret) => {
    expect(redactText(`the key ${secret} was refused`)).toBe('the key [REDACTED] was refused');
  });

  it('finds the values of secret variables whatever they look like, and leaves places, numbers and words alone', () => {
    keepSecrets({
      GATEWAY_API_KEY: 'correct horse battery',
      PGPASSWORD: 'pg-pass-word-1',
      SHORT_TOKEN: 'plum',
      KEY_TOKEN: '/home/somebody/token.txt',
      MAX_TOKEN: '123456789',
      EDITOR: 'some-editor-name',
    });
    const told =
      'correct horse battery, pg-pass-word-1, plum, /home/somebody/token.txt, 123456789, some-editor-name';
    expect(redactText(told)).toBe(
      '[REDACTED], [REDACTED], plum, /home/somebody/token.txt, 123456789, some-editor-name',
    );
    expect(errorInfo(new Error('refused: pg-pass-word-1')).message).toBe('refused: [REDACTED]');
  });

  it('finds what a diagnostic assigns to a secret name', () => {
    expect(redactDiagnostics('MY_TOKEN=abc x="API_KEY": "def", tokens: 5')).toBe(
      'MY_TOKEN=[REDACTED] x="API_KEY": [REDACTED] tokens: 5',
    );
  });

  it('survives an object that contains itself', () => {
    const loop: Record<string, unknown> = { token: 'x' };
    loop.self = loop;
    expect(redactSecrets(loop)).toEqual({ token: '[REDACTED]', self: '[CIRCULAR]' });
  });
});
