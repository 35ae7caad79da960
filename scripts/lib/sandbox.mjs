import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

const CACHE = join(root, 'node_modules/.cache');

/** The machine as it is, read-only, and no network but loopback. /proc stays the machine's own: only then can a sandbox be made inside. */
const READ_ONLY = [
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--bind', '/proc', '/proc'],
  ...['--unshare-net', '--die-with-parent'],
];

/** A sandbox in which only the checkout's cache and `writable` can be written; null where bubblewrap does not work. */
export function makeSandbox(writable) {
  mkdirSync(CACHE, { recursive: true });
  const binds = [CACHE, ...writable].flatMap((path) => ['--bind', path, path]);
  const options = [...READ_ONLY, ...binds, '--chdir', root, '--'];
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
