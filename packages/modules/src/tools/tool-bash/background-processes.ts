import type { ProcessEnd, ProcessOptions, RunningProcess } from '@amplifier/workspace';
import { BACKGROUND_OUTPUT_BYTES } from '../defaults.js';
import { ToolError } from '../tool-error.js';

type OnOutput = NonNullable<ProcessOptions['onOutput']>;

export interface BackgroundProcess {
  readonly id: string;
  readonly pid: number;
  readonly command: string;
  readonly running: RunningProcess;
  /** What it wrote since it was last read. */
  readonly output: RecentOutput;
  /** Null while it runs. */
  end: ProcessEnd | null;
}

/** The background processes of one session, from their start until they were ended and their ending was read. */
export class BackgroundProcesses {
  #limit: number;
  #started = 0;
  #all = new Map<string, BackgroundProcess>();
  #closed = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async start(
    command: string,
    start: (onOutput: OnOutput) => Promise<RunningProcess>,
  ): Promise<BackgroundProcess> {
    const alive = this.list().filter(({ end }) => end === null).length;
    if (alive >= this.#limit)
      throw new ToolError(
        'LIMIT_REACHED',
        `${alive} processes already run in the background, the most there may be. End one with bash_process first.`,
      );
    const output = new RecentOutput(BACKGROUND_OUTPUT_BYTES);
    const running = await start((_stream, chunk) => output.add(chunk));
    const process: BackgroundProcess = {
      id: `bash_${++this.#started}`,
      pid: running.pid,
      command,
      running,
      output,
      end: null,
    };
    this.#all.set(process.id, process);
    void running.done.then((end) => {
      process.end = end;
    });
    // The session was taken down while this one was starting.
    if (this.#closed) await running.stop('now');
    return process;
  }

  list(): BackgroundProcess[] {
    return [...this.#all.values()];
  }

  get(id: string): BackgroundProcess {
    const process = this.#all.get(id);
    if (process) return process;
    const known = [...this.#all.keys()].join(', ') || 'none';
    throw new ToolError('NOT_FOUND', `There is no background process '${id}'. There are: ${known}.`);
  }

  async stopAll(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.list().map(({ running }) => running.stop('now')));
  }
}

/** Keeps the last bytes of a stream until they are taken, and counts those it had to let go. */
class RecentOutput {
  #limit: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #dropped = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes > this.#limit) {
      const [first = Buffer.alloc(0)] = this.#chunks;
      const excess = Math.min(first.length, this.#bytes - this.#limit);
      if (excess === first.length) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(excess);
      this.#bytes -= excess;
      this.#dropped += excess;
    }
  }

  take(): string {
    const text = Buffer.concat(this.#chunks.splice(0)).toString('utf8');
    const dropped = this.#dropped;
    this.#bytes = 0;
    this.#dropped = 0;
    return dropped === 0
      ? text
      : `[${dropped} bytes before this were not kept]\n${text.replace(/^\uFFFD+/, '')}`;
  }
}
