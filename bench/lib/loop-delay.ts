import { mkdir } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FakeModelServer } from '@amplifier/testkit';
import { DaemonProcess } from '../../packages/daemon/test-support/daemon-process.js';
import { runProfile } from '../../packages/daemon/test-support/run-profile.js';
import { send } from './http-load.js';
import { isSmoke } from './measure.js';

const SESSIONS = isSmoke ? 3 : 200;
/** As long as a model takes to answer; every session has a run at each moment. */
const ANSWER_MS = isSmoke ? 10 : 5_000;
const SECONDS = isSmoke ? 0.1 : 20;

/** How late the daemon's event loop is while many sessions are at work: one run after the other in each, begun at different times. */
export async function measureLoopDelay(folder: string): Promise<void> {
  await using model = await FakeModelServer.start({ script: () => ({ sleep_ms: ANSWER_MS, text: 'Done.' }) });
  const working_dir = join(folder, 'work');
  await mkdir(working_dir, { recursive: true });
  await using daemon = await DaemonProcess.start(join(folder, 'home'), { RUN_TEST_KEY: 'sk-run-test' });
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object) =>
    JSON.parse(await send(daemon.url, { method: 'POST', path, headers, body: JSON.stringify(body) }, agent));
  await post('/api/v1/profiles', { name: 'worker', manifest: runProfile(model.url) });
  let runs = 0;
  let isOver = false;
  const work = async (at: number) => {
    const { session_id } = await post('/api/v1/sessions', { profile_id: 'local/worker', working_dir });
    await pause((ANSWER_MS * at) / SESSIONS);
    while (!isOver) {
      const run = await post(`/api/v1/sessions/${session_id}/runs`, { instruction: 'Go on.', wait: 60 });
      if (run.status !== 'completed') throw new Error(JSON.stringify(run));
      runs++;
    }
  };
  const working = Promise.all(Array.from({ length: SESSIONS }, (_, at) => work(at)));
  await pause(ANSWER_MS * 2);
  await daemon.loopDelay();
  runs = 0;
  await pause(SECONDS * 1_000);
  const rate = Math.round(runs / SECONDS);
  const { p50, p99, max } = await daemon.loopDelay();
  isOver = true;
  await working;
  agent.destroy();
  const late = [p50, p99, max].map((ms) => ms.toFixed(1).padStart(11)).join('');
  console.log(
    `\n${SESSIONS} sessions at work, ${rate} runs a second: how late the event loop is (target 20 ms at p99)`,
  );
  console.log(
    `  ${''.padEnd(36)}${['p50 ms', 'p99 ms', 'max ms'].map((each) => each.padStart(11)).join('')}`,
  );
  console.log(`  ${'the daemon'.padEnd(36)}${late}`);
}
