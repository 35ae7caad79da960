import { openShelf } from '@amplifier/sessions';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { DaemonError } from '../daemon-error.js';
import { openRateLimit } from './rate-limit.js';
import { SharedCounts } from './shared-counts.js';

it('a token has one limit at all daemons of a record, and a new one when the time is over', async () => {
  await using folder = await TempWorkspace.create();
  const clock = new VirtualClock();
  await using shelf = await openShelf(folder.resolve('record.db'), { clock });
  const open = () => new SharedCounts({ shelf, clock, report: () => {}, windowMs: 5_000 });
  const [a, b] = [open(), open()];
  const [atA, atB] = [await openRateLimit(2, a), await openRateLimit(2, b)];
  const caller = { id: 'token', scope: 'run' as const };
  for (let sent = 0; sent < 6; sent++) await atA?.(caller);
  await atB?.(caller);
  await a.exchange();
  await b.exchange();
  for (let sent = 0; sent < 3; sent++) await atB?.(caller);
  await expect(atB?.(caller)).rejects.toThrow(DaemonError);
  await expect(atB?.({ ...caller, id: 'another' })).resolves.toBeUndefined();
  await clock.advance(5_000);
  await expect(atB?.(caller)).resolves.toBeUndefined();
  for (const counts of [a, b]) counts.close();
});
