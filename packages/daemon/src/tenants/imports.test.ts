import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { call, script } from '../../test-support/run-profile.js';
import { MAX_METADATA_BYTES } from '../defaults.js';

interface Line {
  kind: string;
  session_id?: string;
  event?: { name: string; time: unknown; data: Record<string, unknown> | null } & Record<string, unknown>;
  message?: Record<string, unknown>;
}

let bench: RunBench;
let tokens: Record<'a' | 'b', string>;
/** The export of a session of team-a that has run. */
let exported: Line[];

beforeAll(async () => {
  const flags = { max_children: 3, tenants: { 'team-a': {}, 'team-b': {} } };
  bench = await RunBench.start(flags);
  const make = async (tenant: string) =>
    (await bench.daemon.post('/api/v1/tokens', { scope: 'run', tenant })).body.token as string;
  tokens = { a: await make('team-a'), b: await make('team-b') };
  const id = await session('a');
  await run('a', id, script(call('write_file', { file_path: 'x', content: 'x' }), '!say Done.'));
  const { text } = await ask('a', 'GET', `/api/v1/sessions/${id}/export`);
  exported = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
});
afterAll(() => bench[Symbol.asyncDispose]());

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const ask = (who: 'a' | 'b', method: string, path: string, body?: object) =>
  bench.daemon.call(method, path, body, bearer(tokens[who]));
const session = async (who: 'a' | 'b', body: object = {}) => {
  const made = await ask(who, 'POST', '/api/v1/sessions', { profile_id: 'local/worker', ...body });
  expect(made.status, made.text).toBe(201);
  return made.body.session_id as string;
};
const run = (who: 'a' | 'b', id: string, instruction: string) =>
  ask(who, 'POST', `/api/v1/sessions/${id}/runs`, {
    instruction,
    wait: 20,
    approvals: { timeout_seconds: 1 },
  });

let imports = 0;
/** Imports the export as team-a, changed. */
function take(edit: (lines: Line[]) => Line[] | undefined) {
  const lines = structuredClone(exported);
  const raw = (edit(lines) ?? lines).map((line) => JSON.stringify(line)).join('\n');
  return bench.daemon.call('POST', `/api/v1/sessions/import?session_id=import-${imports++}`, undefined, {
    headers: { ...bearer(tokens.a).headers, 'content-type': 'application/x-ndjson' },
    raw,
  });
}

const events = (lines: readonly Line[], name: string) =>
  lines.flatMap(({ event }) => (event?.name === name ? [event] : []));

/** Puts the session below another. */
const below = (parent_id: string, root_id: string) => (lines: Line[]) => {
  for (const { event } of lines) if (event) Object.assign(event, { parent_id, root_id });
  for (const { data } of events(lines, 'session:created'))
    Object.assign(data ?? {}, { parent_id, root_id, depth: 1, tool_call_id: 'call_1' });
  return undefined;
};

describe('an import that names a session of another tenant as its parent', () => {
  let victim: string;
  const grafts: string[] = [];
  beforeAll(async () => {
    victim = await session('b');
    for (const edit of [
      below(victim, victim),
      below(victim, victim),
      below(victim, victim),
      below('', victim),
      (lines: Line[]) => below(lines[0]?.session_id ?? '', victim)(lines),
      // Begins with the name of the other's session, and then again with its own.
      (lines: Line[]) => [{ ...lines[0], session_id: victim } as Line, ...lines],
    ]) {
      const taken = await take(edit);
      if (taken.status !== 201) {
        expect([400, 422]).toContain(taken.status);
        continue;
      }
      const { session_id } = taken.body;
      expect(taken.body).toMatchObject({ parent_session_id: null, root_session_id: session_id, depth: 0 });
      grafts.push(session_id);
    }
    expect(grafts.length).toBeGreaterThan(3);
  });

  it('is in no view of that tree', async () => {
    for (const view of ['tree', 'children', 'timeline', 'events?children=true&limit=1000']) {
      const { status, text } = await bench.daemon.get(`/api/v1/sessions/${victim}/${view}`);
      expect(status).toBe(200);
      for (const id of grafts) expect(text).not.toContain(id);
    }
    const trees = (await bench.daemon.get('/api/v1/spend/trees')).body as { root_id: string }[];
    for (const tree of trees.filter(({ root_id }) => root_id === victim))
      expect(tree).toMatchObject({ sessions: 1 });
  });

  it('cannot be read by a link to that tree', async () => {
    const { url } = (await bench.daemon.post(`/api/v1/sessions/${victim}/share`, {})).body;
    const { port, host } = new URL(bench.daemon.daemon.url);
    const token = new URL(url).searchParams.get('token');
    const shared = { headers: { authorization: '', host, cookie: `amplifier_${port}=${token}` } };
    expect((await bench.daemon.get(`/api/v1/sessions/${victim}`, shared)).status).toBe(200);
    for (const id of grafts)
      expect((await bench.daemon.get(`/api/v1/sessions/${id}/transcript`, shared)).status).not.toBe(200);
  });

  it('uses up none of its children, and is not shown to its model', async () => {
    const delegated = await ask('b', 'POST', `/api/v1/sessions/${victim}/delegate`, {
      agent: 'scout',
      instruction: '!say Seen.',
      context_depth: 'none',
      wait: 20,
    });
    expect(delegated.body).toMatchObject({ status: 'completed' });
    await run('b', victim, script(call('agents', { action: 'list' }), '!say Listed.'));
    const { text } = await ask('b', 'GET', `/api/v1/sessions/${victim}/transcript`);
    expect(text).toContain(delegated.body.child_session_id);
    for (const id of grafts) expect(text).not.toContain(id);
  });
});

describe('an import that names a session of its own tenant as its parent', () => {
  it('stands below it, whatever it says of its root, depth and trace', async () => {
    const parent = await session('a');
    const other = await session('b');
    const taken = await take(below(parent, other));
    expect(taken.body).toMatchObject({ parent_session_id: parent, root_session_id: parent, depth: 1 });
    const { body } = await ask('a', 'GET', `/api/v1/sessions/${parent}/children`);
    expect(body).toMatchObject([{ session_id: taken.body.session_id }]);
  });

  it('is refused where a new session would be: too many children, too deep', async () => {
    const parent = await session('a');
    const named = (call: number) => (lines: Line[]) => {
      below(parent, parent)(lines);
      for (const { data } of events(lines, 'session:created'))
        Object.assign(data ?? {}, { tool_call_id: `c${call}` });
      return undefined;
    };
    for (let at = 0; at < 3; at++) expect((await take(named(at))).status).toBe(201);
    const refused = await take(named(3));
    expect([refused.status, refused.body.code]).toEqual([409, 'TOO_MANY_CHILDREN']);
    let deepest = await session('a');
    for (let depth = 1; depth <= 3; depth++) deepest = (await take(below(deepest, deepest))).body.session_id;
    expect((await take(below(deepest, deepest))).body.code).toBe('DEPTH_EXCEEDED');
  });
});

describe('an import with a record that cannot be read', () => {
  const first = (lines: Line[], name: string) => {
    const [event] = events(lines, name);
    if (!event) throw new Error(`The export has no ${name}.`);
    return event;
  };

  it.each<[string, (lines: Line[]) => void]>([
    ['no data', (lines) => void Object.assign(first(lines, 'question:answered'), { data: null })],
    ['a text as data', (lines) => void Object.assign(first(lines, 'question:asked'), { data: 'x' })],
    [
      'an object as the words of a question',
      (lines) =>
        void Object.assign(first(lines, 'question:asked'), { data: { id: 'q', prompt: { toString: 1 } } }),
    ],
    [
      'a creation without anything',
      (lines) => void Object.assign(first(lines, 'session:created'), { data: { session: 5 } }),
    ],
    [
      'a wrong change',
      (lines) =>
        void Object.assign(first(lines, 'session:status'), {
          name: 'session:updated',
          data: { extra: 'x', name: { a: 1 } },
        }),
    ],
    [
      'an unknown status',
      (lines) => void Object.assign(first(lines, 'session:status'), { data: { status: 'zombie', error: 7 } }),
    ],
    [
      'a time in words',
      (lines) => {
        for (const { event } of lines) if (event) event.time = 'yesterday';
      },
    ],
    [
      'a time beyond all dates',
      (lines) => {
        for (const { event } of lines) if (event) event.time = '+275760-09-13T00:00:00.000Z';
      },
    ],
    [
      'an unknown role',
      (lines) => {
        for (const { message } of lines) if (message) message.role = 'root';
      },
    ],
    [
      'unknown parts of a message',
      (lines) => {
        for (const { message } of lines)
          if (message) message.content = [{ type: 'weird' }, { type: 'text', text: 5 }];
      },
    ],
    ['a number as its id', (lines) => void Object.assign(lines[0] ?? {}, { session_id: 5 })],
    [
      'a very long name of an event',
      (lines) => void Object.assign(first(lines, 'question:asked'), { name: 'x'.repeat(10_000) }),
    ],
  ])('is refused for %s', async (_, edit) => {
    const taken = await take((lines) => {
      edit(lines);
      return undefined;
    });
    expect([taken.status, taken.body.code], taken.text).toEqual([422, 'INVALID_EXPORT']);
    expect(taken.body.detail).toMatch(/^Line \d+ \(.+\) of the export is invalid: /);
  });

  it('is refused for metadata beyond the limit of a session', async () => {
    const taken = await take((lines) => {
      const { data } = first(lines, 'session:created');
      Object.assign(data ?? {}, { extra: { metadata: { text: 'x'.repeat(MAX_METADATA_BYTES) } } });
      return undefined;
    });
    expect([taken.status, taken.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('leaves whole ones alone: their approvals can be read', async () => {
    const taken = await take(() => undefined);
    expect(taken.status, taken.text).toBe(201);
    const { status, body } = await ask('a', 'GET', `/api/v1/sessions/${taken.body.session_id}/approvals`);
    expect([status, body.length]).toEqual([200, 1]);
  });
});
