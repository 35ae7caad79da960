import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { errorInfo, findOwnProgram } from '@amplifier/core';
import { OUTSIDE_PROJECTS, OUTSIDE_PROJECTS_CONFINED, PRIVATE_FOLDERS, SYSTEM_FOLDERS } from '../defaults.js';
import type { Grant } from '../grant/grant.js';
import {
  ancestors,
  deniedPlace,
  intersectScopes,
  isWithin,
  type PathScope,
  scopeRefusal,
  withinAny,
} from '../grant/path-scope.js';
import { realPathOf } from '../grant/real-path.js';
import { commandEnv } from '../processes/command-env.js';
import { isKnownOpen, mustBeHeld } from '../trust/protected-paths.js';
import { WorkspaceError } from '../workspace-error.js';
import { absentPaths } from './absent-paths.js';
import { checkAfter, checkLeft, lookBefore } from './check-after.js';
import { holdMissing, isPlaceholder } from './hold-missing.js';
import { type Mount, type Overlay, withOverlays } from './overlay.js';
import type { ConfinedCommand, Confinement, Sandbox } from './sandbox.js';
import { startBubblewrap } from './start-bubblewrap.js';

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

/** Lists the keys that a process can see, by name. */
const KEY_LISTS = ['/proc/keys', '/proc/key-users'];

/**
 * Confines commands with bubblewrap: the file system read-only but for the write scope, denied paths hidden or locked, a
 * process namespace that dies as a whole, system calls filtered, and no network unless granted. Temporary folders are private and
 * empty, and so is /run: a socket there, such as a container engine's, would be a way out.
 */
export class Bubblewrap implements Sandbox {
  readonly name = 'bubblewrap';
  readonly showsOverlays = true;
  readonly guarantees = {
    writes_confined: true,
    reads_confined: true,
    network_confined: true,
    processes_contained: true,
    calls_filtered: true,
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
  static async detect(named?: string): Promise<Bubblewrap | { because: string }> {
    if (process.platform !== 'linux') return { because: 'bubblewrap exists only on Linux.' };
    const program = named ?? (await findOwnProgram('bwrap'));
    if (program === null) return { because: 'bwrap is not on the search path.' };
    let because = '';
    for (const namespaces of NAMESPACES) {
      try {
        await tryOut(program, namespaces);
        return new Bubblewrap(program, namespaces);
      } catch (error) {
        const { stderr = '' } = error as { stderr?: string };
        const reason = stderr.trim() || errorInfo(error).message.trim();
        because ||= `${program} does not work on this machine: ${reason}`;
      }
    }
    return { because };
  }

  async confine(confinement: Confinement): Promise<ConfinedCommand> {
    const { command, cwd, env, grant, visible = [], overlays = [], staysOn = false } = confinement;
    const isGuard = (name: string) => name === 'bwrap';
    if (allowsEverything(grant)) {
      const argv = [this.#program, ...CONTAINED, '--dev-bind', '/', '/', '--proc', '/proc'] as const;
      const over = inOrder(withOverlays([], overlays, () => true));
      return {
        argv: [...argv, ...over, '--chdir', cwd ?? OUTSIDE_PROJECTS, '--', ...command],
        env,
        isGuard,
        unenforced: [],
        release: async () => [],
      };
    }
    const refusal = cwd === null ? null : scopeRefusal(grant.read, cwd);
    if (refusal !== null) {
      throw new WorkspaceError(
        `The command cannot run in ${cwd}, because it may not read there: ${refusal}.`,
        {
          code: 'EXEC_DENIED',
        },
      );
    }
    const { mounts, isShown, unenforced, release } = await planMounts(grant, visible, overlays, staysOn);
    if (cwd !== null && !isShown(cwd)) {
      await release();
      throw new WorkspaceError(
        `The command cannot run in ${cwd}: commands of a session see an empty folder there. Run it in the folder of the session.`,
        { code: 'EXEC_DENIED' },
      );
    }
    const network = grant.network === true ? [] : ['--unshare-net'];
    const start = cwd === null ? outsideProjects(grant) : ['--chdir', cwd];
    const options = [...CONFINED, ...this.#namespaces, ...network, ...mounts, ...start];
    const variables = { ...env, TMPDIR: '/tmp' };
    const { close, ...started } = startBubblewrap(this.#program, options, command, variables);
    return {
      ...started,
      isGuard,
      unenforced,
      release() {
        close();
        return release();
      },
    };
  }
}

async function tryOut(program: string, namespaces: readonly string[]): Promise<void> {
  const base = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--remount-ro', '/proc'];
  const options = [...CONFINED, ...namespaces, ...base];
  const { argv, env, close } = startBubblewrap(program, options, ['true'], commandEnv());
  const [shell, ...args] = argv;
  await promisify(execFile)(shell, args, { env }).finally(close);
}

/** Then nothing needs confining, and a private /tmp would only be in the way. Its processes are contained all the same. */
function allowsEverything({ read, write, exec, network }: Grant): boolean {
  const everywhere = [read, write].every(({ allow, deny }) => allow.includes('/') && deny.length === 0);
  return everywhere && network === true && exec === 'free';
}

/** A command that may write everywhere sees the real /run. */
function outsideProjects({ write, read }: Grant): string[] {
  if (intersectScopes(write, read).allow.includes('/')) return ['--chdir', OUTSIDE_PROJECTS];
  return ['--tmpfs', OUTSIDE_PROJECTS_CONFINED, '--chdir', OUTSIDE_PROJECTS_CONFINED];
}

async function planMounts(
  grant: Grant,
  wanted: readonly string[],
  overlays: readonly Overlay[],
  staysOn: boolean,
): Promise<
  { mounts: string[]; isShown: (path: string) => boolean } & Pick<ConfinedCommand, 'unenforced' | 'release'>
> {
  const { read } = grant;
  const allowed = intersectScopes(grant.write, read);
  const left = await checkLeft(allowed.allow);
  const before = await lookBefore(allowed);
  const write = { ...allowed, deny: [...new Set([...allowed.deny, ...before.locked])] };
  const placeDenied = deniedPlace(read);
  const placeLocked = deniedPlace(write);
  const isDenied = (path: string) => placeDenied(path) !== null;
  const isLocked = (path: string) => placeLocked(path) !== null;
  const isWritable = (path: string) => scopeRefusal(write, path) === null;
  const unenforced: string[] = [];
  const planned: Mount[] = [];
  const bind = (path: string, option: string) => planned.push({ path, options: (at) => [option, path, at] });

  const own = read.deny_except ?? [];
  const ownKinds = await kindsOf(own);
  const visible = [
    ...read.allow.filter((path) => path !== '/'),
    ...own,
    ...(write.deny_except ?? []),
    ...wanted,
  ];
  const hidden = await privateFolders(write.allow);
  const bound = [...visible, ...write.allow, ...overlays.flatMap(({ from, at }) => [from, at])];
  const isShown = shownPaths(read.allow, bound, hidden);
  for (const { path, kind } of await kindsOf(visible)) {
    // A folder inside what may be written must not become the one part of it that may not.
    if (scopeRefusal(read, path) === null && isSolid(kind))
      bind(path, isWritable(path) ? '--bind' : '--ro-bind');
  }
  // Often a link into /run, which is not in a narrow read scope.
  const names = grant.network === true ? await kindsOf([await realPathOf('/etc/resolv.conf')]) : [];
  for (const { path, kind } of names) if (isSolid(kind) && !isDenied(path)) bind(path, '--ro-bind');
  for (const { path, kind } of await kindsOf(write.allow.filter((path) => path !== '/'))) {
    if (!isLocked(path) && isSolid(kind)) bind(path, '--bind');
  }
  const { locked, absent } = await lockable(write, (path) => isShown(path) && !isDenied(path));
  const missing = await insteadOf(absent);
  const { release, paths: held } = holdMissing(missing.filter(staysOn ? mustBeHeld : isHeldForOthers));
  const isHeld = withinAny(held);
  const free = absent.filter((path) => !isHeld(path));
  const checked = await checkAfter(write, before, free, staysOn);
  for (const path of [...locked, ...held]) bind(path, '--ro-bind');
  for (const path of missing.filter((path) => staysOn && !held.includes(path) && !isKnownOpen(path)))
    unenforced.push(
      `A command may put something at ${path}: there is no file or folder yet that could be locked.`,
    );
  const isClosed = (path: string) => isDenied(path) || isLocked(path) || isHeld(path);
  for (const path of await heldInPlace(write, isClosed)) bind(path, '--bind');
  for (const { path, kind } of await kindsOf(read.deny.filter(isShown))) {
    if (kind === 'folder') {
      const inside = ownKinds.filter((own) => isWithin(path, own.path));
      // Mount points for what is not denied in it: they cannot be created later.
      const points = (at: string) =>
        inside.flatMap((own) => mountPoint(join(at, relative(path, own.path)), own.kind));
      planned.push({ path, options: (at) => ['--tmpfs', at, ...points(at), '--remount-ro', at] });
    }
    if (kind === 'file') planned.push({ path, options: (at) => ['--ro-bind', '/dev/null', at] });
  }
  const mounts = withOverlays(planned, overlays, isWritable);
  return {
    mounts: [...baseMounts(read.allow, write.allow, hidden), ...inOrder(mounts)],
    isShown,
    unenforced,
    release: async () => {
      release();
      return [...left, ...(await checked())];
    },
  };
}

function mountPoint(path: string, kind: Kind): string[] {
  if (kind === 'folder') return ['--dir', path];
  return kind === 'file' ? ['--ro-bind', '/dev/null', path] : [];
}

/** What must not be written: what is there to be locked, and the places in the write scope where nothing is yet. */
async function lockable(
  { allow, deny }: PathScope,
  isVisible: (path: string) => boolean,
): Promise<{ locked: string[]; absent: string[] }> {
  const visible = await kindsOf(deny.filter(isVisible));
  const isAbsent = ({ path, kind }: { path: string; kind: Kind }) =>
    kind === null || (kind === 'folder' && isPlaceholder(path));
  const isAllowed = withinAny(allow);
  const absent = visible.filter((at) => isAbsent(at) && isAllowed(at.path));
  const locked = visible.filter((at) => !isAbsent(at) && isSolid(at.kind));
  return { locked: locked.map(({ path }) => path), absent: absent.map(({ path }) => path) };
}

/** Held by an empty folder for a command that stays on. In one for a repository others may make theirs. */
function isHeldForOthers(path: string): boolean {
  return !path.endsWith('/.git') && mustBeHeld(path) && isPlaceholder(path);
}

/** Where a folder has no repository and no settings of an agent, none can be made: nearly all in them acts later. */
async function insteadOf(missing: readonly string[]): Promise<string[]> {
  const wholeOf = (path: string) =>
    /^(.*\/\.(?:git|amplifier|claude|agents|gemini))\//.exec(path)?.[1] ?? null;
  const wholes = await kindsOf([...new Set(missing.flatMap((path) => wholeOf(path) ?? []))]);
  const isFree = ({ path, kind }: { path: string; kind: Kind }) => kind === null || isPlaceholder(path);
  const absent = new Set(wholes.filter(isFree).map(({ path }) => path));
  const places = missing.map((path) => {
    const whole = wholeOf(path);
    return whole !== null && absent.has(whole) ? whole : path;
  });
  return [...new Set(places)];
}

/**
 * Writable folders above something denied. Each is mounted onto itself, because what is mounted cannot be renamed or removed: a
 * command that moved `.config` away would uncover for the next command what is hidden in it.
 */
async function heldInPlace(
  { allow, deny }: PathScope,
  isClosed: (folder: string) => boolean,
): Promise<string[]> {
  const above = [...new Set(deny.flatMap(ancestors))].filter(
    (folder) => allow.some((root) => root !== folder && isWithin(root, folder)) && !isClosed(folder),
  );
  const kinds = await kindsOf(above);
  return kinds.filter(({ kind }) => kind === 'folder').map(({ path }) => path);
}

function baseMounts(
  readable: readonly string[],
  writable: readonly string[],
  hidden: readonly string[],
): string[] {
  const system = readable.includes('/')
    ? [writable.includes('/') ? '--bind' : '--ro-bind', '/', '/']
    : SYSTEM_FOLDERS.flatMap((path) => ['--ro-bind-try', path, path]);
  // As root, bubblewrap leaves the kernel's settings in /proc/sys writable; hence the remount.
  const keys = KEY_LISTS.filter((path) => existsSync(path));
  const special = [
    ...['--dev', '/dev', '--proc', '/proc'],
    ...keys.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...['--remount-ro', '/proc'],
  ];
  return [...system, ...special, ...hidden.flatMap((path) => ['--tmpfs', path])];
}

/** Folders of which the command gets empty ones; none if it may write everywhere. */
async function privateFolders(writable: readonly string[]): Promise<string[]> {
  const hidden = writable.includes('/') ? [] : PRIVATE_FOLDERS;
  return [...new Set(await Promise.all(hidden.map((path) => realPathOf(path))))];
}

/**
 * Which paths a command could see if they were not denied. To mount something over any other path would create its name in the sandbox.
 * `bound` are paths that are mounted one by one.
 */
function shownPaths(
  readable: readonly string[],
  bound: readonly string[],
  hidden: readonly string[],
): (path: string) => boolean {
  const isBound = withinAny(bound);
  const isHidden = withinAny(hidden);
  const isBase = withinAny(readable.includes('/') ? ['/'] : SYSTEM_FOLDERS);
  return (path) => isBound(path) || (isBase(path) && !isHidden(path));
}

/** Outer before inner: a mount hides what was mounted below it before. At the same place the later rule wins. */
function inOrder(mounts: readonly Mount[]): string[] {
  const depth = ({ path }: Mount) => (path === '/' ? 0 : path.split('/').length);
  return mounts.toSorted((a, b) => depth(a) - depth(b)).flatMap(({ path, options }) => options(path));
}

const isSolid = (kind: Kind) => kind === 'file' || kind === 'folder';

type Kind = 'file' | 'folder' | 'link' | null;

function kindsOf(paths: readonly string[]): Promise<{ path: string; kind: Kind }[]> {
  const isAbsent = absentPaths();
  const kind = async (path: string) => ((await isAbsent(path)) ? null : kindOf(path));
  return Promise.all(paths.map(async (path) => ({ path, kind: await kind(path) })));
}

/** Null where nothing is. A link, or what lies behind one, cannot be mounted over; a real grant names where it leads as well. */
async function kindOf(path: string): Promise<Kind> {
  try {
    if ((await realpath(path)) !== path) return 'link';
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch {
    // Absent, or not even we can look at it, or a link that leads nowhere.
    return (await lstat(path).catch(() => null)) ? 'link' : null;
  }
}
