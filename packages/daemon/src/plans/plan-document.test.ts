import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@amplifier/core';
import { all, openDatabase, openSessionStore } from '@amplifier/sessions';
import { openRecord, projectCopies } from '@amplifier/sessions/record';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { planDocument, planOf } from './plan-document.js';
import type { MountKind, MountPoint, PublicPlan } from './plan-schema.js';
import { toCorePlan } from './to-core-plan.js';

const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', '1', ''), fc.string({ maxLength: 5 }));
const members = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
const shared = { module: name, enabled: fc.boolean(), config: members, metadata: members };

const embedded = (kind: 'agent' | 'context') =>
  fc.record({
    mount_type: fc.constant('embedded' as const),
    module_id: fc.string(),
    module_type: fc.constant(kind),
    content: fc.string(),
    ...shared,
  });
const referenced = (kind: Exclude<MountKind, 'agent' | 'context'>) =>
  fc.record({
    mount_type: fc.constant('referenced' as const),
    module_id: fc.string(),
    module_type: fc.constant(kind),
    source_path: fc.string(),
    ...shared,
  });
const mount: fc.Arbitrary<MountPoint> = fc.oneof(
  embedded('agent'),
  embedded('context'),
  referenced('provider'),
  referenced('tool'),
  referenced('hook'),
);
const plan: fc.Arbitrary<PublicPlan> = fc.record({
  format_version: fc.constant(1 as const),
  session: fc.record(
    {
      session_id: fc.string(),
      profile_id: fc.string(),
      parent_session_id: fc.option(fc.string()),
      settings: members,
      created_at: fc.string(),
      lock_hash: fc.option(fc.string()),
      instruction: fc.string(),
      session: members,
      task: members,
      agent_access: fc.constantFrom('all' as const, 'roster' as const),
      spawn: members,
    },
    {
      requiredKeys: [
        ...(['session_id', 'profile_id', 'parent_session_id', 'settings', 'created_at'] as const),
        ...(['lock_hash', 'instruction', 'session', 'task'] as const),
      ],
    },
  ),
  mount_points: fc
    .tuple(referenced('orchestrator'), referenced('context-manager'), fc.array(mount, { maxLength: 8 }))
    .map(([orchestrator, context, mounts]) => [orchestrator, context, ...mounts])
    // An agent is delegated to by its name, so a plan has one of a name.
    .filter(
      (mounts) => new Set(mounts.map((each) => `${each.module_type} ${each.module}`)).size === mounts.length,
    ),
});

it('is the same plan, byte for byte, after it was stored', () => {
  fc.assert(
    fc.property(plan, (whole) => {
      const stored = JSON.parse(JSON.stringify(planDocument(whole))) as JsonObject;
      expect(JSON.stringify(planOf(stored))).toBe(JSON.stringify(whole));
      expect(stored.plan).toEqual(JSON.parse(JSON.stringify(toCorePlan(whole))));
    }),
  );
});

it('has its texts in the kernel’s form only, once for all sessions and launch records of a profile', async () => {
  await using bench = await RunBench.start();
  const { daemon } = bench;
  const sessions = [await bench.session(), await bench.session()];
  for (const session_id of sessions) {
    const { body } = await bench.run(session_id, 'say hello');
    expect((await bench.ended(session_id, body.run_id)).status).toBe('completed');
  }
  await using database = await openDatabase(daemon.record);
  const documents = await database.read(() =>
    all<{ plan: string; body: string }>('SELECT plan, body FROM documents WHERE plan IS NOT NULL'),
  );
  expect(documents).toHaveLength(4);
  expect(new Set(documents.map((row) => row.plan)).size).toBe(1);
  const rendered = (await daemon.get(`/api/v1/mount-plans/${sessions[0]}`)).body;
  const texts = (rendered.mount_points as MountPoint[]).flatMap((each) =>
    'content' in each ? [each.content] : [],
  );
  expect(texts.length).toBeGreaterThan(0);
  for (const { body } of documents) for (const text of texts) expect(body).not.toContain(text);
});

it('is read in the public form, too, which earlier versions stored', async () => {
  await using bench = await RunBench.start();
  const { daemon } = bench;
  const { body } = await daemon.get(`/api/v1/mount-plans/${await bench.session()}?view=flat`);
  const before = { ...body, session: { ...body.session, session_id: 'before' } };
  {
    await using store = await openSessionStore(daemon.record);
    const working_dir = daemon.workspace.resolve('work');
    const session = { session_id: 'before', profile_name: 'local/worker', working_dir };
    await using _ = await store.create(session, { documents: { mount_plan: before } });
  }
  expect((await daemon.get('/api/v1/mount-plans/before?view=flat')).body).toEqual(before);
  const run = await bench.run('before', 'say hello');
  expect((await bench.ended('before', run.body.run_id)).status).toBe('completed');
  const exported = (await daemon.get('/api/v1/sessions/before/export')).text;
  const headers = { 'content-type': 'application/x-ndjson' };
  const path = '/api/v1/sessions/import?session_id=copy';
  expect((await daemon.call('POST', path, undefined, { raw: exported, headers })).status).toBe(201);
  expect((await daemon.get('/api/v1/mount-plans/copy?view=flat')).body).toEqual(before);
});

it('is in the public form in exports and in readable copies, also in those of a home', async () => {
  await using bench = await RunBench.start();
  const { daemon } = bench;
  const id = await bench.session();
  const shown = (await daemon.get(`/api/v1/mount-plans/${id}?view=flat`)).body;
  const lines: string[] = (await daemon.get(`/api/v1/sessions/${id}/export`)).text.split('\n');
  const exported = lines.find((line) => line.includes('"name":"mount_plan"')) ?? '{}';
  expect(JSON.parse(exported).document).toEqual(shown);
  const folder = daemon.workspace.resolve('projects');
  {
    await using store = await openRecord(daemon.record, { copies: projectCopies(folder) });
    await using _ = await store.create(
      { session_id: 'copied' },
      { documents: { mount_plan: planDocument(shown) } },
    );
  }
  const files = await readdir(folder, { recursive: true });
  const copy = files.find((file) => file.endsWith('copied/mount_plan.json')) ?? '';
  expect(JSON.parse(await readFile(join(folder, copy), 'utf8'))).toEqual(shown);
});

it.each([
  ['no session', { plan: {} }],
  ['a plan that is no object', { plan: 'none' }],
  ['mounts that are no objects', { plan: { session: { system: {} }, agents: {} }, mount_points: [null] }],
  ['mounts without the lists they refer to', { plan: { session: { system: {} } }, mount_points: [{}] }],
])('is reported as damaged with %s', (_, document) => {
  expect(() => planOf(document)).toThrow(expect.objectContaining({ code: 'SESSION_CORRUPT' }));
});
