import { frozenWithoutSecrets } from '@amplifier/core';
import { expect, it } from 'vitest';
import { all, get } from '../database/database.js';
import { IN_MEMORY, SqliteDatabase } from '../database/sqlite-database.js';
import { SqlSessionStore } from './sql-session-store.js';

const GRANT = Object.freeze({ exec: 'none', read: Object.freeze({ allow: Object.freeze(['/']) }) });

it('a plan and what it may do are stored once, however many were launched with them and whatever each was asked with', async () => {
  const database = await SqliteDatabase.open(IN_MEMORY);
  await using store = new SqlSessionStore(database, {}, () => database.close());
  const shared = frozenWithoutSecrets({ session: { orchestrator: 'loop' }, tools: ['a', { module: 'b' }] });
  const planOf = (call: string) => ({ ...shared, session: { ...shared.session, metadata: { call } } });
  for (const call of ['one', 'two', 'three']) {
    const config = call === 'three' ? structuredClone(planOf(call)) : planOf(call);
    const grant = call === 'three' ? structuredClone(GRANT) : GRANT;
    const launch = { version: 1, plan: config, grant };
    await store.create({ session_id: call, root_id: 'one', config }, { documents: { launch } });
  }
  const { count } =
    (await database.read(() => get<{ count: number }>('SELECT count(*) AS count FROM plans'))) ?? {};
  expect(count).toBe(2);
  for (const call of ['one', 'two', 'three']) {
    const config = planOf(call);
    expect((await store.metadata(call)).config).toEqual(config);
    expect((await store.events(call))[0]?.data).toMatchObject({ config });
    expect(await store.document(call, 'launch')).toEqual({ version: 1, plan: config, grant: GRANT });
    expect(JSON.stringify(await store.events(call))).not.toContain('plan_metadata');
  }
  expect((await store.tree('one')).map(({ launch }) => launch)).toEqual([
    { version: 1, grant: GRANT },
    { version: 1, grant: GRANT },
    { version: 1, grant: GRANT },
  ]);
});

it('what a session was created with is stored in its row only, and read with its first event and launch record', async () => {
  const database = await SqliteDatabase.open(IN_MEMORY);
  await using store = new SqlSessionStore(database, {}, () => database.close());
  const lineage = {
    session_id: 'child-1',
    parent_id: 'parent-1',
    root_id: 'root-1',
    trace_id: 'trace-1',
    depth: 2,
    tool_call_id: 'call-1',
    parallel_group_id: 'group-1',
  };
  const launch = { version: 1, ...lineage, plan: { tools: [] }, grant: GRANT };
  const session = { ...lineage, agent_name: 'agent-1', profile_name: 'profile-1', project: 'project-1' };
  await store.create(session, { documents: { launch } });
  const bodies = await database.read(() =>
    all<{ body: string }>('SELECT body FROM events UNION ALL SELECT body FROM documents'),
  );
  expect(bodies).toHaveLength(2);
  expect(JSON.stringify(bodies)).not.toMatch(/(child|parent|root|trace|call|group|agent|profile|project)-1/);
  const created = { ...session, created: expect.any(String) };
  const { plan: _, ...planless } = launch;
  expect((await store.events('child-1'))[0]?.data).toMatchObject(created);
  expect((await store.feedPage({ after: '0', until: await store.feedCursor() }))[0]).toMatchObject({
    event: { data: created },
  });
  expect(await store.metadata('child-1')).toMatchObject(created);
  expect(await store.document('child-1', 'launch')).toEqual(launch);
  expect((await store.export('child-1')).documents.launch).toEqual(launch);
  expect((await store.tree('root-1'))[0]?.launch).toEqual(planless);
});

it('a launch record of another session is stored as it is', async () => {
  const database = await SqliteDatabase.open(IN_MEMORY);
  await using store = new SqlSessionStore(database, {}, () => database.close());
  const launch = { version: 1, session_id: 'other', plan: { tools: [] } };
  await store.create({ session_id: 'copy' }, { documents: { launch } });
  expect(await store.document('copy', 'launch')).toEqual(launch);
});
