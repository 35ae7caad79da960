import { existsSync } from 'node:fs';
import type { Liveness } from '@amplifier/core';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { leaseHolder, takeLease } from './named-lease.js';

const LEASE_MS = 30_000;

/** A process of another container: nobody can tell whether it lives. */
const elsewhere = (name: string): Liveness => ({
  self: { pid: 1, start: name, host: name, boot: 'boot', namespace: name },
  isAlive: () => true,
});

it('a lease is waited for while nobody can tell whether its holder lives, and is not taken from one that renews it', async () => {
  await using folder = await TempWorkspace.create();
  const file = folder.resolve('record.db');
  const take = (name: string, clock: VirtualClock) =>
    takeLease(file, 'daemon', { liveness: elsewhere(name), clock });
  expect(await leaseHolder(file, 'daemon')).toBeNull();
  expect(existsSync(file)).toBe(false);
  const left = await take('killed container', new VirtualClock());
  const clock = new VirtualClock();
  const waiting = take('new container', clock);
  let isTaken = false;
  void waiting.then(() => {
    isTaken = true;
  });
  await clock.advance(LEASE_MS - 1_000);
  expect(isTaken).toBe(false);
  // While an attempt is in the database no timer is pending, and the clock is not advanced: its lease must not expire before it is renewed.
  while (!isTaken) await (clock.pending > 0 ? clock.advance(500) : new Promise(setImmediate));
  const lease = await waiting;
  expect(lease.wasLeft).toBe(true);
  expect(await left.isHeld()).toBe(false);
  expect(await leaseHolder(file, 'daemon')).toBeNull();
  const third = take('third', clock);
  let isRefused = false;
  third.catch(() => {
    isRefused = true;
  });
  // The read follows the renewals of the step before it.
  for (let passed = 0; passed <= LEASE_MS && !isRefused; passed += 500) {
    await clock.advance(500);
    expect(await lease.isHeld()).toBe(true);
  }
  await expect(third).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
  await lease.release();
  await left.release();
});
