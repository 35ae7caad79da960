import type { Liveness, ProcessIdentity } from '@amplifier/core';
import { type Clock, quietClock, systemClock } from '@amplifier/core';
import type { Database, Work } from './database.js';

/** This process as the others will know it. */
export function ownIdentity({ presence }: Database, { self }: Liveness): ProcessIdentity {
  return presence ? { ...self, connection: presence.key } : self;
}

/** Can it be proved that the process is dead? Where that cannot be told, the lease decides. */
export function* isDead(database: Database, liveness: Liveness, process: ProcessIdentity): Work<boolean> {
  if (!liveness.isAlive(process)) return true;
  const { presence } = database;
  if (!presence || process.connection === undefined) return false;
  return !(yield* presence.isThere(process.connection));
}

/** The time of the record. Machines that share one go by its clock, each of which would have its own; the clock of a test stays. */
export function recordClock(database: Database, clock: Clock): Clock {
  const { now } = database;
  if (!now || (clock !== systemClock && clock !== quietClock)) return clock;
  return { now: () => now.call(database), after: (ms, callback) => clock.after(ms, callback) };
}
