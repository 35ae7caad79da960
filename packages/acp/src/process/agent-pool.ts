import type { Clock } from '@amplifier/core';
import { AgentProcess } from './agent-process.js';
import type { LaunchPlan } from './plan-launch.js';

export interface PoolOptions {
  /** Processes kept between turns; 0 keeps none. */
  size: number;
  idle_ms: number;
  clock: Clock;
}

interface Idle {
  key: string;
  process: AgentProcess;
  cancel: () => void;
}

/**
 * Keeps agents running between turns, so that the next one does not wait for a start. One is reused only for the very same agent,
 * settings, folder and rights. `close` ends them all.
 */
export class AgentPool implements AsyncDisposable {
  #options: PoolOptions;
  #idle: Idle[] = [];
  #ending = new Set<Promise<void>>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** A process that waits for such a launch, else a new one. */
  async acquire({ key, prepare }: LaunchPlan, signal: AbortSignal): Promise<AgentProcess> {
    for (;;) {
      const at = this.#idle.findLastIndex((idle) => idle.key === key);
      const [warm] = at === -1 ? [] : this.#idle.splice(at, 1);
      if (!warm) return AgentProcess.start(await prepare(), this.#options.clock, signal);
      warm.cancel();
      if (warm.process.isAlive) return warm.process;
      await this.#end(warm.process);
    }
  }

  /** Gives a process back. One that was left in the middle of something is not fit for another turn. */
  async release({ key }: LaunchPlan, process: AgentProcess, fit: boolean): Promise<void> {
    process.serve(null);
    const { size, idle_ms, clock } = this.#options;
    if (!fit || size === 0 || !process.isAlive) return this.#end(process);
    const idle: Idle = { key, process, cancel: () => {} };
    idle.cancel = clock.after(idle_ms, () => {
      this.#idle = this.#idle.filter((other) => other !== idle);
      void this.#end(process);
    });
    this.#idle.push(idle);
    // Not in the way of the answer that has just come.
    setImmediate(() => {
      if (this.#idle.includes(idle) && process.isAlive) process.openSpare(process.launch.view.cwd);
    });
    while (this.#idle.length > size) {
      const oldest = this.#idle.shift();
      oldest?.cancel();
      if (oldest) await this.#end(oldest.process);
    }
  }

  get size(): number {
    return this.#idle.length;
  }

  async close(): Promise<void> {
    const idle = this.#idle.splice(0);
    for (const { cancel, process } of idle) {
      cancel();
      void this.#end(process);
    }
    await Promise.all(this.#ending);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #end(process: AgentProcess): Promise<void> {
    const ending = process.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    return ending;
  }
}
