import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { isPlainObject } from '@amplifier/core';
import type { Places } from '@amplifier/foundation';
import { isWithin } from '@amplifier/workspace';
import { readSmallFile } from '../project/read-json-file.js';
import { COMPLETIONS, namesInScript, namesInValue, pathOf, wordsOf } from './file-names.js';
import { type FileFinder, readScript, type ShellScript } from './run-commands.js';

/** A module with more than this is not looked through, and so cannot be trusted. */
const MAX_FILES = 2000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Only a text of this size is searched for the names of further files, and of scripts this much together. */
const MAX_SEARCHED = 256 * 1024;
const MAX_SEARCHED_SCRIPTS = 1024 * 1024;
/** Names that are searched for in a text, instead of the words of the text in a folder. */
const MAX_ODD_NAMES = 500;
/** Folders that scripts change to, one from another. */
const MAX_FOLDERS = 16;
/** Characters of shell scripts that are parsed, each and together, because parsing blocks the process. Others are only searched. */
const MAX_SCRIPT = 8_000;
const MAX_PARSED = 32_000;
/** Commands of one script that are shown. */
const MAX_NOTES = 5;

/** The files of one folder, read for what is in them. Nothing outside of the folder is looked at. */
export interface LocalFiles extends FileFinder {
  /** Of the file or of everything in the folder at the path, and of the files it names in turn. */
  digestAt(path: string): Promise<string>;
  /** Of every file of the folder that a text in the value names, as a source or in a command. */
  namedIn(value: unknown): Promise<string[]>;
  /** Of each path that is a file of the folder, with its name. `from`: folders in which their scripts may run. */
  filesAt(paths: Iterable<string>, from: readonly string[]): Promise<string[]>;
  /** What is in the folder at the path, in order. Null for one that leads out of the folder, or cannot be read. */
  namesAt(path: string): Promise<string[] | null>;
  /** Every file and folder that was looked at so far, with its digest. */
  looked(): Record<string, string>;
  /** What files that were looked at run beside the files they name, by file. */
  unpinned(): { file: string; what: string }[];
}

/** Sets no two runs alike: what cannot be looked through never equals what was seen before. */
export const unknowable = () => `unknown ${Math.random()}`;

/**
 * Adds every path that is looked at to `places`. `ofCommands`: the files are run as programs. Each word of their texts may then be
 * the name of a file, and what they run beside such files is reported.
 */
export function openLocalFiles(folder: string, places: Places, { ofCommands = false } = {}): LocalFiles {
  const seen = new Map<string, string>();
  const digests = new Map<string, string>();
  const listings = new Map<string, Promise<ReadonlyMap<string, string> | null>>();
  const notes = new Map<string, { file: string; what: string }>();
  let files = 0;
  let bytes = 0;
  let parsed = 0;
  let searched = 0;
  const local: LocalFiles = {
    digestAt: (path) => digestAt(path, []),
    namedIn: (value) => digestsOf(namesInValue(value), [folder], true, []),
    filesAt,
    loadedAt,
    folderAt,
    namesAt,
    looked: () => Object.fromEntries(seen),
    unpinned: () => [...notes.values()],
  };
  return local;

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

  async function digestAt(path: string, from: readonly string[]): Promise<string> {
    const key = [path, ...from].join('\0');
    const known = digests.get(key);
    if (known !== undefined) return known;
    digests.set(key, ''); // A circle ends here.
    if (!seen.has(path)) seen.set(path, '');
    const digest = await read(path, from);
    digests.set(key, digest);
    seen.set(path, digest);
    return digest;
  }

  async function read(path: string, from: readonly string[]): Promise<string> {
    places.add(path);
    const found = await lstat(path).catch(() => null);
    if (found === null) return 'nothing';
    if (found.isSymbolicLink()) {
      const place = await realpath(path).catch(() => null);
      const inside = place !== null && isWithin(await realpath(folder), place);
      // A script that is started by the link takes the folder of the link for its own.
      return inside ? digestAt(place, [...new Set([...from, dirname(path)])]) : `leads to ${place}`;
    }
    files += 1;
    if (files > MAX_FILES) return tooMuch(path);
    if (found.isDirectory()) {
      const names = await namesAt(path);
      if (names === null) return unknowable();
      const parts: string[] = [];
      for (const name of names) parts.push(name, await digestAt(join(path, name), from));
      return digestOf(parts);
    }
    bytes += found.size;
    if (!found.isFile() || bytes > MAX_BYTES) return tooMuch(path);
    const content = await readFile(path).catch(() => null);
    if (content === null) return unknowable();
    const named = await namedInFile(path, content, from);
    return digestOf([createHash('sha256').update(content).digest('hex'), ...named]);
  }

  function tooMuch(path: string): string {
    note(path, 'is more than can be looked through: it has to be trusted again at each start');
    return unknowable();
  }

  function note(path: string, what: string): void {
    if (ofCommands) notes.set(`${path} ${what}`, { file: relative(folder, path), what });
  }

  async function namedInFile(path: string, content: Buffer, from: readonly string[]): Promise<string[]> {
    if (isBinary(content)) return [];
    searched += content.length;
    if (content.length > MAX_SEARCHED || (ofCommands && searched > MAX_SEARCHED_SCRIPTS)) {
      note(path, 'runs something that cannot be pinned: it is too long to be searched for names of files');
      return [];
    }
    const text = content.toString('utf8');
    const own = dirname(path);
    if (!ofCommands) return digestsOf(new Set(wordsOf(text)), [own, folder], false, []);
    const found = namesInScript(text);
    const around = [...new Set([own, folder, ...from])];
    const script = await shellScript(path, text, around);
    const open = script?.isWhole ? script.open : [...found.computed, ...(script?.open ?? [])];
    for (const change of open.slice(0, MAX_NOTES))
      note(path, `runs something that cannot be pinned: ${change}`);
    const starts = await startsOf(path, found.folders, script?.folders ?? around);
    const inherited = starts.filter((start) => start !== own && start !== folder);
    const odd = await oddNames(path, text, starts);
    const digests = await digestsOf(new Set([...found.names, ...odd]), starts, false, inherited);
    digests.push(...(await filesAt(script?.paths ?? [], inherited)));
    for (const name of script?.isWhole ? [] : found.loaded)
      for (const start of starts)
        digests.push(...(await filesAt(await loadedAt(pathOf(start, name), COMPLETIONS), inherited)));
    return digests;
  }

  /** Null for a file that is no shell script. */
  async function shellScript(
    path: string,
    text: string,
    from: readonly string[],
  ): Promise<ShellScript | null> {
    const isShell = text.startsWith('#!') ? /^#!.*sh\b/.test(text) : /^\.(ba)?sh$/.test(extname(path));
    // Without an ending it may be anything.
    if (!isShell && (text.startsWith('#!') || extname(path) !== '')) return null;
    parsed += text.length;
    const isTooLong = text.length > MAX_SCRIPT || parsed > MAX_PARSED;
    const script = isTooLong ? null : await readScript(text, from, folder, local);
    if (script?.isWhole) return { ...script, isWhole: isShell };
    if (isShell) note(path, 'runs something that cannot be pinned: it is too long, or cannot be parsed');
    return script && { ...script, open: isShell ? script.open : [] };
  }

  /** The folders in which a script may look for a name. */
  async function startsOf(
    path: string,
    folders: ReadonlySet<string>,
    from: readonly string[],
  ): Promise<string[]> {
    const starts = new Set(from);
    for (const start of starts)
      for (const name of folders) {
        const place = await folderAt(pathOf(start, name));
        if (place === null || starts.has(place)) continue;
        if (starts.size < MAX_FOLDERS) starts.add(place);
        else note(path, 'runs something that cannot be pinned: it changes the folder too often');
      }
    return [...starts];
  }

  /** Names of entries that are not single words and occur in the text. */
  async function oddNames(path: string, text: string, starts: readonly string[]): Promise<string[]> {
    const plain = text.replace(/\\(.)/g, '$1');
    const entries = await Promise.all(starts.map(async (start) => (await entriesOf(start)) ?? new Map()));
    const odd = entries.flatMap((names) => [...names.values()]).filter((name) => /[^\w.-]/.test(name));
    if (odd.length > MAX_ODD_NAMES)
      note(path, 'runs something that cannot be pinned: there are too many files with blanks in their names');
    return odd.slice(0, MAX_ODD_NAMES).filter((name) => plain.includes(name));
  }

  async function folderAt(path: string): Promise<string | null> {
    const found = await find(path);
    return found?.stats.isDirectory() ? found.place : null;
  }

  async function filesAt(paths: Iterable<string>, from: readonly string[]): Promise<string[]> {
    const digests: string[] = [];
    for (const path of paths) {
      const found = await find(path);
      if (found?.stats.isFile()) digests.push(found.path, await digestAt(found.path, from));
    }
    return digests;
  }

  async function loadedAt(path: string, completions: readonly string[]): Promise<string[]> {
    const main = (await folderAt(path)) === null ? null : await mainOf(join(path, 'package.json'));
    const paths = [path, ...(main === null ? [] : [resolve(path, main)])];
    const found: string[] = [];
    for (const each of paths.flatMap((start) => ['', ...completions].map((end) => `${start}${end}`)))
      if ((await find(each))?.stats.isFile()) found.push(each);
    return found;
  }

  async function mainOf(file: string): Promise<string | null> {
    places.add(file);
    const text = await readSmallFile(file).catch(() => null);
    try {
      const manifest: unknown = JSON.parse(text ?? '');
      const main = isPlainObject(manifest) ? manifest.main : null;
      return typeof main === 'string' && !/^[./]*$/.test(main) ? main : null;
    } catch {
      return null;
    }
  }

  async function digestsOf(
    names: ReadonlySet<string>,
    starts: readonly string[],
    withFolders: boolean,
    from: readonly string[],
  ): Promise<string[]> {
    const digests: string[] = [];
    for (const name of names) {
      for (const start of starts) {
        const found = await find(pathOf(start, name));
        if (!found || found.path === folder) continue;
        // A folder counts only where it is named as a source; in a text it may be anything.
        const isSource = withFolders && found.stats.isDirectory() && /^\.{0,2}\//.test(name);
        if (isSource || found.stats.isFile()) digests.push(name, await digestAt(found.path, from));
      }
    }
    return digests;
  }

  /**
   * What is at a path that leads into the folder: as it is written from the folder, and without links. Texts have thousands of words,
   * so a name that its folder does not list is not looked for.
   */
  async function find(asked: string): Promise<{ path: string; place: string; stats: Stats } | null> {
    if (asked.includes('\0')) return null;
    const isBelow = isWithin(folder, asked);
    const entries = isBelow && asked !== folder ? await entriesOf(dirname(asked)) : null;
    if (entries !== null && !entries.has(comparable(basename(asked)))) return null;
    if (isBelow) places.add(asked);
    const real = await realpath(asked).catch(() => null);
    const stats = real === null ? null : await stat(real).catch(() => null);
    if (real === null || stats === null) return null;
    const inside = placeOf(await realpath(folder), real);
    // A link of the folder counts even if it leads out.
    if (inside === null) return isBelow ? { path: asked, place: asked, stats } : null;
    return { path: isBelow ? asked : inside, place: inside, stats };
  }

  /** The path of what is really in the folder, as the folder is written. */
  function placeOf(root: string, real: string): string | null {
    return isWithin(root, real) ? join(folder, relative(root, real)) : null;
  }

  /** By comparable name. Null for a folder that cannot be listed. */
  function entriesOf(path: string): Promise<ReadonlyMap<string, string> | null> {
    const listed =
      listings.get(path) ??
      readdir(path).then(
        (names) => new Map(names.map((name) => [comparable(name), name])),
        (error) => (['ENOENT', 'ENOTDIR'].includes(error.code) ? new Map() : null),
      );
    listings.set(path, listed);
    places.add(path);
    return listed;
  }
}

/** Some file systems take names for the same that differ in case or in the form of their characters. */
function comparable(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

/** A program for the processor. No interpreter takes these first bytes for a script. */
function isBinary(content: Buffer): boolean {
  const magic = content.subarray(0, 4).toString('hex');
  return /^(7f454c46|feedfac[ef]|c[ef]faedfe|cafebabe)$/.test(magic) && content.subarray(0, 64).includes(0);
}

export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
