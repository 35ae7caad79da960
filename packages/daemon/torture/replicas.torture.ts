import { loadavg } from 'node:os';
import { seededRandom, TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { installedVersion, startPostgres } from '../../postgres/test-support/start-postgres.js';
import { type Accident, tortureReplicas } from '../test-support/replicas.js';

const SEED = Number(process.env.SEED ?? 1);
const MINUTES = Number(process.env.MINUTES ?? 10);
const KINDS: readonly Accident[] = [
  'kill',
  'kill',
  'kill',
  'cut',
  'refuse',
  'silence',
  'slow',
  'restart',
  'crowd',
  'hang',
];

it('three daemons on one database lose nothing and do nothing twice, whatever befalls them', async () => {
  await using folder = await TempWorkspace.create();
  await using server = await startPostgres(installedVersion);
  const random = seededRandom(SEED);
  const befallen: Record<string, number> = {};
  function* accidents(): Generator<Accident> {
    for (const end = Date.now() + MINUTES * 60_000; Date.now() < end; ) {
      const kind = KINDS[Math.floor(random() * KINDS.length)] as Accident;
      befallen[kind] = (befallen[kind] ?? 0) + 1;
      yield kind;
    }
  }
  const plan = { folder: folder.path, server, daemons: 3, followers: 3, seed: SEED };
  const { takeovers, ...counts } = await tortureReplicas({ ...plan, accidents: accidents() });
  takeovers.sort((a, b) => a - b);
  const at = (part: number) => Math.round(takeovers[Math.floor((takeovers.length - 1) * part)] ?? 0);
  const times = { taken_over: takeovers.length, p50_ms: at(0.5), p99_ms: at(0.99), most_ms: at(1) };
  console.log({ ...counts, ...befallen, ...times, load: loadavg().map(Math.round) });
  expect(counts.runs).toBeGreaterThan(MINUTES * 20);
}, 2_400_000);
