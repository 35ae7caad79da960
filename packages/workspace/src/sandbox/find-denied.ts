import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Grant } from '../grant/grant.js';
import { deniedPlace, globMatcher, isWithin, pathScope } from '../grant/path-scope.js';
import { realPathOf } from '../grant/real-path.js';
import { WorkspaceError } from '../workspace-error.js';
import type { Sandbox } from './sandbox.js';

/** Folders and files that one search looks at. A larger tree takes longer than a command may wait. */
const MAX_ENTRIES = 1_000_000;
/** Each becomes a mount, of which a sandbox takes a few thousand. */
const MAX_FOUND = 2_000;

/**
 * The grant with the files that its globs deny now, because a sandbox can only hide paths. Throws if they cannot all be found: then
 * the command must not run.
 */
export async function findDenied(grant: Grant, sandbox: Pick<Sandbox, 'guarantees'>): Promise<Grant> {
  const { allow, deny, deny_globs = [], ...rest } = grant.read;
  if (deny_globs.length === 0 || !sandbox.guarantees.reads_confined) return grant;
  const roots = [...new Set(deny_globs.map(fixedFolder))];
  const outer = roots.filter((root) => !roots.some((other) => other !== root && isWithin(other, root)));
  const matchers = deny_globs.map(globMatcher);
  const denied = deniedPlace(grant.read);
  const found: string[] = [];
  let entries = 0;
  const folders = [...outer];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (++entries > MAX_ENTRIES)
        throw tooMany(deny_globs, `${outer.join(', ')} has more than ${MAX_ENTRIES} files`);
      if (denied(path) !== null) continue;
      if (matchers.some((matches) => matches(path))) found.push(path);
      else if (entry.isDirectory()) folders.push(path);
    }
    if (found.length > MAX_FOUND) throw tooMany(deny_globs, `they match more than ${MAX_FOUND} files`);
  }
  const real = await Promise.all(found.map((path) => realPathOf(path)));
  return { ...grant, read: pathScope(allow, [...deny, ...found, ...real], { ...rest, deny_globs }) };
}

/** The folder that everything a glob matches is below. */
function fixedFolder(pattern: string): string {
  const fixed: string[] = [];
  for (const part of pattern.split('/').slice(0, -1)) {
    if (/[*?[{]/.test(part.replace(/\\./g, ''))) break;
    fixed.push(part.replace(/\\(.)/g, '$1'));
  }
  return fixed.join('/') || '/';
}

/** Nothing is hidden in a folder that is not there, or that not even this process may list. */
async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return [];
    throw error;
  }
}

function tooMany(globs: readonly string[], why: string): WorkspaceError {
  return new WorkspaceError(
    `The command is not run, because the files that must not be read (${globs.join(', ')}) cannot be hidden from it: ${why}. Name a folder in the rule that denies them, such as "read: config/secrets/**".`,
    { code: 'EXEC_DENIED' },
  );
}
