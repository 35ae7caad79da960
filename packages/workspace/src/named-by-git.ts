import { lstat, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { runGit } from './git.js';
import { isWithin } from './path-scope.js';
import { WorkspaceError } from './workspace-error.js';

/** Settings whose value is the path of a file or folder that acts. `include` is relative to the file it is in. */
const PATHS =
  /^(core\.(hookspath|attributesfile|askpass)|include\.path|includeif\..*\.path|(diff|merge)tool\..*\.path|init\.templatedir|gpg\.(.*\.)?program)$/s;
/** Settings whose value is a command. */
const COMMANDS =
  /^(core\.(fsmonitor|editor|pager|sshcommand|gitproxy|alternaterefscommand)|filter\..*\.(clean|smudge|process)|diff\.external|diff\..*\.(command|textconv)|merge\..*\.driver|(diff|merge|gui)tool\..*\.cmd|gpg\.ssh\.defaultkeycommand|credential\.(.*\.)?helper|sequence\.editor|pager\..*|alias\..*|interactive\.difffilter|trailer\..*\.(cmd|command)|remote\..*\.(uploadpack|receivepack)|sendemail\..*cmd|hook\..*\.command|uploadpack\.packobjectshook)$/s;

/** Hooks that git runs in the work tree, where the folder of hooks is one that a session works in. */
const HOOKS = [
  ...['applypatch-msg', 'pre-applypatch', 'post-applypatch', 'pre-commit', 'pre-merge-commit', 'post-merge'],
  ...['prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-rebase', 'post-checkout', 'pre-push'],
  ...['reference-transaction', 'pre-auto-gc', 'post-rewrite', 'fsmonitor-watchman', 'post-index-change'],
  ...['sendemail-validate', 'push-to-checkout', 'pre-receive', 'update', 'proc-receive', 'post-receive'],
];

/**
 * What the git settings of the repository that `folder` is in name in that folder: hooks, further settings, and the scripts of
 * filters, drivers, monitors and aliases. Runs nothing of it. Empty where git cannot read the settings: then it acts on none.
 */
export async function namedByGit(folder: string): Promise<string[]> {
  const top = await topOf(folder);
  if (top === null) return [];
  const output = await runGit(['config', '--list', '-z', '--show-scope', '--show-origin'], {
    cwd: top,
  }).catch((error) => {
    if (error instanceof WorkspaceError) return Buffer.of();
    throw error;
  });
  const found = new Set<string>();
  const fields = output.toString().split('\0');
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope, origin = '', entry = ''] = fields.slice(at, at + 3);
    if (scope === 'command') continue; // Given by us.
    const file = origin.startsWith('file:') ? resolve(top, origin.slice('file:'.length)) : null;
    const line = entry.indexOf('\n');
    const [key, value] = line === -1 ? [entry, ''] : [entry.slice(0, line), entry.slice(line + 1)];
    const named = await placesIn(key, value, top, file);
    for (const place of [...(file === null ? [] : [file]), ...named])
      for (const each of isWithin(place, folder) ? HOOKS.map((hook) => join(place, hook)) : [place])
        if (isWithin(folder, each)) found.add(each);
  }
  return [...found];
}

async function placesIn(key: string, value: string, top: string, file: string | null): Promise<string[]> {
  if (PATHS.test(key) && value !== '')
    return [fromHome(value, key.startsWith('include') && file !== null ? dirname(file) : top)];
  if (!COMMANDS.test(key)) return [];
  if (key.startsWith('alias.') && !value.startsWith('!')) return []; // A command of git's own.
  const words = value.split(/[\s"'`;|&()<>=!$]+/).filter(Boolean);
  const places = words.map((word) => fromHome(word, top));
  const files = await Promise.all(places.map(isFile));
  // A program that is named by a path acts as soon as it is there.
  return places.filter((_, at) => files[at] || (at === 0 && words[0]?.includes('/')));
}

function fromHome(path: string, base: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(base, path);
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? false;
}

/** The nearest folder at or above this one with a `.git`. */
async function topOf(folder: string): Promise<string | null> {
  for (let place = folder; ; place = dirname(place)) {
    if (await lstat(join(place, '.git')).catch(() => null)) return place;
    if (dirname(place) === place) return null;
  }
}
