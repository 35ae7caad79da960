import { systemClock } from '@amplifier/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { SCOPES, type Scope } from './scope.js';
import { type NewToken, ScopedTokens } from './scoped-tokens.js';

interface Operation {
  method: string;
  path: string;
  /** Null for what is open to everybody. */
  needs: Scope | null;
}

/** Ids that nothing has. */
const NOBODY: Record<string, string> = {
  session_id: 'session_nobody',
  run_id: 'run_nobody',
  approval_id: 'nobody',
  webhook_id: 'wh_nobody',
  delivery_id: 'dl_nobody',
  collection: 'nobody',
  profile: 'nobody',
};

let bench: RunBench;
let operations: Operation[];
let tokens: Record<Scope, string>;
beforeAll(async () => {
  bench = await RunBench.start();
  const { body } = await bench.daemon.get('/openapi.json');
  operations = Object.entries(
    body.paths as Record<string, Record<string, { security?: object[]; description?: string }>>,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, description = '' }]) => ({
      method: method.toUpperCase(),
      path,
      needs: security?.length === 0 ? null : scopeIn(description),
    })),
  );
  const store = new ScopedTokens(bench.daemon.record);
  const made = await Promise.all(SCOPES.map((scope) => store.create({ scope }, systemClock)));
  tokens = Object.fromEntries(SCOPES.map((scope, at) => [scope, made[at]?.token])) as Record<Scope, string>;
});
afterAll(() => bench[Symbol.asyncDispose]());

function scopeIn(description: string): Scope {
  const [, scope] = /Needs the scope `(\w+)`/.exec(description) ?? [];
  return scope as Scope;
}

const fill = (path: string, ids: Record<string, string>) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'nobody');

async function call({ method, path }: Operation, token: string | null, ids = NOBODY, body: unknown = {}) {
  const headers = { authorization: token === null ? '' : `Bearer ${token}` };
  return ask(method, fill(path, ids), body, headers);
}

/** What lasts as long as the connection does is not read to its end. */
async function ask(method: string, path: string, body: unknown, headers: Record<string, string>) {
  if (path !== '/api/v1/live')
    return bench.daemon.call(method, path, method === 'GET' ? undefined : body, { headers });
  const response = await fetch(bench.daemon.daemon.url + path, { headers });
  if (!response.ok) return { status: response.status, body: JSON.parse(await response.text()) };
  await response.body?.cancel();
  return { status: response.status, body: null };
}

/** Asks for every operation, a few at a time. */
async function each(ask: (operation: Operation) => Promise<void>): Promise<void> {
  for (let at = 0; at < operations.length; at += 8) await Promise.all(operations.slice(at, at + 8).map(ask));
}

/** What a browser sends that was signed in, or opened a shared link. */
async function cookie(token: NewToken): Promise<string> {
  const { port } = new URL(bench.daemon.daemon.url);
  const made = await new ScopedTokens(bench.daemon.record).create(token, systemClock);
  return `amplifier_${port}=${made.token}`;
}

async function callBy(
  jar: string,
  { method, path }: Operation,
  ids = NOBODY,
  more: Record<string, string> = {},
) {
  const origin = bench.daemon.daemon.url;
  const headers = { authorization: '', cookie: jar, origin, 'x-amplifier-csrf': '1', ...more };
  return ask(method, fill(path, ids), {}, headers);
}

describe('every operation of the API description', () => {
  it('says which scope it needs', () => {
    expect(operations.length).toBeGreaterThan(100);
    for (const { path, needs } of operations)
      expect([path, needs === null || SCOPES.includes(needs)]).toEqual([path, true]);
  });

  it('is closed without a token, with a wrong one and with one in the address', async () => {
    await each(async (operation) => {
      for (const token of [null, 'wrong']) {
        const { status } = await call(operation, token);
        if (operation.needs !== null)
          expect([operation.method, operation.path, status]).toEqual([operation.method, operation.path, 401]);
      }
    });
    const { status } = await bench.daemon.call('GET', `/api/v1/sessions?token=${tokens.admin}`, undefined, {
      headers: { authorization: '' },
    });
    expect(status).toBe(401);
  });

  it.each(SCOPES)('lets a token of the scope %s do what that scope may, and nothing else', async (scope) => {
    await each(async (operation) => {
      const { status, body } = await call(operation, tokens[scope]);
      const allowed = operation.needs === null || SCOPES.indexOf(scope) >= SCOPES.indexOf(operation.needs);
      const seen = [operation.method, operation.path, status === 403 && body.code === 'INSUFFICIENT_SCOPE'];
      expect(seen).toEqual([operation.method, operation.path, !allowed]);
      expect(status).not.toBe(500);
    });
  });

  it.each(SCOPES)(
    'lets a browser signed in with the scope %s do no more by its cookie, and a foreign page nothing',
    async (scope) => {
      const signedIn = await cookie({ kind: 'browser', scope });
      await each(async (operation) => {
        const { method, path, needs } = operation;
        const jar = path.endsWith('/sign-out') ? await cookie({ kind: 'browser', scope }) : signedIn;
        if (method !== 'GET') {
          const foreign = await callBy(jar, operation, NOBODY, { 'x-amplifier-csrf': '' });
          expect([method, path, foreign.status]).toEqual([method, path, 403]);
        }
        const { status, body } = await callBy(jar, operation);
        const allowed = needs === null || SCOPES.indexOf(scope) >= SCOPES.indexOf(needs);
        const isRefused = status === 403 && body.code === 'INSUFFICIENT_SCOPE';
        expect([method, path, isRefused, status === 401]).toEqual([method, path, !allowed, false]);
      });
    },
  );

  it('is closed to a shared link, but for reading what it shows', async () => {
    const [own, other] = [await bench.session(), await bench.session()];
    const { run_id } = (await bench.run(other, '!say Theirs.', { wait: 60 })).body;
    const jar = await cookie({ kind: 'share', scope: 'read', session_id: own });
    const isClosed = async (operation: Operation, session_id: string) => {
      const { status, body } = await callBy(jar, operation, { ...NOBODY, session_id, run_id });
      return status === 403 && body.code === 'INSUFFICIENT_SCOPE';
    };
    const open: string[] = [];
    await each(async (operation) => {
      const { method, path, needs } = operation;
      if (!(await isClosed(operation, own))) open.push(`${method} ${path}`);
      const mayBeOpen = needs === null || !path.includes('{session_id}');
      if (!mayBeOpen) expect([method, path, await isClosed(operation, other)]).toEqual([method, path, true]);
    });
    const below = '/api/v1/sessions/{session_id}';
    expect(open.sort()).toEqual(
      [
        'GET /api/v1/session-of-browser',
        'POST /api/v1/sign-out',
        ...['', '/approvals', '/children', '/events', '/launch', '/timeline', '/transcript', '/tree'].map(
          (rest) => `GET ${below}${rest}`,
        ),
      ].sort(),
    );
  });

  it('gives nothing of one session by the address of another, real ids of every kind', async () => {
    const [own, other] = [await bench.session(), await bench.session()];
    const run = await bench.run(other, '!call bash {"command": "touch asked"}\n!then\n!say Done.');
    const { approval_id } = await bench.approval(other);
    const ids: Record<string, string> = { session_id: own, run_id: run.body.run_id, approval_id };
    const theirs = operations.filter(
      ({ path }) => path.includes('{session_id}/') && path.includes('_id}', path.indexOf('}') + 1),
    );
    expect(theirs.length).toBeGreaterThan(4);
    for (const operation of theirs) {
      // An id of a kind that nobody made here would show nothing.
      for (const [, name = ''] of operation.path.matchAll(/\{(\w+)\}/g))
        expect(Object.keys(ids)).toContain(name);
      for (const token of [tokens.run, tokens.admin]) {
        const { status } = await call(
          operation,
          token,
          ids,
          operation.path.endsWith('/answer') ? { approved: true } : {},
        );
        expect([operation.method, operation.path, status]).toEqual([operation.method, operation.path, 404]);
      }
    }
    // By its own address each of them is there, and nothing was decided meanwhile.
    const pending = await bench.approval(other);
    expect(pending).toMatchObject({ approval_id, status: 'pending' });
    await bench.answer(other, approval_id, { approved: false });
    expect(await bench.ended(other, run.body.run_id)).toMatchObject({ run_id: run.body.run_id });
  });

  it('lets a session hand tasks to itself and its descendants only', async () => {
    const [own, other] = [await bench.session(), await bench.session()];
    await bench.run(other, 'Remember the word.', { wait: 60 });
    const fork = await bench.daemon.post(`/api/v1/sessions/${other}/fork`, {});
    for (const session_id of [other, fork.body.session_id]) {
      const { status, body } = await bench.daemon.post(`/api/v1/sessions/${own}/delegate`, {
        session_id,
        instruction: 'Repeat the word.',
        wait: 60,
      });
      expect([status, body.code]).toEqual([404, 'SESSION_NOT_FOUND']);
    }
  });

  it('keeps a run token from leaving the hooks of a session out', async () => {
    const id = await bench.session();
    const body = { agent: 'x', instruction: 'y', exclude_hooks: ['hooks-approval'] };
    const headers = { authorization: `Bearer ${tokens.run}` };
    const { status } = await bench.daemon.call('POST', `/api/v1/sessions/${id}/delegate`, body, { headers });
    expect(status).toBe(403);
  });
});
