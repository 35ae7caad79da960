import { readdir, readFile, readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';

const known = new WeakMap<Socket, Promise<boolean>>();

/**
 * Did a process that this daemon started, such as a command of a session, open the connection? False also where it cannot be told:
 * on other systems than Linux, and for connections from elsewhere. Where it could be told and the look fails, as without a file handle
 * to spare, it counts as such a process: a session could bring that about. Looked up once for each connection. `proc` is where the
 * system tells of its processes.
 */
export function isFromDescendant(socket: Socket, proc = '/proc'): Promise<boolean> {
  let answer = known.get(socket);
  if (!answer) {
    answer = lookUp(socket, proc).catch(() => true);
    known.set(socket, answer);
  }
  return answer;
}

async function lookUp({ remoteAddress, remotePort, localPort }: Socket, proc: string): Promise<boolean> {
  const isLoopback = /^(::1|(::ffff:)?127\.)/.test(remoteAddress ?? '');
  if (process.platform !== 'linux' || !isLoopback || !remotePort || !localPort) return false;
  const pids = await descendants(proc, process.pid);
  if (pids.length === 0) return false;
  const inode = await socketInode(proc, remotePort, localPort);
  if (inode === null) return false;
  for (const pid of pids) if (await holds(proc, pid, `socket:[${inode}]`)) return true;
  return false;
}

async function descendants(proc: string, root: number): Promise<number[]> {
  const found = await childrenOf(proc, root);
  for (const pid of found) found.push(...(await childrenOf(proc, pid)));
  return found;
}

/** Each thread has its own list of the children it started. */
async function childrenOf(proc: string, pid: number): Promise<number[]> {
  const threads = await readdir(`${proc}/${pid}/task`).catch(gone<string[]>([]));
  const lists = await Promise.all(
    threads.map((thread) => readFile(`${proc}/${pid}/task/${thread}/children`, 'utf8').catch(gone(''))),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Of the other end of a connection, by the ports as that end sees them. */
async function socketInode(proc: string, from: number, to: number): Promise<string | null> {
  const port = (value: number) => value.toString(16).toUpperCase().padStart(4, '0');
  for (const table of ['tcp', 'tcp6']) {
    const text = await readFile(`${proc}/net/${table}`, 'utf8').catch(gone(''));
    for (const line of text.split('\n')) {
      const [, local = '', remote = '', , , , , , , inode] = line.trim().split(/\s+/);
      if (local.endsWith(`:${port(from)}`) && remote.endsWith(`:${port(to)}`)) return inode ?? null;
    }
  }
  return null;
}

async function holds(proc: string, pid: number, name: string): Promise<boolean> {
  const files = await readdir(`${proc}/${pid}/fd`).catch(gone<string[]>([]));
  const targets = await Promise.all(
    files.map((file) => readlink(`${proc}/${pid}/fd/${file}`).catch(gone(''))),
  );
  return targets.includes(name);
}

/** Nothing, where a process or a file of it has gone or is another's to see; any other failure stays one. */
function gone<T>(nothing: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(error.code ?? '')) return nothing;
    throw error;
  };
}
