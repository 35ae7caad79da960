import { openShelf } from '@amplifier/sessions';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { expect, it, vi } from 'vitest';
import { DaemonError } from '../daemon-error.js';
import { PEER_MS } from '../defaults.js';
import { LivePeers } from '../events/live-peers.js';
import { openRateLimit } from './rate-limit.js';
import { SharedCounts } from './shared-counts.js';

it('a token has one limit at all daemons of a record, and a new one when the time is over', async () => {
  await using folder = await TempWorkspace.create();
  const clock = new VirtualClock();
  await using shelf = await openShelf(folder.resolve('record.db'), { clock });
  const open = () => new SharedCounts({ shelf, clock, report: () => {}, windowMs: 5_000 });
  const [a, b] = [open(), open()];
  const [atA, atB] = [await openRateLimit(2, a), await openRateLimit(2, b)];
  const caller = { id: 'token', account: 'token', scope: 'run' as const };
  for (let sent = 0; sent < 6; sent++) await atA?.(caller);
  await atB?.(caller);
  await a.exchange();
  await b.exchange();
  for (let sent = 0; sent < 3; sent++) await atB?.(caller);
  await expect(atB?.(caller)).rejects.toThrow(DaemonError);
  await expect(atB?.({ ...caller, id: 'another', account: 'another' })).resolves.toBeUndefined();
  await clock.advance(5_000);
  await expect(atB?.(caller)).resolves.toBeUndefined();
  for (const counts of [a, b]) counts.close();
});

it('daemons go on to exchange counts and to announce themselves when the record could not be written for a while', async () => {
  await using folder = await TempWorkspace.create();
  const clock = new VirtualClock();
  await using shelf = await openShelf(folder.resolve('record.db'), { clock });
  const told: string[] = [];
  const options = { shelf, clock, report: ({ code }: { code: string }) => void told.push(code) };
  const counts = new SharedCounts({ ...options, windowMs: 3_600_000 });
  const peers = new LivePeers(options);
  await peers.announce('http://127.0.0.1:1');
  counts.add('token');
  const put = vi.spyOn(shelf, 'put').mockRejectedValue(new Error('no space left on the device'));
  await clock.advance(PEER_MS);
  for (const { set_aside, last_error } of [counts.health, ...peers.health])
    expect([set_aside > 0, last_error?.message]).toEqual([true, 'no space left on the device']);
  expect(new Set(told)).toEqual(new Set(['ITEM_SET_ASIDE']));
  put.mockRestore();
  await shelf.remove('daemon', (await shelf.all<{ id: string }>('daemon'))[0]?.id ?? '');
  const there = async () => (await shelf.all('daemon')).length + (await shelf.all('request counts')).length;
  while ((await there()) < 2) await clock.advance(1_000);
  counts.close();
  await peers.close();
});
