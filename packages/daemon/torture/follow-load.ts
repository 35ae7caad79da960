import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { DaemonProcess } from './daemon-process.js';

export interface FollowLoad {
  home: string;
  followers: number;
  sessions: number;
  /** Changes of each session: the work, whatever the machine. */
  changes: number;
  /** Changes of all sessions together per second, so that the load is that of people and not of a race. */
  per_second: number;
}

export interface FollowResult {
  events: number;
  delivered: number;
  /** Resident megabytes of the daemon: after the first tenth of the work, and at the highest point after it. */
  settled_mb: number;
  highest_mb: number;
  seconds: number;
}

/** A raw connection that checks ids as they come: 1,000 of these must cost less than the daemon does. */
class Follower {
  readonly socket: Socket;
  readonly session_id: string;
  seen = 0;
  wrong: string | undefined;
  #rest = '';
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
    let at = 0;
    for (
      let found = all.indexOf('\nevent: session:', at);
      found >= 0;
      found = all.indexOf('\nevent: session:', at)
    ) {
      const line = all.lastIndexOf('id: ', found);
      const id = Number(all.slice(line + 4, found));
      if (id !== this.seen + 1) this.wrong ??= `${id} came after ${this.seen}`;
      this.seen = id;
      at = found + 1;
      this.#changed();
    }
    // An id and the beginning of its event may come in two pieces.
    this.#rest = all.slice(Math.max(at, all.length - 100));
  }
}

/** Lets many follow while many sessions change, with one follower in twenty that stops reading in the middle. */
export async function followLoad(plan: FollowLoad): Promise<FollowResult> {
  await using daemon = await DaemonProcess.start(plan.home);
  const ids = Array.from({ length: plan.sessions }, (_, at) => `s-${at}`);
  for (const session_id of ids) {
    const json = { profile_id: 'foundation/base', session_id };
    expect((await daemon.fetch('/api/v1/sessions', { method: 'POST', json })).status).toBe(201);
  }
  const total = plan.changes + 1;
  let left = plan.followers;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const followers = Array.from({ length: plan.followers }, (_, at): Follower => {
    const follower: Follower = new Follower(daemon, ids[at % ids.length] as string, () => {
      if (follower.seen === total && --left === 0) finish();
    });
    return follower;
  });
  const sleepers = followers.filter((_, at) => at % 20 === 0);
  const memory: number[] = [];
  const started = performance.now();
  try {
    for (let round = 1; round <= plan.changes; round++) {
      if (round === Math.ceil(plan.changes / 3)) for (const { socket } of sleepers) socket.pause();
      await changeAll(daemon, ids, round);
      memory.push(await megabytes(daemon.pid));
      await pace(started + (round * plan.sessions * 1_000) / plan.per_second);
    }
    for (const { socket } of sleepers) socket.resume();
    await finished;
  } finally {
    for (const { socket } of followers) socket.destroy();
  }
  for (const { wrong, seen, session_id } of followers)
    expect([session_id, wrong, seen]).toEqual([session_id, undefined, total]);
  expect((await daemon.fetch('/healthz')).status).toBe(200);
  const tenth = Math.ceil(memory.length / 10);
  return {
    events: plan.sessions * total,
    delivered: plan.followers * total,
    settled_mb: Math.max(...memory.slice(0, tenth)),
    highest_mb: Math.max(...memory.slice(tenth)),
    seconds: (performance.now() - started) / 1_000,
  };
}

const LANES = 16;

async function changeAll(daemon: DaemonProcess, ids: readonly string[], round: number): Promise<void> {
  const waiting = ids.values();
  const lane = async () => {
    for (const id of waiting) {
      const answer = await daemon.fetch(`/api/v1/sessions/${id}`, {
        method: 'PATCH',
        json: { name: `name ${round}` },
      });
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Keeps the load steady: this is not waiting for something to happen. */
async function pace(until: number): Promise<void> {
  const ms = until - performance.now();
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

async function megabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
