import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, systemClock } from '@amplifier/core';
import { chaosAgentCommand } from '@amplifier/testkit';
import { detectSandbox } from '@amplifier/workspace';
import { expect, it } from 'vitest';
import { buildRoster } from '../roster/roster.js';
import { type ConnectOptions, connectAgent } from './connect-agent.js';

const visible = [dirname(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))))];

async function connect(settings: object, options: Partial<ConnectOptions> = {}) {
  const roster = buildRoster({ agents: { pi: { base: 'pi', visible, state_paths: [], ...settings } } });
  const sandbox = await detectSandbox();
  return connectAgent(roster.get('pi'), {
    env: process.env,
    sandbox,
    depth: 1,
    timeout_ms: 60_000,
    ...options,
  });
}

it('tells within ten seconds that pi does not get ready, and what to do', async () => {
  // The first timer is the limit for all of it: it is over as soon as the agent is asked for a session.
  const limits: { ms: number; end: () => void }[] = [];
  const clock: Clock = {
    now: () => systemClock.now(),
    after: (ms, end) => {
      limits.push({ ms, end });
      return limits.length === 1 ? () => {} : systemClock.after(ms, end);
    },
  };
  const connection = await connect(
    { command: chaosAgentCommand('--no-session') },
    { clock, onStep: (step) => void (step === 'opening a session' && setImmediate(() => limits[0]?.end())) },
  );
  expect(limits[0]?.ms).toBeLessThan(10_000);
  expect(connection).toMatchObject({ status: 'timed_out', version: '1.0.0', models: [] });
  expect(connection.detail).toMatch(
    /still opening a session after 9 s.*'pi'.*npm install -g pi-acp @earendil-works/,
  );
});

it('leaves no folder behind, and can be given up before the agent says a word', async () => {
  const mine = () => readdirSync(tmpdir()).filter((name) => name.startsWith('amplifier-connect-'));
  const before = new Set(mine());
  const stop = new AbortController();
  const connection = await connect(
    { command: chaosAgentCommand('--no-handshake') },
    {
      signal: stop.signal,
      onStep: (step) => {
        if (step === 'shaking hands') stop.abort();
      },
    },
  );
  expect(connection.status).toBe('timed_out');
  expect(mine().filter((name) => !before.has(name))).toEqual([]);
});
