import { seededRandom, TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { installedVersion, startPostgres } from '../../postgres/test-support/start-postgres.js';
import { type Accident, tortureReplicas } from './replicas.js';

const SEED = Number(process.env.SEED ?? 1);
const ACCIDENTS = Number(process.env.ACCIDENTS ?? 60);
const KINDS: readonly Accident[] = [
  'kill',
  'kill',
  'kill',
  'cut',
  'cut',
  'silence',
  'restart',
  'crowd',
  'hang',
];

it('three daemons on one database lose nothing and do nothing twice, whatever befalls them', async () => {
  await using folder = await TempWorkspace.create();
  await using server = await startPostgres(installedVersion);
  const random = seededRandom(SEED);
  const accidents = Array.from(
    { length: ACCIDENTS },
    () => KINDS[Math.floor(random() * KINDS.length)] as Accident,
  );
  const { takeovers, ...counts } = await tortureReplicas({
    ...{ folder: folder.path, server, daemons: 3, accidents, seed: SEED },
  });
  takeovers.sort((a, b) => a - b);
  const at = (part: number) => Math.round(takeovers[Math.floor((takeovers.length - 1) * part)] ?? 0);
  console.log({ ...counts, taken_over: takeovers.length, p50_ms: at(0.5), p99_ms: at(0.99) });
  expect(counts.runs).toBeGreaterThan(0);
}, 1_200_000);
