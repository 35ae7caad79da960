import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestDaemon } from '../test-support/test-daemon.js';
import { DAEMON_ERRORS } from './error-codes.js';

const FILE = new URL('../../../docs/openapi/amplifierd.json', import.meta.url);
let daemon: TestDaemon;
// biome-ignore lint/suspicious/noExplicitAny: a JSON document
let document: any;
beforeAll(async () => {
  daemon = await TestDaemon.start();
  document = (await daemon.get('/openapi.json')).body;
});
afterAll(() => daemon[Symbol.asyncDispose]());

it('is what docs/openapi holds (UPDATE_DOCS=1 writes it anew)', async () => {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (process.env.UPDATE_DOCS) await writeFile(FILE, text);
  expect(await readFile(FILE, 'utf8')).toBe(text);
});

it('describes every operation with a summary, its refusals and whether it needs the token', () => {
  expect(document.openapi).toBe('3.1.0');
  const ids = new Set<string>();
  for (const [path, methods] of Object.entries<
    Record<string, { operationId: string; summary: string; responses: object; security: object[] }>
  >(document.paths)) {
    for (const operation of Object.values(methods)) {
      expect(operation.summary, path).toBeTruthy();
      expect(ids.has(operation.operationId), operation.operationId).toBe(false);
      ids.add(operation.operationId);
      const isOpen = path === '/healthz' || path === '/readyz';
      expect(operation.security).toEqual(isOpen ? [] : [{ token: [] }]);
      expect(Object.keys(operation.responses)).toContain('403');
    }
  }
  expect(ids.size).toBeGreaterThan(45);
});

it('has examples of positions that the daemon accepts', async () => {
  let tried = 0;
  const session_id = await daemon.session();
  for (const path of ['/api/v1/sessions/{session_id}/events', '/api/v1/events'])
    for (const { name, schema } of document.paths[path].get.parameters) {
      if (name !== 'after') continue;
      tried++;
      const { status } = await daemon.get(
        `${path.replace('{session_id}', session_id)}?after=${encodeURIComponent(schema.example)}`,
      );
      expect([path, schema.example, status]).toEqual([path, schema.example, 200]);
    }
  expect(tried).toBe(2);
});

it('names every code a client can meet, with examples for what it sends', () => {
  const text = JSON.stringify(document);
  const internal = new Set([
    'CLIENT_CLOSED',
    'NOT_FOUND',
    'METHOD_NOT_ALLOWED',
    'UNSUPPORTED_SCHEMA',
    'SESSION_CORRUPT',
  ]);
  for (const code of Object.keys(DAEMON_ERRORS)) if (!internal.has(code)) expect(text).toContain(`${code}:`);
  for (const name of [
    'MountPlanRequest',
    'CreateSessionRequest',
    'NewSessionMessage',
    'NewCollection',
    'NewProfile',
  ]) {
    expect(document.components.schemas[name].example, name).toBeDefined();
  }
});
