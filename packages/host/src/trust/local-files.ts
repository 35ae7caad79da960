import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isPlainObject } from '@amplifier/core';
import type { Places } from '@amplifier/foundation';
import { isWithin } from '@amplifier/workspace';

/** A module with more than this is not looked through, and so cannot be trusted. */
const MAX_FILES = 2000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Only a text of this size is searched for the names of further files. */
const MAX_SEARCHED = 256 * 1024;
const MAX_NAMES = 2000;

/** The files of one folder, read for what is in them. Nothing outside of the folder is looked at. */
export interface LocalFiles {
  /** Of the file or of everything in the folder at the path, and of the files it names in turn. */
  digestAt(path: string): Promise<string>;
  /** Of every file of the folder that a text in the value names, as a source or in a command. */
  namedIn(value: unknown): Promise<string[]>;
  /** Of each path that is a file of the folder, with its name. */
  filesAt(paths: readonly string[]): Promise<string[]>;
  /** What is in the folder at the path, in order. Null for one that leads out of the folder, or cannot be read. */
  namesAt(path: string): Promise<string[] | null>;
  /** Every file and folder that was looked at so far, with its digest. */
  looked(): Record<string, string>;
}

/** Sets no two runs alike: what cannot be looked through never equals what was seen before. */
const unknowable = () => `unknown ${Math.random()}`;

/** Adds every path that is looked at to `places`. */
export function openLocalFiles(folder: string, places: Places): LocalFiles {
  const seen = new Map<string, string>();
  let files = 0;
  let bytes = 0;
  return { digestAt, namedIn, filesAt, namesAt, looked: () => Object.fromEntries(seen) };

  async function namesAt(path: string): Promise<string[] | null> {
    places.add(path);
    try {
      if (!isWithin(await realpath(folder), await realpath(path))) return null;
      // What a module imports is pinned with the module.
      return (await readdir(path)).filter((name) => name !== '.git' && name !== 'node_modules').sort();
    } catch (error) {
      const isMissing = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
      return isMissing ? [] : null;
    }
  }

  async function digestAt(path: string): Promise<string> {
    const known = seen.get(path);
    if (known !== undefined) return known;
    seen.set(path, ''); // A circle ends here.
    const digest = await read(path);
    seen.set(path, digest);
    return digest;
  }

  async function read(path: string): Promise<string> {
    places.add(path);
    const found = await lstat(path).catch(() => null);
    if (found === null) return 'nothing';
    if (found.isSymbolicLink()) {
      const place = await realpath(path).catch(() => null);
      const inside = place !== null && isWithin(await realpath(folder), place);
      return inside ? digestAt(place) : `leads to ${place}`;
    }
    files += 1;
    if (files > MAX_FILES) return unknowable();
    if (found.isDirectory()) {
      const names = await namesAt(path);
      if (names === null) return unknowable();
      const parts: string[] = [];
      for (const name of names) parts.push(name, await digestAt(join(path, name)));
      return digestOf(parts);
    }
    bytes += found.size;
    if (!found.isFile() || bytes > MAX_BYTES) return unknowable();
    const content = await readFile(path).catch(() => null);
    if (content === null) return unknowable();
    const named = content.length <= MAX_SEARCHED ? await namedIn(content.toString('utf8'), path) : [];
    return digestOf([createHash('sha256').update(content).digest('hex'), ...named]);
  }

  async function filesAt(paths: readonly string[]): Promise<string[]> {
    const digests: string[] = [];
    for (const path of paths) {
      if (!isWithin(folder, path) || path === folder) continue;
      places.add(path);
      const found = await stat(path).catch(() => null);
      if (found?.isFile()) digests.push(path, await digestAt(path));
    }
    return digests;
  }

  async function namedIn(value: unknown, from?: string): Promise<string[]> {
    const digests: string[] = [];
    for (const name of new Set(namesIn(value))) {
      for (const start of from === undefined ? [folder] : [resolve(from, '..'), folder]) {
        const path = resolve(start, name);
        if (!isWithin(folder, path) || path === folder) continue;
        places.add(path);
        const found = await stat(path).catch(() => null);
        // A folder counts only where it is named as a source; in a text it may be anything.
        if (found?.isFile() || (found?.isDirectory() && from === undefined && /^\.{0,2}\//.test(name)))
          digests.push(name, await digestAt(path));
      }
    }
    return digests;
  }
}

/** How commands and scripts name the folder itself, with the slash that follows. */
export const FOLDER_VARIABLE =
  /"?\$(?:\{(?:CLAUDE_PROJECT_DIR|AMPLIFIER_PROJECT_DIR|PWD)(?::?-[^}]*)?\}|(?:CLAUDE_PROJECT_DIR|AMPLIFIER_PROJECT_DIR|PWD)\b|\(\s*(?:pwd|git rev-parse --show-toplevel)\s*\))"?\//g;

/** How a script names its own folder. */
const OWN_FOLDER =
  /"?\$\(\s*dirname (?:-- )?"?\$(?:0|\{?BASH_SOURCE(?:\[0\])?\}?)"?\s*\)"?\/|"?\$\{(?:0|BASH_SOURCE(?:\[0\])?)%\/\*\}"?\//g;

/** Words that may be names of files, in any text of the value. */
function namesIn(value: unknown): string[] {
  if (typeof value === 'string')
    return value
      .replace(FOLDER_VARIABLE, './')
      .replace(OWN_FOLDER, './')
      .split(/[^\w@%+~.,/-]+/)
      .filter((word) => /[./]./.test(word))
      .slice(0, MAX_NAMES);
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    // A command may be a bare name that stands in the folder.
    const bare = ['command', 'source'].includes(key) && typeof member === 'string' ? [member] : [];
    return [...bare, ...namesIn(key === 'command' ? withoutOutputs(member) : member)];
  });
}

/** What a command writes to by `>` is no part of what it does: it would have changed after the first run. */
function withoutOutputs(command: unknown): unknown {
  return typeof command === 'string' ? command.replace(/>>?\s*"?[\w$./{}-]+"?/g, ' ') : command;
}

export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
