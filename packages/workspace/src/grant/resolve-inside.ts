import { basename, dirname, join, resolve } from 'node:path';
import { absentPaths } from '../sandbox/absent-paths.js';
import { repositoryRefusal } from '../trust/repository-shape.js';
import { WorkspaceError } from '../workspace-error.js';
import { checkGrant, type GrantDecision } from './check-grant.js';
import type { Grant } from './grant.js';
import { actingRefusal, isWithin, type PathScope, pathScope } from './path-scope.js';
import { type Looked, realPathOf } from './real-path.js';

export type ResolvedPath =
  | { allowed: true /** Absolute and real: the one to open. */; path: string; because: string }
  | { allowed: false; because: string };

/** Ways into the kernel and other processes: `/proc/self/environ` holds every secret of the host. */
export const NOT_FILES = ['/proc', '/sys', '/dev'];

/**
 * Where `path` really leads, if the grant allows `access` there. Both the path as written and the place it leads to must
 * not be denied, so that neither a symlink to a denied file nor a denied name that is a symlink is a way round.
 * The answer may be stale at once when others change the tree: open it with `openInside`.
 */
export async function resolveInside(
  grant: Grant,
  access: 'read' | 'write',
  path: string,
  cwd: string,
): Promise<ResolvedPath> {
  let real: string;
  try {
    real = await realPathOf(path, cwd);
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return { allowed: false, because: error.message };
  }
  const decision = checkReal(grant, access, real);
  if (!decision.allowed) return { allowed: false, because: decision.because };
  const { deny, deny_globs, deny_except } = grant[access];
  const everywhereElse = { ...grant, [access]: pathScope(['/'], deny, { deny_globs, deny_except }) };
  const asWritten = checkGrant(everywhereElse, { kind: access, path: resolve(cwd, path) });
  if (!asWritten.allowed) return { allowed: false, because: asWritten.because };
  if (access === 'write') {
    const named = resolve(cwd, path);
    const why = actingRefusal(grant.write, named) ?? (await repositoryRefusal(grant.write, real));
    if (why !== null) return { allowed: false, because: `Writing ${named} is not allowed: ${why}.` };
  }
  return { allowed: true, path: real, because: decision.because };
}

/** The decision on a path that is real: neither it nor a folder above is a link. */
export function checkReal(grant: Grant, access: 'read' | 'write', real: string): GrantDecision {
  const special = NOT_FILES.find((folder) => isWithin(folder, real));
  if (special === undefined) return checkGrant(grant, { kind: access, path: real });
  return { allowed: false, because: `${special} is denied: it holds no ordinary files.` };
}

/**
 * The same grant with its own paths made real, as every check expects them. Denied names stay denied beside the places
 * they lead to. Call it once, when the grant is computed.
 */
export async function realGrant(grant: Grant): Promise<Grant> {
  const looked: Looked = new Map();
  const [read, write] = await Promise.all([realScope(grant.read, looked), realScope(grant.write, looked)]);
  return { ...grant, read, write };
}

async function realScope(scope: PathScope, looked: Looked): Promise<PathScope> {
  const { allow, deny, deny_except, refuse_start_up, ...rest } = scope;
  const isAbsent = absentPaths();
  const realOf = async (path: string): Promise<string> => {
    if (!(await isAbsent(path))) return realPathOf(path, undefined, looked);
    return join(await realPathOf(dirname(path), undefined, looked), basename(path));
  };
  const real = (paths: string[]) => Promise.all(paths.map(realOf));
  const both = async (paths: string[] = []) => [...paths, ...(await real(paths))];
  return pathScope(await real(allow), await both(deny), {
    ...rest,
    deny_except: await both(deny_except),
    refuse_start_up: await both(refuse_start_up),
  });
}
