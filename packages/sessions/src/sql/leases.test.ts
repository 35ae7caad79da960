import type { Liveness } from '@amplifier/core';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { IN_MEMORY, SqliteDatabase } from '../database/sqlite-database.js';
import { LEASE_MS } from '../defaults.js';
import { SqlSessionStore } from './sql-session-store.js';

/** A process of another container: nobody can tell whether it lives. */
const elsewhere = (name: string): Liveness => ({
  self: { pid: 1, start: name, host: name, boot: 'boot', namespace: name },
  isAlive: () => true,
});

describe('a lease', () => {
  it('keeps a session until it has run out; then the next has it, and the one before is shut out', async () => {
    await using folder = await TempWorkspace.create();
    const open = async (name: string, leaseClock: VirtualClock) => {
      const database = await SqliteDatabase.open(folder.resolve('record.db'));
      return new SqlSessionStore(database, { liveness: elsewhere(name), leaseClock }, () => database.close());
    };
    // The first one is stopped: its clock stands still, and it renews nothing.
    await using stopped = await open('stopped', new VirtualClock());
    const clock = new VirtualClock();
    await using heir = await open('heir', clock);
    const log = await stopped.create({ session_id: 's' });
    await expect(heir.open('s')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    await clock.advance(LEASE_MS - 1);
    await expect(heir.open('s')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    await clock.advance(2);
    expect(await heir.owner('s')).toBeNull();
    const taken = await heir.open('s');
    await taken.appendMessages([{ role: 'user', content: 'mine' }]);
    const late = log.appendMessages([{ role: 'user', content: 'late' }]);
    await expect(late).rejects.toMatchObject({ code: 'FENCED' });
    expect(await heir.messages('s')).toMatchObject([{ seq: 1, content: 'mine' }]);
  });

  it('is renewed while its process runs', async () => {
    await using database = await SqliteDatabase.open(IN_MEMORY);
    const clock = new VirtualClock();
    const at = (name: string) => ({ liveness: elsewhere(name), leaseClock: clock });
    const owner = new SqlSessionStore(database, at('owner'));
    const other = new SqlSessionStore(database, at('other'));
    await owner.create({ session_id: 's' });
    for (let third = 0; third < 6; third++) {
      await clock.advance(LEASE_MS / 3);
      await other.feedCursor();
      await database.read(function* () {}, 'all');
    }
    await expect(other.open('s')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    await owner.close();
    await other.close();
  });
});
