import { frozenWithoutSecrets } from '@amplifier/core';
import { expect, it } from 'vitest';
import { get } from '../database/database.js';
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
