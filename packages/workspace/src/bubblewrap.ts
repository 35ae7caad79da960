import { execFile } from 'node:child_process';
import { realpath, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorInfo } from '@amplifier/core';
import { PRIVATE_FOLDERS, SYSTEM_FOLDERS } from './defaults.js';
import type { Grant } from './grant.js';
import { type Mount, type Overlay, withOverlays } from './overlay.js';
import { ancestors, intersectScopes, isWithin, type PathScope, scopeRefusal } from './path-scope.js';
import { actsLater } from './protected-paths.js';
import { realPathOf } from './real-path.js';
import type { ConfinedCommand, Confinement, Sandbox } from './sandbox.js';
import { WorkspaceError } from './workspace-error.js';

/** In a user namespace of its own, where it can neither gain rights nor make another one; older ones know less. */
const NAMESPACES: readonly (readonly string[])[] = [
  ['--unshare-user', '--disable-userns'],
  ['--unshare-user'],
  // Where user namespaces are switched off, root can still do without.
  [],
];

const CONTAINED = ['--unshare-pid', '--die-with-parent'];
const CONFINED = [
  ...CONTAINED,
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--cap-drop',
  'ALL',
];

/**
 * Confines commands with bubblewrap: the file system read-only but for the write scope, denied paths hidden or locked, a
 * process namespace that dies as a whole, and no network unless granted. Temporary folders are private and empty, and
 * so is /run: a socket there, such as a container engine's, would be a door out.
 */
export class Bubblewrap implements Sandbox {
  readonly name = 'bubblewrap';
  readonly showsOverlays = true;
  readonly guarantees = {
    writes_confined: true,
    reads_confined: true,
    network_confined: true,
    processes_contained: true,
  };
  readonly because: string;
  readonly #program: string;
  readonly #namespaces: readonly string[];

  private constructor(program: string, namespaces: readonly string[]) {
    this.#program = program;
    this.#namespaces = namespaces;
    this.because = `${program} works on this machine.`;
  }

  /** Tries it out. Gives the reason when it does not work here. */
  static async detect(program = 'bwrap'): Promise<Bubblewrap | { because: string }> {
    if (process.platform !== 'linux') return { because: 'bubblewrap exists only on Linux.' };
    let because = '';
    for (const namespaces of NAMESPACES) {
      const trial = [...CONFINED, ...namespaces, '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'];
      try {
        await promisify(execFile)(program, [...trial, '--remount-ro', '/proc', 'true']);
        return new Bubblewrap(program, namespaces);
      } catch (error) {
        because ||= `${program} does not work on this machine: ${errorInfo(error).message.trim()}`;
      }
    }
    return { because };
  }

  async confine({ command, cwd, grant, visible = [], overlays = [] }: Confinement): Promise<ConfinedCommand> {
    const isGuard = (name: string) => name === 'bwrap';
    if (allowsEverything(grant)) {
      const argv = [this.#program, ...CONTAINED, '--dev-bind', '/', '/', '--proc', '/proc'] as const;
      const over = inOrder(withOverlays([], overlays, () => true));
      return {
        argv: [...argv, ...over, '--chdir', cwd, '--', ...command],
        env: {},
        isGuard,
        unenforced: [],
      };
    }
    const refusal = scopeRefusal(grant.read, cwd);
    if (refusal !== null) {
      throw new WorkspaceError(
        `The command cannot run in ${cwd}, because it may not read there: ${refusal}.`,
        {
          code: 'EXEC_DENIED',
        },
      );
    }
    const { mounts, unenforced } = await planMounts(grant, [cwd, ...visible], overlays);
    const network = grant.network ? [] : ['--unshare-net'];
    const options = [...CONFINED, ...this.#namespaces, ...network, ...mounts, '--chdir', cwd];
    return {
      argv: [this.#program, ...options, '--', ...command],
      env: { TMPDIR: '/tmp' },
      isGuard,
      unenforced,
    };
  }
}

/** Then nothing needs confining, and a private /tmp would only be in the way. Its processes are contained all the same. */
function allowsEverything({ read, write, exec, network }: Grant): boolean {
  const everywhere = [read, write].every(({ allow, deny }) => allow.includes('/') && deny.length === 0);
  return everywhere && network && exec === 'free';
}

async function planMounts(
  grant: Grant,
  wanted: readonly string[],
  overlays: readonly Overlay[],
): Promise<{ mounts: string[]; unenforced: string[] }> {
  const { read } = grant;
  const write = intersectScopes(grant.write, read);
  const isDenied = (path: string) => read.deny.some((folder) => isWithin(folder, path));
  const isLocked = (path: string) => write.deny.some((folder) => isWithin(folder, path));
  const isWritable = (path: string) => scopeRefusal(write, path) === null;
  const unenforced: string[] = [];
  const planned: Mount[] = [];
  const bind = (path: string, option: string) => planned.push({ path, options: (at) => [option, path, at] });

  const visible = [...read.allow.filter((path) => path !== '/'), ...wanted];
  if (grant.network) visible.push(await realPathOf('/etc/resolv.conf'));
  for (const path of visible) {
    // A folder inside what may be written must not become the one part of it that may not.
    if (scopeRefusal(read, path) === null && (await kindOf(path)))
      bind(path, isWritable(path) ? '--bind' : '--ro-bind');
  }
  for (const path of write.allow.filter((path) => path !== '/')) {
    if (!isLocked(path) && (await kindOf(path))) bind(path, '--bind');
  }
  for (const path of write.deny) {
    if (isDenied(path)) continue;
    const kind = await kindOf(path);
    if (kind) bind(path, '--ro-bind');
    // Every folder lacks most of what acts later; docs/security.md says what that means once for all of them.
    else if (!actsLater(path) && write.allow.some((folder) => isWithin(folder, path)))
      unenforced.push(
        `A command may put something at ${path}: there is no file or folder yet that could be locked.`,
      );
  }
  for (const path of await heldInPlace(write, (folder) => isDenied(folder) || isLocked(folder))) {
    bind(path, '--bind');
  }
  for (const path of read.deny) {
    const kind = await kindOf(path);
    if (kind === 'folder') planned.push({ path, options: (at) => ['--tmpfs', at, '--remount-ro', at] });
    if (kind === 'file') planned.push({ path, options: (at) => ['--ro-bind', '/dev/null', at] });
  }
  const mounts = withOverlays(planned, overlays, isWritable);
  return { mounts: [...(await baseMounts(read.allow, write.allow)), ...inOrder(mounts)], unenforced };
}

/**
 * Writable folders above something denied. Each is mounted onto itself, because what is mounted cannot be renamed or removed: a
 * command that moved `.config` away would uncover for the next command what is hidden in it.
 */
async function heldInPlace(
  { allow, deny }: PathScope,
  isClosed: (folder: string) => boolean,
): Promise<string[]> {
  const above = deny
    .flatMap(ancestors)
    .filter((folder) => allow.some((root) => root !== folder && isWithin(root, folder)) && !isClosed(folder));
  const kinds = await Promise.all(
    [...new Set(above)].map(async (folder) => ({ folder, kind: await kindOf(folder) })),
  );
  return kinds.filter(({ kind }) => kind === 'folder').map(({ folder }) => folder);
}

async function baseMounts(readable: readonly string[], writable: readonly string[]): Promise<string[]> {
  const system = readable.includes('/')
    ? [writable.includes('/') ? '--bind' : '--ro-bind', '/', '/']
    : SYSTEM_FOLDERS.flatMap((path) => ['--ro-bind-try', path, path]);
  // As root, bubblewrap leaves the kernel's settings in /proc/sys writable; hence the remount.
  const special = ['--dev', '/dev', '--proc', '/proc', '--remount-ro', '/proc'];
  // Whoever may write everywhere is meant to write there as well.
  const hidden = writable.includes('/') ? [] : PRIVATE_FOLDERS;
  const folders = await Promise.all(hidden.map((path) => realPathOf(path)));
  return [...system, ...special, ...[...new Set(folders)].flatMap((path) => ['--tmpfs', path])];
}

/** Outer before inner: a mount hides what was mounted below it before. At the same place the later rule wins. */
function inOrder(mounts: readonly Mount[]): string[] {
  const depth = ({ path }: Mount) => (path === '/' ? 0 : path.split('/').length);
  return mounts.toSorted((a, b) => depth(a) - depth(b)).flatMap(({ path, options }) => options(path));
}

/** Null for what cannot be mounted over: nothing there, or a symlink, whose target a real grant names as well. */
async function kindOf(path: string): Promise<'file' | 'folder' | null> {
  try {
    if ((await realpath(path)) !== path) return null;
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch {
    // Absent, or not even we can look at it.
    return null;
  }
}
