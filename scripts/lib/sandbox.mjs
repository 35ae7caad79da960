import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/** As in `own-environment.mjs`. */
const PASSABLE = '0711';
const CACHE = join(root, 'node_modules/.cache');

/** The machine as it is, read-only, and no network but loopback. /proc stays the machine's own: only then can a sandbox be made inside. */
const READ_ONLY = [
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--bind', '/proc', '/proc'],
  ...['--unshare-net', '--die-with-parent'],
];

/**
 * A sandbox in which only the checkout's cache and `folders` can be written; null where bubblewrap does not work. The folders, each
 * for `ownEnvironment`, are empty and in memory: waiting for the disk was half of the time of many tests.
 */
export function makeSandbox(folders) {
  mkdirSync(CACHE, { recursive: true });
  const inMemory = folders.flatMap((path) => [
    ...['--perms', PASSABLE, '--tmpfs', path, '--perms', '0700', '--dir', join(path, 'home')],
    ...['--perms', PASSABLE, '--dir', join(path, 'tmp')],
  ]);
  const options = [...READ_ONLY, '--bind', CACHE, CACHE, ...inMemory, '--chdir', root, '--'];
  if (!works(['bwrap', ...options, 'true'])) return null;
  const inner = ['bwrap', '--unshare-all', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', 'true'];
  return {
    /** Can what runs inside make sandboxes of its own? */
    nests: works(['bwrap', ...options, ...inner]),
    /** The command that runs `command` inside. */
    wrap: (command) => ['bwrap', ...options, ...command],
  };
}

function works([program, ...args]) {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
