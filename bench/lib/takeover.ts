import type { FakeExchange, FakeModelServer, FakeReply } from '@amplifier/testkit';
import type { DaemonProcess } from '../../packages/daemon/test-support/daemon-process.js';
import { bareClient } from '../../packages/postgres/test-support/bare-client.js';
import { isSmoke, percentile } from './measure.js';

const DAEMONS = 3;
const KILLS = isSmoke ? 1 : 50;
const RUNS = isSmoke ? 2 : 6;

/**
 * Three daemons work on runs whose model does not answer. The one with the most of them is killed, again and again: how long does it
 * take until another one asks the model for each of its runs?
 */
export async function measureTakeover(
  address: string,
  model: FakeModelServer,
  start: () => Promise<DaemonProcess>,
): Promise<void> {
  const asked = new Map<string, { count: number; again: () => void }>();
  model.play(({ body }: FakeExchange): FakeReply => {
    const name = /RUN ([\w-]+)\./.exec(JSON.stringify(body.messages))?.[1] ?? '';
    const run = asked.get(name);
    if (!run || ++run.count === 1) return { hang: 'before' };
    run.again();
    return { text: 'Done.' };
  });
  const daemons: DaemonProcess[] = [];
  const client = await bareClient(address);
  const running = async () =>
    (
      await client.query<{ run_id: string; owner: string }>(
        `SELECT run_id, owner FROM runs WHERE status = 'running'`,
      )
    ).rows;
  const times: number[] = [];
  /** Until it was claimed: the token of a claim is the server's time, in milliseconds, and the server is on this machine. */
  const claimed: number[] = [];
  try {
    while (daemons.length < DAEMONS) daemons.push(await start());
    for (let kill = 0; kill < KILLS; kill++) {
      while (asked.size < RUNS) await begin(daemons[asked.size % DAEMONS] as DaemonProcess, kill, asked);
      while ([...asked.values()].some(({ count }) => count === 0)) await pause(5);
      const runs = await running();
      const runsOf = ({ pid }: DaemonProcess) =>
        runs.flatMap(({ run_id, owner }) => (asked.has(run_id) && owner.endsWith(`:${pid}`) ? run_id : []));
      daemons.sort((a, b) => runsOf(b).length - runsOf(a).length);
      const victim = daemons[0] as DaemonProcess;
      const [killed, killedAt] = [performance.now(), Date.now()];
      const left = runsOf(victim);
      const taken = left.map(async (run_id) => {
        await new Promise<void>((again) => asked.set(run_id, { count: 1, again }));
        times.push(performance.now() - killed);
        asked.delete(run_id);
      });
      await victim.kill();
      await Promise.all(taken);
      const { rows } = await client.query<{ token: string }>(
        'SELECT token FROM runs WHERE run_id = ANY($1)',
        [left],
      );
      claimed.push(...rows.map(({ token }) => Number(token) - killedAt));
      daemons[0] = await start();
    }
  } finally {
    for (const daemon of daemons) await daemon.kill();
    await client.end();
  }
  console.log(
    `\nTakeover: ${DAEMONS} daemons, kill -9 of the one with the most runs ${KILLS} times; ms until each of ${times.length} runs went on`,
  );
  console.log(`  ${'until'.padEnd(34)}${['p50', 'p99', 'longest'].map((each) => each.padStart(9)).join('')}`);
  for (const [name, values] of [
    ['another daemon has claimed it', claimed],
    ['that daemon asks the model for it', times],
  ] as const) {
    const figures = [percentile(values, 0.5), percentile(values, 0.99), Math.max(...values)];
    console.log(`  ${name.padEnd(34)}${figures.map((each) => each.toFixed(0).padStart(9)).join('')}`);
  }
}

async function begin(
  daemon: DaemonProcess,
  kill: number,
  asked: Map<string, { count: number; again: () => void }>,
): Promise<void> {
  const run_id = `run_${kill}-${asked.size}-${Math.random().toString(36).slice(2)}`;
  asked.set(run_id, { count: 0, again: () => {} });
  const post = async (path: string, json: object) => {
    const answer = await daemon.fetch(path, { method: 'POST', json });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { session_id: string };
  };
  const { session_id } = await post('/api/v1/sessions', { profile_id: 'local/worker' });
  await post(`/api/v1/sessions/${session_id}/runs`, { run_id, instruction: `RUN ${run_id}.` });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
