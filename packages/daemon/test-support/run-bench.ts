import { FakeModelServer } from '@amplifier/testkit';
import type { StartOptions } from '../src/lifecycle/start-daemon.js';
import { runProfile } from './run-profile.js';
import { type Answer, TestDaemon } from './test-daemon.js';

/** A daemon in this process and a model that does what the instruction says. */
export class RunBench implements AsyncDisposable {
  readonly daemon: TestDaemon;
  readonly model: FakeModelServer;
  readonly #environment: Record<string, string>;

  private constructor(daemon: TestDaemon, model: FakeModelServer, environment: Record<string, string>) {
    this.daemon = daemon;
    this.model = model;
    this.#environment = environment;
  }

  static async start(
    flags: NonNullable<StartOptions['flags']> = {},
    environment: Record<string, string> = {},
  ): Promise<RunBench> {
    const model = await FakeModelServer.start();
    const daemon = await TestDaemon.start({}, { 'work/notes.md': 'Some notes.\n' });
    const bench = new RunBench(daemon, model, environment);
    await bench.restart(flags);
    const manifest = runProfile(model.url);
    const made = await daemon.post('/api/v1/profiles', { name: 'worker', manifest });
    if (made.status !== 201) throw new Error(made.text);
    return bench;
  }

  /** Stops the daemon as SIGTERM would, without patience for what runs, and starts it again on the same home. */
  async restart(flags: NonNullable<StartOptions['flags']> = {}): Promise<void> {
    const { daemon } = this;
    await daemon.restart({
      environment: { AMPLIFIERD_HOME: daemon.home, RUN_TEST_KEY: 'sk-run-test', ...this.#environment },
      flags: { shutdown_timeout_ms: 0, ...flags },
    });
  }

  session(body: object = {}): Promise<string> {
    const working_dir = this.daemon.workspace.resolve('work');
    return this.daemon.session({ profile_id: 'local/worker', working_dir, ...body });
  }

  run(session_id: string, instruction: string, body: object = {}): Promise<Answer> {
    return this.daemon.post(`/api/v1/sessions/${session_id}/runs`, { instruction, ...body });
  }

  async ended(session_id: string, run_id: string): Promise<Answer['body']> {
    return (await this.daemon.get(`/api/v1/sessions/${session_id}/runs/${run_id}?wait=60`)).body;
  }

  /** The first approval of a session or of those below it that waits for an answer, as soon as there is one. */
  async approval(session_id: string, skip: readonly string[] = []): Promise<Answer['body']> {
    for (;;) {
      const { body, status, text } = await this.daemon.get(
        `/api/v1/sessions/${session_id}/approvals?status=pending`,
      );
      if (status !== 200) throw new Error(text);
      const found = body.find((each: { approval_id: string }) => !skip.includes(each.approval_id));
      if (found) return found;
    }
  }

  answer(session_id: string, approval_id: string, body: object = { approved: true }): Promise<Answer> {
    return this.daemon.post(`/api/v1/sessions/${session_id}/approvals/${approval_id}/answer`, body);
  }

  /** The events of a session, by name. */
  async events(session_id: string): Promise<{ id: string; name: string; data: Record<string, unknown> }[]> {
    return (await this.daemon.get(`/api/v1/sessions/${session_id}/events?limit=1000`)).body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
  }
}
