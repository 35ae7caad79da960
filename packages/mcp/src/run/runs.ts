import { MAX_RUNNING, REMEMBERED_RUNS } from '../defaults.js';
import { McpToolError } from '../mcp-error.js';
import type { Run } from './run.js';

/** The runs of this process: all that go on, and the last of those that have ended. */
export class Runs {
  #runs = new Map<string, Run>();

  get(run_id: string): Run | undefined {
    return this.#runs.get(run_id);
  }

  /** Oldest first. */
  live(): Run[] {
    return this.all().filter(({ result }) => result === null);
  }

  all(): Run[] {
    return [...this.#runs.values()];
  }

  /** Refuses when too many run already. */
  checkRoom(): void {
    const running = this.live().length;
    if (running < MAX_RUNNING) return;
    throw new McpToolError(
      'TOO_MANY_JOBS',
      `${running} delegations run already, and this server allows ${MAX_RUNNING}. Wait for one with wait_job, or cancel one.`,
    );
  }

  add(run: Run): void {
    this.#runs.delete(run.run_id);
    this.#runs.set(run.run_id, run);
    const ended = this.all().filter(({ result }) => result !== null);
    for (const { run_id } of ended.slice(0, Math.max(0, ended.length - REMEMBERED_RUNS)))
      this.#runs.delete(run_id);
  }

  /** The run a session belongs to, by the root of its tree. */
  ofSession(root_id: string): Run | undefined {
    return this.live().find(({ state }) => state.session?.session_id === root_id);
  }
}
