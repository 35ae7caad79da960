import { mkdir } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import type { MountPlan } from '@amplifier/core';
import { deploymentProject, Host } from '@amplifier/host';
import { openRunQueue, openSessionStore } from '@amplifier/sessions';
import { FakeModelServer } from '@amplifier/testkit';
import { DaemonProcess } from '../../packages/daemon/test-support/daemon-process.js';
import { goalModel, instructionOf } from '../../packages/daemon/test-support/goal-model.js';
import { runProfile } from '../../packages/daemon/test-support/run-profile.js';
import { send } from './http-load.js';
import { isSmoke, percentile } from './measure.js';

const RUNS = isSmoke ? 3 : 60;
/** A conversation that grows makes every turn dearer, for both alike. */
const PER_SESSION = 10;
const TASKS: [name: string, instruction: string][] = [
  ['one turn', instructionOf({ name: 'turn' })],
  [
    'a turn that waits for two children',
    instructionOf({ name: 'root', children: [{ name: 'a' }, { name: 'b' }] }),
  ],
];

/** What a run over REST costs beside the same turn on the Delegator itself: same plan, same scripted model, in turns. */
export async function measureRunOverhead(folder: string): Promise<void> {
  await using model = await FakeModelServer.start({ script: goalModel });
  process.env.RUN_TEST_KEY = 'sk-run-test';
  await mkdir(join(folder, 'work'), { recursive: true });
  await using daemon = await DaemonProcess.start(join(folder, 'home'), { RUN_TEST_KEY: 'sk-run-test' });
  const rest = await restRunner(daemon, model.url, join(folder, 'work'));
  await using direct = await directRunner(rest.plan, folder);
  console.log('\nA run over REST, waited for, beside the same turn on the Delegator in this process');
  console.log(
    `  ${''.padEnd(36)}${['REST ms', 'direct ms', 'more ms', 'ratio'].map((each) => each.padStart(11)).join('')}`,
  );
  for (const [name, instruction] of TASKS) {
    const times: { rest: number[]; direct: number[] } = { rest: [], direct: [] };
    for (let run = -2; run < RUNS; run++) {
      const a = await time(() => rest.run(instruction));
      const b = await time(() => direct.run(instruction));
      if (run < 0) continue;
      times.rest.push(a);
      times.direct.push(b);
    }
    const [a, b] = [percentile(times.rest, 0.5), percentile(times.direct, 0.5)];
    console.log(
      `  ${name.padEnd(36)}${[a, b, a - b, a / b].map((each) => each.toFixed(2).padStart(11)).join('')}`,
    );
    model.exchanges.length = 0;
  }
  rest.close();
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Runs over REST on the real program. Also says what plan its sessions run by. */
async function restRunner(daemon: DaemonProcess, modelUrl: string, working_dir: string) {
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object) =>
    JSON.parse(await send(daemon.url, { method: 'POST', path, headers, body: JSON.stringify(body) }, agent));
  await post('/api/v1/profiles', { name: 'worker', manifest: runProfile(modelUrl) });
  const create = async (): Promise<string> =>
    (await post('/api/v1/sessions', { profile_id: 'local/worker', working_dir })).session_id;
  const first = await create();
  const path = `/api/v1/mount-plans/${first}?format=core`;
  const plan: MountPlan = JSON.parse(await send(daemon.url, { method: 'GET', path, headers }, agent));
  let runs = 0;
  let session_id = first;
  return {
    plan,
    async run(instruction: string): Promise<void> {
      if (++runs % PER_SESSION === 0) session_id = await create();
      const run = await post(`/api/v1/sessions/${session_id}/runs`, { instruction, wait: 60 });
      if (run.status !== 'completed') throw new Error(JSON.stringify(run));
    },
    close: () => agent.destroy(),
  };
}

/** Turns on a Delegator of this process, with the same store, the same modules and the same plan. */
async function directRunner(plan: MountPlan, folder: string) {
  const store = await openSessionStore(join(folder, 'direct.db'));
  const queue = await openRunQueue(join(folder, 'direct.db'));
  const places = {
    home: folder,
    record: join(folder, 'direct.db'),
    cache: join(folder, 'cache'),
    logs: join(folder, 'log'),
    trees: join(folder, 'trees'),
  };
  const host = await Host.open(deploymentProject(places, { environment: process.env, report: () => {} }), {
    record: { store, queue },
    withoutTimeout: true,
    onQuestion: () => {},
  });
  const setting = { cwd: join(folder, 'work'), trusted: true, safety_mode: 'write' as const, homes: [] };
  const create = async (): Promise<string> => {
    const log = await store.create();
    await log.close();
    await host.adopt(log.session_id, async () => ({ plan, setting }));
    return log.session_id;
  };
  let runs = 0;
  let session_id = await create();
  return {
    async run(instruction: string): Promise<void> {
      if (++runs % PER_SESSION === 0) session_id = await create();
      const { outcome } = await host.delegator.resume(session_id, instruction);
      if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
    },
    async [Symbol.asyncDispose]() {
      await host.close();
      await queue.close();
      await store.close();
    },
  };
}
