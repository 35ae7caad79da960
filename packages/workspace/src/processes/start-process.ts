import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { systemClock } from '@amplifier/core';
import { DRAIN_MS, OUTPUT_MEMORY_BYTES, OUTPUT_SPILL_BYTES } from '../defaults.js';
import { errnoOf } from '../workspace-error.js';
import { BoundedOutput, type CollectedOutput } from './bounded-output.js';
import { type RunningTree, type StartOptions, startTree, type TreeEnd } from './start-tree.js';

export interface ProcessOptions extends StartOptions {
  /** Given to the command as its input, which then ends. Absent: no input at all. */
  input?: string | Uint8Array | undefined;
  /** Ends the tree after this long. Null or absent: never. */
  timeoutMs?: number | null | undefined;
  /** Kept in memory of each stream. */
  memoryBytes?: number | undefined;
  /** A folder of the caller for output that does not fit in memory. Absent: what does not fit is dropped. */
  spillFolder?: string | undefined;
  /** The largest spill file. */
  spillBytes?: number | undefined;
  /** Called with output as it comes. Must not throw. */
  onOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void) | undefined;
}

/** How a command ended, whatever it did: this is data, and none of it is an error of ours. */
export interface ProcessEnd extends TreeEnd {
  /** `exited`: by itself, or by a signal that was not ours. */
  ended: 'exited' | 'timeout' | 'cancelled' | 'killed';
  stdout: CollectedOutput;
  stderr: CollectedOutput;
  duration_ms: number;
  /** What the grant asked for and did not hold for this command, one sentence each. */
  unenforced: readonly string[];
}

export interface RunningProcess {
  readonly pid: number;
  /** Resolves when the command has ended, everything it started is gone and its output is collected. Never rejects. */
  readonly done: Promise<ProcessEnd>;
  /** Ends the tree: politely first, or at once with `now`. Resolves with `done`. */
  stop(now?: 'now'): Promise<ProcessEnd>;
}

/**
 * Starts a command under a grant and collects its output in bounded memory. Throws `WorkspaceError` when the grant forbids it
 * or it cannot be started; from then on everything is told by `done`.
 */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const { clock = systemClock, timeoutMs = null, signal } = options;
  const startedAt = clock.now();
  const tree = await startTree(options);
  tree.stdin.end(options.input);
  let ended: ProcessEnd['ended'] = 'exited';
  const stop = (reason: ProcessEnd['ended'], now?: 'now') => {
    if (ended === 'exited') ended = reason;
    void (now ? tree.kill() : tree.end());
  };
  const cancelTimeout = timeoutMs === null ? () => {} : clock.after(timeoutMs, () => stop('timeout'));
  const onAbort = () => stop('cancelled');
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });

  const collected = Promise.all([collect('stdout', tree, options), collect('stderr', tree, options)]);
  const finish = async (): Promise<ProcessEnd> => {
    const end = await tree.ended;
    cancelTimeout();
    signal?.removeEventListener('abort', onAbort);
    const cancelDrain = clock.after(DRAIN_MS, () => {
      tree.stdout.destroy();
      tree.stderr.destroy();
    });
    const [stdout, stderr] = await collected;
    cancelDrain();
    const duration_ms = clock.now() - startedAt;
    return { ...end, ended, stdout, stderr, duration_ms, unenforced: tree.unenforced };
  };
  const done = finish();
  return {
    pid: tree.pid,
    done,
    stop(now) {
      stop('killed', now);
      return done;
    },
  };
}

async function collect(
  name: 'stdout' | 'stderr',
  tree: RunningTree,
  options: ProcessOptions,
): Promise<CollectedOutput> {
  const { memoryBytes = OUTPUT_MEMORY_BYTES, spillBytes = OUTPUT_SPILL_BYTES, spillFolder } = options;
  const output = new BoundedOutput({
    memoryBytes,
    spillBytes,
    spillFile: spillFolder && join(spillFolder, `${tree.id}.${name}`),
  });
  for await (const chunk of untilDestroyed(tree[name])) {
    options.onOutput?.(name, chunk);
    await output.push(chunk);
  }
  return output.close();
}

/** A stream that somebody else keeps open is destroyed by us; that is an end like any other. */
async function* untilDestroyed(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    if (errnoOf(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
