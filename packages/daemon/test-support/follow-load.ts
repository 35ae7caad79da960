import { mkdir, readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { FakeModelServer, VirtualClock } from '@amplifier/testkit';
import { expect } from 'vitest';
import { DaemonProcess } from './daemon-process.js';
import { runProfile } from './run-profile.js';

export interface FollowLoad {
  folder: string;
  followers: number;
  sessions: number;
  /** How often all sessions work, at the same time: the work, whatever the machine. */
  rounds: number;
  /** At least this long from one round to the next, so that the load is that of people and not of a race. */
  round_ms: number;
}

export interface FollowResult {
  runs: number;
  delivered: number;
  /** Resident megabytes of the daemon: at the highest point of the first tenth of the work, and after it. */
  settled_mb: number;
  highest_mb: number;
  /** Megabytes alive on its heap while nobody works: after the first tenth of the work, and after all of it. */
  first_live_mb: number;
  last_live_mb: number;
  seconds: number;
}

/** A raw connection that checks ids as they come: 1,000 of these must cost less than the daemon does. */
class Follower {
  readonly socket: Socket;
  readonly session_id: string;
  seen = 0;
  /** Runs it saw the end of. */
  ended = 0;
  wrong: string | undefined;
  #rest = '';
  #position = 0;
  #seq = 0;
  #changed: () => void;

  constructor({ url, token }: DaemonProcess, session_id: string, onChange: () => void) {
    this.session_id = session_id;
    this.#changed = onChange;
    const { hostname, port } = new URL(url);
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text: string) => this.#take(text));
    this.socket.on('error', (error) => {
      this.wrong ??= error.message;
    });
    this.socket.write(
      `GET /api/v1/sessions/${session_id}/events HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
    );
  }

  #take(text: string): void {
    const all = this.#rest + text;
    EVENT.lastIndex = 0;
    let end = 0;
    for (let found = EVENT.exec(all); found; found = EVENT.exec(all)) {
      const [, position, , seq] = found.map(Number) as [number, number, number, number];
      if (position <= this.#position) this.wrong ??= `${position} came after ${this.#position}`;
      this.#position = position;
      // Events of runs are not in the log of the session, and have no number there.
      if (found[3] !== 'null' && seq !== ++this.#seq)
        this.wrong ??= `event ${seq} came instead of ${this.#seq}`;
      this.seen++;
      end = EVENT.lastIndex;
      if (found[2] === 'run:ended') {
        this.ended++;
        this.#changed();
      }
    }
    // The beginning of an event may come in two pieces.
    this.#rest = all.slice(Math.max(end, all.length - 200));
  }
}

/** An event with its position and its number in the log; signals of the stream itself have no colon in their names. */
const EVENT = /^id: p(\d+)\nevent: ([a-z_]+:[a-z_]+)\ndata: \{"seq":(\d+|null),/gm;

/** Lets many follow while all sessions work at the same time, with one follower in twenty that stops reading in the middle. */
export async function followLoad(plan: FollowLoad): Promise<FollowResult> {
  const clock = new VirtualClock();
  // Whoever asks the model waits until all have asked: then every session is at work.
  await using model = await FakeModelServer.start({ clock, script: () => ({ sleep_ms: 1, text: 'Done.' }) });
  await using daemon = await DaemonProcess.start(join(plan.folder, 'home'), { RUN_TEST_KEY: 'sk-run-test' });
  const ids = await makeSessions(daemon, model.url, plan);
  let left = plan.followers;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const followers = Array.from({ length: plan.followers }, (_, at): Follower => {
    const follower: Follower = new Follower(daemon, ids[at % ids.length] as string, () => {
      if (follower.ended === plan.rounds && --left === 0) finish();
    });
    return follower;
  });
  const sleepers = followers.filter((_, at) => at % 20 === 0);
  const memory: number[] = [];
  const tenth = Math.ceil(plan.rounds / 10);
  let first_live_mb = 0;
  const started = performance.now();
  try {
    for (let round = 1; round <= plan.rounds; round++) {
      if (round === Math.ceil(plan.rounds / 3)) for (const { socket } of sleepers) socket.pause();
      const working = Promise.all(ids.map((id) => work(daemon, id)));
      await model.received(round * plan.sessions);
      await clock.advance(1);
      await working;
      memory.push(await residentMegabytes(daemon.pid));
      if (round === tenth) first_live_mb = await liveMegabytes(daemon);
      await pace(started + round * plan.round_ms);
    }
    for (const { socket } of sleepers) socket.resume();
    await finished;
  } finally {
    for (const { socket } of followers) socket.destroy();
  }
  for (const { wrong, ended, session_id } of followers)
    expect([session_id, wrong, ended]).toEqual([session_id, undefined, plan.rounds]);
  expect((await daemon.fetch('/healthz')).status).toBe(200);
  return {
    runs: plan.sessions * plan.rounds,
    delivered: followers.reduce((sum, { seen }) => sum + seen, 0),
    settled_mb: Math.max(...memory.slice(0, tenth)),
    highest_mb: Math.max(...memory.slice(tenth)),
    first_live_mb,
    last_live_mb: await liveMegabytes(daemon),
    seconds: (performance.now() - started) / 1_000,
  };
}

async function makeSessions(
  daemon: DaemonProcess,
  modelUrl: string,
  { folder, sessions }: FollowLoad,
): Promise<string[]> {
  const working_dir = join(folder, 'work');
  await mkdir(working_dir, { recursive: true });
  const profile = { name: 'worker', manifest: runProfile(modelUrl) };
  await post(daemon, '/api/v1/profiles', profile, 201);
  const ids = Array.from({ length: sessions }, (_, at) => `s-${at}`);
  for (const session_id of ids) {
    await post(daemon, '/api/v1/sessions', { profile_id: 'local/worker', session_id, working_dir }, 201);
  }
  return ids;
}

function work(daemon: DaemonProcess, session_id: string): Promise<void> {
  return post(daemon, `/api/v1/sessions/${session_id}/runs`, { instruction: 'Go on.', wait: 300 }, 200);
}

async function post(daemon: DaemonProcess, path: string, json: object, status: number): Promise<void> {
  const answer = await daemon.fetch(path, { method: 'POST', json });
  expect([answer.status, await answer.text()]).toEqual([status, expect.anything()]);
}

/** Keeps the load steady: this is not waiting for something to happen. */
async function pace(until: number): Promise<void> {
  const ms = until - performance.now();
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

async function liveMegabytes(daemon: DaemonProcess): Promise<number> {
  return Math.round((await daemon.liveHeap()) / 2 ** 20);
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
