import { readFile, writeFile } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { describe, expect, it } from 'vitest';
import { DaemonProcess } from '../../test-support/daemon-process.js';
import { LooseConnection } from '../../test-support/loose-connection.js';
import { TestDaemon } from '../../test-support/test-daemon.js';
import { type ApiEvent, createClient, FollowRefused } from './index.js';

const DOCUMENT = new URL('../../../../docs/openapi/amplifierd.json', import.meta.url);
const TYPES = new URL('../../api-types.d.ts', import.meta.url);
const HEADER =
  '// Made from docs/openapi/amplifierd.json by UPDATE_DOCS=1 npm test -- packages/daemon; do not edit.\n\n';

it('has the types of the API description (UPDATE_DOCS=1 writes them anew)', async () => {
  const document = JSON.parse(await readFile(DOCUMENT, 'utf8'));
  const text = HEADER + astToString(await openapiTS(withoutStreams(document), { defaultNonNullable: false }));
  if (process.env.UPDATE_DOCS) await writeFile(TYPES, text);
  expect(await readFile(TYPES, 'utf8')).toBe(text);
});

type Operation = { responses: Record<string, { content?: Record<string, unknown> }> };

/** A call gets the page; streams are what `followEvents` is for. */
function withoutStreams(document: { paths: Record<string, Record<string, Operation>> }) {
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods)))
    for (const { content } of Object.values(operation.responses)) delete content?.['text/event-stream'];
  return document as unknown as OpenAPI3;
}

describe('the client', () => {
  it('calls operations by their types and gives refusals as values', async () => {
    await using daemon = await TestDaemon.start();
    const client = createClient(daemon.daemon);
    const created = await client.POST('/api/v1/sessions', {
      body: { profile_id: 'foundation/base', auto_start: true },
      params: { header: { 'Idempotency-Key': 'first' } },
    });
    expect(created.error).toBeUndefined();
    const session_id = created.data?.session_id ?? '';
    const path = { session_id };
    const sent = await client.POST('/api/v1/sessions/{session_id}/messages', {
      params: { path },
      body: { role: 'user', content: 'Hello' },
    });
    expect(sent.data?.seq).toBe(1);
    const listed = await client.GET('/api/v1/sessions', {
      params: { query: { status: ['active'], limit: 10 } },
    });
    expect(listed.data?.map((entry) => entry.session_id)).toEqual([session_id]);
    const missing = await client.GET('/api/v1/sessions/{session_id}', {
      params: { path: { session_id: 'none' } },
    });
    expect(missing.error).toMatchObject({ status: 404, code: 'SESSION_NOT_FOUND' });
  });

  it('misses no event when its connection breaks before the first one', async () => {
    await using daemon = await TestDaemon.start();
    let connections = 0;
    const { url, token } = daemon.daemon;
    const client = createClient({
      url,
      token,
      fetch: async (...request) => {
        if (++connections === 2) await daemon.session({ session_id: 'between' });
        const { headers, body } = await fetch(...request);
        if (connections > 1) return new Response(body, { headers });
        await body?.cancel();
        return new Response('', { headers });
      },
    });
    const first = await client.followEvents().next();
    expect(first.value).toMatchObject({ name: 'session:created', session_id: 'between' });
  });

  it('follows events over kills of the daemon without gap or repeat', async () => {
    await using workspace = await TempWorkspace.create();
    const home = workspace.resolve('home');
    let daemon = await DaemonProcess.start(home);
    // The daemon comes back on another port; what stands before it does not move.
    await using connection = await LooseConnection.open(() => daemon.url);
    try {
      const client = createClient({ url: connection.url, token: daemon.token });
      await client.POST('/api/v1/sessions', { body: { profile_id: 'foundation/base', session_id: 's' } });
      const rename = (name: string) =>
        client.PATCH('/api/v1/sessions/{session_id}', {
          params: { path: { session_id: 's' } },
          body: { name },
        });
      const got: ApiEvent[] = [];
      const stop = new AbortController();
      const following = (async () => {
        for await (const event of client.followEvents({
          session_id: 's',
          children: true,
          signal: stop.signal,
        })) {
          got.push(event);
          if (event.data.name === 'last') return;
        }
      })();
      for (let round = 0; round < 2; round++) {
        for (let at = 0; at < 5; at++) await rename(`${round}.${at}`);
        await daemon.kill();
        daemon = await DaemonProcess.start(home);
      }
      await rename('last');
      await following;
      expect(got.map(({ seq }) => seq)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
      const refused = client.followEvents({ session_id: 'none' }).next();
      await expect(refused).rejects.toThrow(FollowRefused);
    } finally {
      await daemon.kill();
    }
  });
});
