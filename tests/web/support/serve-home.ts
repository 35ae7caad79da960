import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));

/** `amplifier serve` on a person's home, in a process of its own: a daemon takes no cookie from a browser that it started itself. */
export class ServedHome {
  private constructor(
    readonly url: string,
    readonly token: string,
    readonly process: ChildProcess,
  ) {}

  static async start(cwd: string, env: Record<string, string>): Promise<ServedHome> {
    const daemon = spawn(process.execPath, [MAIN, 'serve', '--port', '0'], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let token = '';
    for await (const line of createInterface({ input: daemon.stdout })) {
      token = /^Token .*: (\S+)$/.exec(line)?.[1] ?? token;
      const url = /listens on (\S+),/.exec(line)?.[1];
      if (url) return new ServedHome(url, token, daemon);
    }
    throw new Error('amplifier serve ended before it listened.');
  }

  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test looks at
  async call(method: string, path: string, json?: unknown): Promise<any> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  async kill(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }
}
