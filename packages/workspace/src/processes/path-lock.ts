import { isWithin } from '../grant/path-scope.js';
import { WorkspaceError } from '../workspace-error.js';

/** For each running command of this process, the folders in which it can replace files and folders. */
const written = new Set<{ folders: readonly string[] }>();
/** Paths that another program opens by name for us. */
const opened = new Set<{ path: string; done: Promise<unknown> }>();

/**
 * Call before a command starts that can write in these folders, and call the result when it has ended. Waits while `withLockedPath`
 * holds a path in them.
 */
export async function lockFolders(folders: readonly string[], signal?: AbortSignal): Promise<() => void> {
  const isAbove = ({ path }: { path: string }) => folders.some((folder) => isWithin(folder, path));
  for (let held = [...opened].find(isAbove); held; held = [...opened].find(isAbove))
    await Promise.race([held.done, aborted(signal)]);
  const command = { folders };
  written.add(command);
  return () => void written.delete(command);
}

/**
 * Runs `work`, in which another program opens `path` by name, while no command of this process can put a link in its place. Null,
 * and nothing is run, if one can. `path` is absolute and real.
 */
export async function withLockedPath<T>(path: string, work: () => Promise<T>): Promise<T | null> {
  for (const { folders } of written) if (folders.some((folder) => isWithin(folder, path))) return null;
  const result = work();
  const held = { path, done: result.catch(() => {}) };
  opened.add(held);
  try {
    return await result;
  } finally {
    opened.delete(held);
  }
}

async function aborted(signal: AbortSignal | undefined): Promise<never> {
  if (!signal?.aborted)
    await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
  throw new WorkspaceError('The command was not started, because it was cancelled.', { code: 'CANCELLED' });
}
