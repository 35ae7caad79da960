import { mkdir } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { pino } from 'pino';
import { type Daemon, type StartOptions, startDaemon } from '../src/lifecycle/start-daemon.js';

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test looks at
  body: any;
  text: string;
}

export interface CallOptions {
  headers?: Record<string, string>;
  /** Sent as it is, instead of JSON. */
  raw?: string;
}

/** A daemon in this process, on a home of its own, with lines of its log at hand. */
export class TestDaemon implements AsyncDisposable {
  readonly workspace: TempWorkspace;
  readonly log: string[] = [];
  #daemon: Daemon | undefined;

  private constructor(workspace: TempWorkspace) {
    this.workspace = workspace;
  }

  static async start(
    options: Partial<StartOptions> = {},
    files: Record<string, string> = {},
  ): Promise<TestDaemon> {
    const test = new TestDaemon(await TempWorkspace.create(files));
    await test.restart(options);
    return test;
  }

  /** The server of a user, with that user's home, whose sessions need no model. */
  static async startForUser(files: Record<string, string> = {}): Promise<TestDaemon> {
    const test = new TestDaemon(await TempWorkspace.create(files));
    await test.restart({
      users: true,
      offline: true,
      environment: { AMPLIFIER_HOME: test.home, HOME: test.workspace.path, PATH: process.env.PATH },
    });
    return test;
  }

  async restart(options: Partial<StartOptions> = {}): Promise<void> {
    await this.#daemon?.stop();
    await mkdir(this.work, { recursive: true });
    const logger = pino({ level: 'info' }, { write: (line: string) => this.log.push(line) });
    this.#daemon = await startDaemon({
      cwd: this.work,
      environment: { AMPLIFIERD_HOME: this.home },
      logger,
      ...options,
      flags: { port: 0, ...options.flags },
    });
    await this.#daemon.ready;
  }

  /** Where it is started, and sessions work that name no folder. */
  get work(): string {
    return this.workspace.resolve('work');
  }

  get home(): string {
    return this.workspace.resolve('home');
  }

  get record(): string {
    return this.daemon.home.record;
  }

  get daemon(): Daemon {
    if (!this.#daemon) throw new Error('The daemon is not running.');
    return this.#daemon;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    { headers = {}, raw }: CallOptions = {},
  ): Promise<Answer> {
    const { url, token } = this.daemon;
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined && raw === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(raw !== undefined ? { body: raw } : body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson =
      /json/.test(response.headers.get('content-type') ?? '') &&
      !/ndjson/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : null,
    };
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, undefined, options);
  }

  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    return this.call('POST', path, body, options);
  }

  /** A new session of the profile `foundation/base`. */
  async session(body: object = {}): Promise<string> {
    const created = await this.post('/api/v1/sessions', { profile_id: 'foundation/base', ...body });
    if (created.status !== 201) throw new Error(created.text);
    return created.body.session_id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon?.stop();
    await this.workspace[Symbol.asyncDispose]();
  }
}
