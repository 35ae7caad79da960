import type { Tool } from '@amplifier/core';
import { mountedSession, recordEvents } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import module from './index.js';

const KEY = `sk-ant-${'a1B2'.repeat(8)}`;

it('keeps a secret in a tool result from watchers', async () => {
  const leak: Tool = {
    name: 'leak',
    description: '',
    inputSchema: {},
    execute: async () => ({ success: true, output: { text: `key: ${KEY}`, client_secret: 'hunter2' } }),
  };
  await using mounted = await mountedSession({
    script: [{ tool_calls: [{ name: 'leak', arguments: { token: KEY } }] }, { text: 'Done.' }],
    tools: [leak],
    hookModules: { 'hooks-redaction': module },
  });
  const recorder = recordEvents(mounted.session.coordinator.hooks);
  await mounted.session.execute('go');
  const [post] = recorder.of('tool:post');
  expect(post?.result).toMatchObject({
    success: true,
    output: { text: 'key: [REDACTED]', client_secret: '[REDACTED]' },
  });
});

it('leaves the input of a call alone, because the tool needs it', async () => {
  await using mounted = await mountedSession({ hookModules: { 'hooks-redaction': module } });
  const result = await mounted.session.coordinator.hooks.emit('tool:pre', {
    tool_name: 'bash',
    tool_call_id: 'c',
    tool_input: { command: `curl -H 'x-api-key: ${KEY}'` },
    parallel_group_id: null,
  });
  expect(JSON.stringify(result.data)).toContain(KEY);
});

it('knows the patterns and exceptions of its config', async () => {
  await using mounted = await mountedSession({
    hookModules: { 'hooks-redaction': module },
    config: { 'hooks-redaction': { patterns: ['ACME-\\d+'], allow: ['auth'], events: ['acme:event'] } },
  });
  const { data } = await mounted.session.coordinator.hooks.emit('acme:event', {
    note: 'id ACME-123',
    auth: 'none needed',
  });
  expect(data).toMatchObject({ note: 'id [REDACTED]', auth: 'none needed' });
});

it('recognises credentials by their shape and leaves ordinary text alone', async () => {
  const { redactor } = await import('./redactor.js');
  const redact = await redactor({ patterns: [], allow: [] });
  const secrets = [
    KEY,
    `ghp_${'x'.repeat(36)}`,
    'AKIAIOSFODNN7EXAMPLE',
    `AIza${'b'.repeat(35)}`,
    'xoxb-1234567890-abc',
    `-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----`,
    'eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4',
  ];
  for (const secret of secrets) expect(redact({ text: `a ${secret} b` })).toEqual({ text: 'a [REDACTED] b' });
  const plain = 'task-list of sk-learn, ghp_short, max_tokens: 5';
  expect(redact({ text: plain, max_tokens: 5 })).toEqual({ text: plain, max_tokens: 5 });
});

it('is not held up by a pattern that goes back and forth', async () => {
  const { redactor } = await import('./redactor.js');
  const redact = await redactor({ patterns: ['(a+)+$'], allow: [] });
  const text = `${'a'.repeat(2_000)}!`;
  expect(redact({ text })).toEqual({ text });
  await expect(redactor({ patterns: ['(?<=x)y'], allow: [] })).rejects.toThrow("The pattern '(?<=x)y'");
});
