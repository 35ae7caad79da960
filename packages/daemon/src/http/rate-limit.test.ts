import { openShelf } from '@amplifier/sessions';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { expect, it, vi } from 'vitest';
import { DaemonError } from '../daemon-error.js';
import { PEER_MS, RATE_WINDOW_MS } from '../defaults.js';
import { LivePeers } from '../events/live-peers.js';
import { RateLimit } from './rate-limit.js';

it('a token has one limit at all daemons of a record, and a new one when the time is over', async () => {
  await using folder = await TempWorkspace.create();
  const clock = new VirtualClock();
  await using shelf = await openShelf(folder.resolve('record.db'), { clock });
  const open = () => new RateLimit({ per_second: 2, shelf, clock, report: () => {} });
  const [a, b] = [open(), open()];
  const caller = { account: 'token' };
  for (let sent = 0; sent < 6; sent++) a.check(caller);
  b.check(caller);
  await a.exchange();
  await b.exchange();
  for (let sent = 0; sent < 3; sent++) b.check(caller);
  expect(() => b.check(caller)).toThrow(DaemonError);
  b.check({ account: 'another' });
  await clock.advance(RATE_WINDOW_MS);
  b.check(caller);
  for (const limit of [a, b]) limit.close();
});

it('daemons go on to exchange counts and to announce themselves when the record could not be written for a while', async () => {
  await using folder = await TempWorkspace.create();
  const clock = new VirtualClock();
  await using shelf = await openShelf(folder.resolve('record.db'), { clock });
  const told: string[] = [];
  const options = { shelf, clock, report: ({ code }: { code: string }) => void told.push(code) };
  const counts = new RateLimit({ ...options, per_second: 100 });
  const peers = new LivePeers(options);
  await peers.announce('http://127.0.0.1:1');
  counts.check({ account: 'token' });
  const put = vi.spyOn(shelf, 'put').mockRejectedValue(new Error('no space left on the device'));
  await clock.advance(PEER_MS);
  for (const { set_aside, last_error } of [...counts.health, ...peers.health])
    expect([set_aside > 0, last_error?.message]).toEqual([true, 'no space left on the device']);
  expect(new Set(told)).toEqual(new Set(['ITEM_SET_ASIDE']));
  put.mockRestore();
  await shelf.remove('daemon', (await shelf.all<{ id: string }>('daemon'))[0]?.id ?? '');
  const there = async () => (await shelf.all('daemon')).length + (await shelf.all('request counts')).length;
  while ((await there()) < 2) {
    counts.check({ account: 'token' });
    await clock.advance(1_000);
  }
  counts.close();
  await peers.close();
});
