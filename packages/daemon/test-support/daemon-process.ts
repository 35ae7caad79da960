import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../cli/dist/amplifierd.js', import.meta.url));
const REPORT_HEAP = new URL('./report-heap.mjs', import.meta.url).href;

/** The real program, started on a home and any free port. */
export class DaemonProcess implements AsyncDisposable {
  readonly url: string;
  readonly token: string;
  pid: number;
  readonly home: string;
  /** What it printed before it listened. */
  readonly greeting: readonly string[];
  readonly #child: ChildProcess;

  private constructor(
    child: ChildProcess,
    home: string,
    url: string,
    token: string,
    greeting: readonly string[],
  ) {
    this.home = home;
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.url = url;
    this.token = token;
    this.greeting = greeting;
  }

  /** `diskBytes`: its home is on a separate disk of this size, empty at first. `openFiles`: its limit of open files. */
  static async start(
    home: string,
    environment: Record<string, string> = {},
    { ready = true, diskBytes = 0, port = 0, openFiles = 0 } = {},
  ): Promise<DaemonProcess> {
    const flags = ['--expose-gc', '--import', REPORT_HEAP];
    // Where it is started is where its sessions may work; the home lies beside it.
    const cwd = join(dirname(home), 'work');
    await mkdir(cwd, { recursive: true });
    const disk = ['bwrap', '--dev-bind', '/', '/', '--size', String(diskBytes), '--tmpfs', home];
    const [program = '', ...args] = [
      ...(diskBytes > 0 ? disk : []),
      ...(openFiles > 0 ? ['sh', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'sh'] : []),
      process.execPath,
      ...flags,
      PROGRAM,
      ...['serve', '--port', String(port)],
    ];
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, AMPLIFIERD_HOME: home, AMPLIFIERD_LOG_LEVEL: 'warn', ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let errors = '';
    child.stderr?.on('data', (chunk) => {
      errors += chunk;
    });
    const greeting: string[] = [];
    if (child.stdout) {
      for await (const line of createInterface({ input: child.stdout })) {
        greeting.push(line);
        const url = /listens on (\S+),/.exec(line)?.[1];
        if (!url) continue;
        const token = environment.AMPLIFIERD_TOKEN ?? (await readFile(join(home, 'token'), 'utf8')).trim();
        const daemon = new DaemonProcess(child, home, url, token, greeting);
        if (diskBytes > 0) await daemon.#findProcess();
        if (ready) await daemon.untilReady();
        return daemon;
      }
    }
    throw new Error(`The daemon ended before it listened: ${errors}`);
  }

  async untilReady(): Promise<void> {
    for (;;) {
      const response = await fetch(`${this.url}/readyz`);
      await response.arrayBuffer();
      if (response.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  fetch(path: string, init: RequestInit & { json?: unknown } = {}): Promise<Response> {
    const { json, ...rest } = init;
    const headers = new Headers(rest.headers);
    headers.set('authorization', `Bearer ${this.token}`);
    if (json !== undefined) headers.set('content-type', 'application/json');
    return fetch(`${this.url}${path}`, {
      ...rest,
      headers,
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  }

  /** Bytes that are alive on its heap. */
  async liveHeap(): Promise<number> {
    return (await this.#ask<{ heap: number }>('heap')).heap;
  }

  /** By how many milliseconds its event loop was late since the last time it was asked. */
  loopDelay(): Promise<{ p50: number; p99: number; max: number }> {
    return this.#ask('delay');
  }

  /** From now on nothing of it moves. */
  freeze(): void {
    this.#child.send('freeze');
  }

  /** kill -9, and waits until it is dead. */
  async kill(): Promise<void> {
    this.#signal('SIGKILL');
    await this.#ended();
  }

  /** Tells it to stop and returns its exit code; null when it had to be killed. */
  async stop(): Promise<number | null> {
    this.#signal('SIGTERM');
    await this.#ended();
    return this.#child.exitCode;
  }

  async #ask<T>(question: string): Promise<T> {
    const answer = once(this.#child, 'message');
    this.#child.send(question);
    return (await answer)[0] as T;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  #signal(name: NodeJS.Signals): void {
    if (this.isRunning) process.kill(this.pid, name);
  }

  /** Who listens is not who was started. */
  async #findProcess(): Promise<void> {
    const status = (await (await this.fetch('/api/v1/status')).json()) as { pid: number };
    this.pid = status.pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #ended(): Promise<void> {
    if (this.isRunning) await once(this.#child, 'exit');
  }
}
