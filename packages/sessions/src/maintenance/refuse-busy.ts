import { type Liveness, type ProcessIdentity, systemLiveness } from '@amplifier/core';
import { all, type Database } from '../database/database.js';
import { isDead } from '../database/presence.js';
import { SessionError } from '../session-error.js';

/** Rejects while a process is at work in the record, with its name and what to do once it has ended. */
export async function refuseBusy(
  database: Database,
  then: string,
  liveness: Liveness = systemLiveness,
): Promise<void> {
  const now = database.now?.() ?? Date.now();
  const busy = await database.read(function* () {
    const rows = yield* all<{ identity: string }>(
      'SELECT identity FROM processes WHERE lease_until > ?',
      now,
    );
    for (const { identity } of rows) {
      const process = JSON.parse(identity) as ProcessIdentity;
      if (!(yield* isDead(database, liveness, process))) return process;
    }
    return null;
  });
  if (!busy) return;
  const message = `Process ${busy.pid} on ${busy.host} is using ${database.name}. Stop it, then ${then}.`;
  throw new SessionError(message, { code: 'SESSION_LOCKED', origin: database.name, retryable: true });
}
