import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, sleep, systemClock } from './clock.js';
import { isJudgeable, type Liveness, ProcessIdentity, systemLiveness } from './process-identity.js';

export interface FileLockOptions {
  /** How long to wait for another holder. */
  wait_ms: number;
  /** A holder that cannot be judged from here, such as one in another container, loses a lock that it has not renewed for so long. */
  stale_ms: number;
  clock?: Clock | undefined;
  liveness?: Liveness | undefined;
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/**
 * Acquires the lock `<file>.lock`; null if another process or another caller in this one still holds it after `wait_ms`. The lock of a
 * process that has died is taken over. Dispose of the result to release it. Adds no signal or exit listeners.
 */
export async function acquireFileLock(
  file: string,
  { wait_ms, stale_ms, clock = systemClock, liveness = systemLiveness }: FileLockOptions,
): Promise<AsyncDisposable | null> {
  const lock = `${file}.lock`;
  const content = JSON.stringify({ id: randomUUID(), holder: liveness.self });
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const end = clock.now() + wait_ms;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.2, LONGEST_PAUSE_MS)) {
    const handle = await create(lock, content);
    if (handle) return held(lock, content, handle, stale_ms);
    if (await isAbandoned()) await takeOver();
    else if (clock.now() >= end) return null;
    else await sleep(clock, pause);
  }

  async function isAbandoned(): Promise<boolean> {
    const holder = holderIn(await contentOf(lock));
    if (holder && isJudgeable(holder, liveness.self)) return !liveness.isAlive(holder);
    // After the content: if the lock has changed hands since, this is the time of the new one.
    const found = await stat(lock).catch(missing);
    return found !== null && found.mtimeMs < Date.now() - stale_ms;
  }

  /** One process at a time removes an abandoned lock, so that none removes the lock of its successor. */
  async function takeOver(): Promise<void> {
    const guard = `${lock}.takeover`;
    try {
      await mkdir(guard);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      const age = Date.now() - ((await stat(guard).catch(missing))?.mtimeMs ?? Date.now());
      if (age > stale_ms) await rmdir(guard).catch(missing);
      else await sleep(clock, FIRST_PAUSE_MS);
      return;
    }
    try {
      if (await isAbandoned()) await rm(lock, { recursive: true, force: true });
    } finally {
      await rmdir(guard).catch(missing);
    }
  }
}

/** Null if it exists. */
async function create(lock: string, content: string): Promise<FileHandle | null> {
  let handle: FileHandle;
  try {
    handle = await open(lock, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return null;
    throw error;
  }
  try {
    await handle.writeFile(content);
    return handle;
  } catch (error) {
    await handle.close();
    await rm(lock, { force: true });
    throw error;
  }
}

function held(lock: string, content: string, handle: FileHandle, stale_ms: number): AsyncDisposable {
  // Through the handle: a lock that was taken over is not renewed for its new holder.
  let renewal: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    const now = new Date();
    renewal = handle.utimes(now, now).catch(() => {});
  }, stale_ms / 3).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await renewal;
      await handle.close();
      if ((await contentOf(lock)) === content) await rm(lock, { force: true });
    },
  };
}

/** Null if there is none, or if it is a folder, as earlier versions made it. */
function contentOf(lock: string): Promise<string | null> {
  return readFile(lock, 'utf8').catch((error) => (codeOf(error) === 'EISDIR' ? null : missing(error)));
}

/** Null for a lock that is still being written. */
function holderIn(content: string | null): ProcessIdentity | null {
  try {
    const { holder } = JSON.parse(content ?? '{}') as { holder?: unknown };
    return ProcessIdentity.safeParse(holder).data ?? null;
  } catch {
    return null;
  }
}

function missing(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
