// A process on another machine, as far as anybody can tell: it claims a run, opens a session, says so, and is killed.

import { systemLiveness } from '@amplifier/core';
import { PostgresDatabase } from '@amplifier/postgres';
import { SqlRunQueue, SqlSessionStore } from '@amplifier/sessions';

const database = await PostgresDatabase.open(process.argv[2]);
const self = { ...systemLiveness.self, host: 'elsewhere', boot: 'another', namespace: 'another' };
const liveness = { self, isAlive: () => true };
const queue = new SqlRunQueue(database, { liveness });
const store = new SqlSessionStore(database, { liveness });
const claim = await queue.claim();
const log = await store.open(claim.run.session_id, { lease: claim.token });
process.stdout.write('claimed\n');
process.on('message', async () => {
  const late = await log.appendMessages([{ role: 'user', content: 'late' }]).then(
    () => 'written',
    (error) => error.code,
  );
  process.send(late);
});
setInterval(() => {}, 1000);
