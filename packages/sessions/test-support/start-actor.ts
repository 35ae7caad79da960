import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ACTOR = fileURLToPath(new URL('./actor.mjs', import.meta.url));

/** Another process on the same files. */
export interface Actor extends AsyncDisposable {
  process: ChildProcess;
  /** Rejects with the other process's error, its code included. */
  ask<T = unknown>(op: string, args?: object): Promise<T>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** `wrap` turns the command line into another one, for example to set limits first. */
export function startActor(
  folder: string,
  options: SpawnOptions = {},
  wrap: (command: string[]) => string[] = (command) => command,
): Actor {
  const [program = '', ...args] = wrap([process.execPath, ACTOR, folder]);
  const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: ((line: string | null) => void)[] = [];
  const replies = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
  replies.on('line', (line) => waiting.shift()?.(line));
  replies.on('close', () => {
    for (const answer of waiting.splice(0)) answer(null);
  });
  return {
    process: child,
    async ask<T>(op: string, args: object = {}): Promise<T> {
      const reply = new Promise<string | null>((resolve) => waiting.push(resolve));
      child.stdin?.write(`${JSON.stringify({ op, ...args })}\n`);
      const text = await reply;
      if (text === null) throw Object.assign(new Error('The process is gone.'), { code: 'GONE' });
      const { value, error } = JSON.parse(text);
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      return value;
    },
    async kill(signal) {
      child.kill(signal);
      if (signal === 'SIGKILL' && child.exitCode === null && child.signalCode === null)
        await once(child, 'exit');
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
