import { readFile, stat } from 'node:fs/promises';
import { systemClock } from '@amplifier/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestDaemon } from '../../test-support/test-daemon.js';
import type { Scope } from './scope.js';
import { ScopedTokens } from './scoped-tokens.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await TestDaemon.start();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const make = async (scope: Scope) =>
  (await new ScopedTokens(daemon.record).create({ scope }, systemClock)).token;
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

it('a token may do what its scope says and no more', async () => {
  const [read, run, admin] = [await make('read'), await make('run'), await make('admin')];
  const session = { profile_id: 'foundation/base' };
  const profile = { name: 'none', manifest: 'no manifest' };
  const table = [
    ['GET', '/api/v1/sessions', undefined, [200, 200, 200]],
    ['POST', '/api/v1/mount-plans/validate', {}, [400, 400, 400]],
    ['POST', '/api/v1/sessions', session, [403, 201, 201]],
    ['POST', '/api/v1/profiles', profile, [403, 403, 422]],
    ['POST', '/api/v1/sessions/cleanup', {}, [403, 403, 200]],
    ['POST', '/api/v1/collections/foundation/sync', undefined, [403, 403, 200]],
  ] as const;
  for (const [method, path, body, statuses] of table) {
    for (const [at, token] of [read, run, admin].entries()) {
      const { status, body: answer } = await daemon.call(method, path, body, as(token));
      expect([path, at, status]).toEqual([path, at, statuses[at]]);
      if (status === 403)
        expect(answer).toMatchObject({
          code: 'INSUFFICIENT_SCOPE',
          scope: at === 1 || statuses[1] === 403 ? 'admin' : 'run',
        });
    }
  }
});

it('work over MCP needs the scope for work', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const refused = await daemon.post('/mcp', body, as(await make('read')));
  expect([refused.status, refused.body.code, refused.body.scope]).toEqual([403, 'INSUFFICIENT_SCOPE', 'run']);
});

it('a token is kept as a digest, is listed without itself, and is refused once it is revoked', async () => {
  const tokens = new ScopedTokens(daemon.record);
  const { token, record } = await tokens.create({ scope: 'run', name: 'for the web app' }, systemClock);
  for (const file of [daemon.record, `${daemon.record}-wal`])
    expect(await readFile(file, 'latin1')).not.toContain(token.slice(21));
  expect((await stat(daemon.record)).mode & 0o777).toBe(0o600);
  expect(await tokens.list()).toContainEqual(record);
  expect((await daemon.get('/api/v1/status', as(token))).status).toBe(200);
  expect((await daemon.get('/api/v1/status', as(`${token.slice(0, -1)}x`))).status).toBe(401);
  await tokens.revoke(record.id);
  expect((await daemon.get('/api/v1/status', as(token))).status).toBe(401);
  for (const id of [record.id, '../token']) await expect(tokens.revoke(id)).rejects.toThrow('no token');
});
