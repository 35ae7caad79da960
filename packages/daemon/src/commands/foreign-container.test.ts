import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TempWorkspace } from '@amplifier/testkit';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../../cli/dist/amplifierd.js', import.meta.url));

/** A machine of its own as far as process numbers and its name go, on the same disk. */
function container(name: string): string[] {
  const own = ['--unshare-pid', '--proc', '/proc', '--unshare-uts', '--hostname', name];
  return ['--dev-bind', '/', '/', ...own, '--die-with-parent'];
}

function hasContainers(): boolean {
  try {
    execFileSync('bwrap', [...container('probe'), 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function serve(name: string, workspace: TempWorkspace): Promise<{ child: ChildProcess; url: string }> {
  const words = [...container(name), process.execPath, PROGRAM, 'serve', '--port', '0'];
  const child = spawn('bwrap', words, {
    cwd: workspace.resolve('work'),
    env: { ...process.env, AMPLIFIERD_HOME: workspace.resolve('home') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listens on (\S+),/.exec(line)?.[1];
    if (url) return { child, url };
  }
  throw new Error('It ended before it listened.');
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

it.runIf(hasContainers())(
  'a daemon takes over the home of one whose container was killed, and stop never signals a number of another container',
  async () => {
    await using workspace = await TempWorkspace.create({ 'work/a.txt': '' });
    const first = await serve('first', workspace);
    const token = (await readFile(workspace.resolve('home/token'), 'utf8')).trim();
    const call = async (url: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
      return (await fetch(`${url}/api/v1${path}`, { headers, ...sent })).json() as Promise<{
        session_id: string;
      }>;
    };
    const { session_id } = await call(first.url, '/sessions', { profile_id: 'foundation/base' });
    // The daemon is process 2 of its container. Here that is the shell.
    const stop = `${process.execPath} ${PROGRAM} stop; echo "code $?, shell $$ is here"`;
    const env = { ...process.env, AMPLIFIERD_HOME: workspace.resolve('home') };
    const { pid } = JSON.parse(await readFile(workspace.resolve('home/state/daemon.json'), 'utf8'));
    const stopped = await promisify(execFile)('bwrap', [...container('other'), 'sh', '-c', stop], { env });
    expect(stopped.stdout).toContain(`code 1, shell ${pid} is here`);
    expect(stopped.stderr).toContain('of another container or machine');
    expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
    await kill(first.child);
    // Nobody can tell from outside that it is dead; its lease runs out.
    const record = new DatabaseSync(workspace.resolve('home/state/record.db'));
    record.exec('UPDATE processes SET lease_until = 0');
    record.close();
    const second = await serve('second', workspace);
    expect(await call(second.url, `/sessions/${session_id}`)).toMatchObject({ session_id });
    await call(second.url, `/sessions/${session_id}/start`, {}).catch(() => {});
    expect(await call(second.url, `/sessions/${session_id}`)).toMatchObject({ status: 'active' });
    await kill(second.child);
  },
  120_000,
);
