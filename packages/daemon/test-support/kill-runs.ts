import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FakeModelServer, seededRandom } from '@amplifier/testkit';
import { expect, vi } from 'vitest';
import { DaemonProcess } from './daemon-process.js';
import { goalModel, instructionOf, type Task } from './goal-model.js';
import { runProfile } from './run-profile.js';
import {
  allEvents,
  Broken,
  get,
  type KnownRun,
  type Ledger,
  type Server,
  verify,
  verifyTold,
} from './verify-runs.js';
import { WebhookReceiver } from './webhook-receiver.js';

export interface KillRunsPlan {
  /** A folder of its own. */
  folder: string;
  kills: number;
  seed: number;
}

const LANES = 4;
/** Runs that are not known to have ended; more are not sent, so that the daemon gets on. */
const MAX_OPEN = 12;
const SESSIONS = 6;
const PATIENCE = { timeout: 60_000, interval: 500 };
const ENVIRONMENT = {
  RUN_TEST_KEY: 'sk-run-test',
  AMPLIFIERD_RUNS: '{ on_restart: continue }',
  AMPLIFIERD_APPROVALS: '{ on_timeout: leave }',
  AMPLIFIERD_ALLOW_PRIVATE_WEBHOOKS: 'true',
};

/**
 * Lets clients run, delegate, cancel and answer, kills the daemon at random moments, and then looks whether everything that was
 * acknowledged was done, and nothing twice.
 */
export async function killRuns({ folder, kills, seed }: KillRunsPlan) {
  const random = seededRandom(seed);
  const ledger: Ledger = { sessions: [], runs: new Map(), answers: new Map() };
  const load = new Load(ledger, random, folder);
  await using model = await FakeModelServer.start({
    script: (exchange) => {
      load.tick();
      return goalModel(exchange);
    },
  });
  await using receiver = await WebhookReceiver.start();
  await mkdir(join(folder, 'work'), { recursive: true });
  let daemon = await start(folder);
  let told = 0;
  try {
    const made = await daemon.fetch('/api/v1/profiles', {
      method: 'POST',
      json: { name: 'worker', manifest: runProfile(model.url) },
    });
    expect(made.status).toBe(201);
    const hook = await daemon.fetch('/api/v1/webhooks', { method: 'POST', json: { url: receiver.url } });
    receiver.secret = ((await hook.json()) as { secret: string }).secret;
    for (let kill = 0; kill < kills; kill++) {
      await load.untilKilled(daemon, 1 + Math.floor(random() * 60));
      daemon = await start(folder);
    }
    await load.drain(daemon);
    await verify(daemon, ledger);
    told = await verifyTold(daemon, ledger, receiver);
    expect(await daemon.stop()).toBe(0);
  } finally {
    await daemon.kill();
  }
  const acknowledged = [...ledger.runs.values()].filter((run) => run.acknowledged).length;
  return { runs: acknowledged, answers: ledger.answers.size, told };
}

function start(folder: string): Promise<DaemonProcess> {
  return DaemonProcess.start(join(folder, 'home'), ENVIRONMENT);
}

/** Clients at work until the daemon is killed under them. */
export class Load {
  readonly #ledger: Ledger;
  readonly #random: () => number;
  readonly #folder: string;
  readonly #lanes: number;
  #left = Number.POSITIVE_INFINITY;
  #kill: (() => void) | null = null;
  #serial = 0;

  /** `lanes`: clients at work at once. */
  constructor(ledger: Ledger, random: () => number, folder: string, lanes = LANES) {
    this.#ledger = ledger;
    this.#random = random;
    this.#folder = folder;
    this.#lanes = lanes;
  }

  /** Something happened: the daemon asked the model, or a client got an answer. */
  tick(): void {
    if (--this.#left === 0) this.#kill?.();
  }

  async untilKilled(daemon: DaemonProcess, ticks: number): Promise<void> {
    let killed: Promise<void> | undefined;
    this.#kill = () => {
      killed = daemon.kill();
    };
    this.#left = ticks;
    const lane = async (): Promise<void> => {
      while (!killed) {
        try {
          await this.#step(daemon);
        } catch (error) {
          // The connection broke because of the kill; anything else is a failure of the test.
          if (!killed) throw error;
        }
        this.tick();
      }
    };
    await Promise.all(Array.from({ length: this.#lanes }, lane));
    await killed;
    this.#kill = null;
  }

  /** Clients at work until `isOver`. What fails because something is broken at the moment is passed over. */
  async during(server: Server, isOver: () => boolean): Promise<void> {
    const lane = async (): Promise<void> => {
      while (!isOver()) {
        await this.#step(server).catch(unlessBroken);
        this.tick();
      }
    };
    await Promise.all(Array.from({ length: this.#lanes }, lane));
  }

  /** Sends again what was not acknowledged, answers everything, and waits until every run has ended. */
  async drain(daemon: Server): Promise<void> {
    for (const [run_id, run] of this.#ledger.runs)
      if (!run.acknowledged) await this.#send(daemon, run_id, run);
    for (const [run_id, run] of this.#ledger.runs) {
      const { status } = await this.#untilEnded(daemon, run.session_id, run_id);
      if (status !== 'interrupted') continue;
      const again = `${run_id}-again`;
      const path = `/api/v1/sessions/${run.session_id}/runs/${run_id}/continue`;
      const answer = await daemon.fetch(path, { method: 'POST', json: { run_id: again } });
      await answer.arrayBuffer();
      // Something else may have been said to the session since; then it stays as it is.
      if (answer.status === 409) run.cancelled = true;
      else {
        run.continued = again;
        await this.#untilEnded(daemon, run.session_id, again);
      }
    }
    // One that was taken out of the line while another daemon had its session is written down a little later.
    await vi.waitFor(async () => {
      const ended = new Set<string | undefined>();
      for (const session_id of this.#ledger.sessions)
        for (const { name, data } of await allEvents(daemon, session_id))
          if (name === 'run:ended') ended.add(data.run_id);
      const untold = [...this.#ledger.runs.keys()].filter((run_id) => !ended.has(run_id));
      expect(untold, 'runs whose end is in no log').toEqual([]);
    }, PATIENCE);
  }

  async #untilEnded(daemon: Server, session_id: string, run_id: string): Promise<{ status: string }> {
    for (;;) {
      await this.#answer(daemon);
      const run = await get(daemon, `/api/v1/sessions/${session_id}/runs/${run_id}`);
      if (run.ended_at !== null) return run;
    }
  }

  async #step(daemon: Server): Promise<void> {
    const { sessions } = this.#ledger;
    const kind = this.#random();
    if (sessions.length < SESSIONS) return this.#createSession(daemon);
    if (kind < 0.35 && (await this.#mayRun(daemon)))
      return this.#newRun(daemon, kind < 0.25 ? 'turn' : 'delegate');
    if (kind < 0.4) return this.#cancel(daemon);
    if (kind < 0.45) return this.#resend(daemon);
    return this.#answer(daemon);
  }

  async #createSession(daemon: Server): Promise<void> {
    const session_id = `s-${++this.#serial}-${this.#number()}`;
    const json = { profile_id: 'local/worker', session_id, working_dir: join(this.#folder, 'work') };
    const answer = await daemon.fetch('/api/v1/sessions', { method: 'POST', json });
    expect(answer.status, await answer.text()).toBe(201);
    this.#ledger.sessions.push(session_id);
  }

  async #mayRun(daemon: Server): Promise<boolean> {
    const open = await get(daemon, `/api/v1/runs?status=queued,running&limit=${MAX_OPEN}`);
    return open.length < MAX_OPEN;
  }

  async #newRun(daemon: Server, kind: KnownRun['kind']): Promise<void> {
    const run_id = `run_${++this.#serial}-${this.#number()}`;
    const run: KnownRun = {
      session_id: this.#pick(this.#ledger.sessions),
      task: this.#task(run_id, kind),
      kind,
      acknowledged: false,
      cancelled: false,
    };
    this.#ledger.runs.set(run_id, run);
    await this.#send(daemon, run_id, run);
  }

  async #send(daemon: Server, run_id: string, run: KnownRun): Promise<void> {
    const { session_id, kind, task } = run;
    const json = { run_id, instruction: instructionOf(task) };
    const delegate = { ...json, agent: 'scribe', context_depth: 'none' };
    const answer = await daemon.fetch(
      `/api/v1/sessions/${session_id}/${kind === 'turn' ? 'runs' : 'delegate'}`,
      {
        method: 'POST',
        json: kind === 'turn' ? json : delegate,
      },
    );
    expect([200, 202], await answer.text()).toContain(answer.status);
    run.acknowledged = true;
  }

  async #resend(daemon: Server): Promise<void> {
    const unsure = [...this.#ledger.runs].filter(([, run]) => !run.acknowledged);
    const [chosen] = unsure;
    if (chosen) await this.#send(daemon, ...chosen);
  }

  async #cancel(daemon: Server): Promise<void> {
    const runs = [...this.#ledger.runs].filter(([, run]) => run.acknowledged);
    const chosen = runs[Math.floor(this.#random() * runs.length)];
    if (!chosen) return;
    const [run_id, run] = chosen;
    run.cancelled = true;
    const answer = await daemon.fetch(`/api/v1/sessions/${run.session_id}/runs/${run_id}/cancel`, {
      method: 'POST',
      json: { mode: this.#random() < 0.5 ? 'graceful' : 'immediate' },
    });
    expect([200, 202, 409], await answer.text()).toContain(answer.status);
  }

  async #answer(daemon: Server): Promise<void> {
    const [pending] = await get(daemon, '/api/v1/approvals?limit=1');
    if (!pending) return;
    const { session_id, approval_id } = pending;
    const answer = await daemon.fetch(`/api/v1/sessions/${session_id}/approvals/${approval_id}/answer`, {
      method: 'POST',
      json: { approved: true },
    });
    expect([200, 409], await answer.text()).toContain(answer.status);
    if (answer.status !== 200) return;
    expect(this.#ledger.answers.has(approval_id), `${approval_id} was answered twice`).toBe(false);
    this.#ledger.answers.set(approval_id, session_id);
  }

  #task(name: string, kind: KnownRun['kind']): Task {
    const children = kind === 'turn' ? [0, 1].filter(() => this.#random() < 0.5) : [];
    return {
      name,
      children: children.map((at) => ({
        name: `${name}-c${at}`,
        files: this.#random() < 0.5 ? [`${name}-c${at}`] : [],
      })),
      files: this.#random() < 0.4 ? [name] : [],
    };
  }

  #number(): string {
    return Math.floor(this.#random() * 2 ** 40).toString(36);
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)] as T;
  }
}

function unlessBroken(error: unknown): void {
  if (!(error instanceof Broken)) throw error;
}
