import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, extname, isAbsolute, relative } from 'node:path';
import { errorInfo, isPlainObject, sanitizeText } from '@amplifier/core';
import { isWithin, realPathOf } from '@amplifier/workspace';
import { packageFolder, traceImports } from '../pinned/trace-imports.js';
import { digestOf } from './local-files.js';

/** What scripts of hooks load beside the files that their texts name. */
export interface HookImports {
  /** Of all of it. Empty if there is nothing. */
  digest: string;
  /** By path: the digest of a file, or of an installed package as a whole. */
  files: Record<string, string>;
  /** Those of them that sessions must not write. Packages may be installed anew. */
  locked: string[];
  /** Scripts whose modules cannot be followed. */
  unpinned: { file: string; what: string }[];
}

/** Files that take part in hooks. */
export interface HookScripts {
  /** All of them. */
  files: readonly string[];
  /** Is it run by a hook, rather than only named in another file? */
  isRun: (file: string) => boolean;
  /** Interpreters that a command gives them to, whatever their names. */
  interpreters: ReadonlyMap<string, string>;
  /** Are the modules that node loads followed? If not, only scripts of other interpreters are reported. */
  follow: boolean;
}

/** Programs whose scripts load modules by rules that are not followed here. */
const OTHER_INTERPRETERS = /^(python|ruby|perl|php|lua|deno|bun|tsx|ts-node)[\d.]*$/;
const OTHER_ENDINGS: Readonly<Record<string, string>> = {
  '.py': 'python',
  '.rb': 'ruby',
  '.pl': 'perl',
  '.php': 'php',
  '.lua': 'lua',
  '.ts': 'a TypeScript runner',
  '.mts': 'a TypeScript runner',
};

/**
 * Follows what node loads for the scripts among these files. Of the project's own `package.json` only what decides how files are found
 * counts: it changes often. Runs nothing.
 */
export async function hookImports(scripts: HookScripts, folder: string): Promise<HookImports> {
  const files: Record<string, string> = {};
  const packages = new Map<string, Set<string>>();
  const found: Record<string, string> = {};
  const unpinned: HookImports['unpinned'] = [];
  const note = (script: string, why: string) => {
    const what = `loads modules that cannot be pinned${why}`;
    if (scripts.isRun(script)) unpinned.push({ file: relative(folder, script), what: sanitizeText(what) });
  };
  for (const script of scripts.files) {
    const interpreter = scripts.interpreters.get(script) ?? (await interpreterOf(script));
    if (interpreter === null) continue;
    if (interpreter !== 'node') {
      note(script, `, by ${interpreter}`);
      continue;
    }
    if (!scripts.follow) continue;
    try {
      const traced = await traceImports(script, script);
      for (const [asked, place] of traced.packages) found[asked] = place;
      for (const [path, content] of traced.files) {
        const digest = Buffer.isBuffer(content) ? contentDigest(path, content) : digestOf(content.link);
        const owner = packageFolder(path);
        if (owner === null) files[path] = digest;
        else packages.set(owner, (packages.get(owner) ?? new Set()).add(`${path} ${digest}`));
      }
    } catch (error) {
      note(script, `: ${errorInfo(error).message}`);
    }
  }
  const real = await realPathOf(folder);
  const locked = Object.keys(files).filter(
    (path) => isWithin(real, path) && basename(path) !== 'package.json',
  );
  for (const [owner, parts] of packages) files[owner] = digestOf([...parts].sort());
  // One that the resolver of this process does not know yet is named all the same.
  for (const place of Object.values(found)) if (isAbsolute(place)) files[place] ??= 'found';
  const digest = Object.keys(files).length === 0 ? '' : digestOf([files, found]);
  return { digest, files, locked, unpinned };
}

/** By the first line of the file, else by its ending. Null for one that loads no modules, such as a script of a shell. */
async function interpreterOf(script: string): Promise<string | null> {
  const line = await firstLine(script);
  const words = /^#!\s*(\S+)(?:\s+(.*))?$/.exec(line)?.slice(1) ?? [];
  const program = basename(words[0] ?? '');
  const named =
    program === 'env' ? (words[1] ?? '').split(/\s+/).find((word) => /^[a-z]/.test(word)) : program;
  if (named && /^(node|nodejs)$/.test(named)) return 'node';
  if (named) return OTHER_INTERPRETERS.test(named) ? named : null;
  const ending = extname(script);
  return ['.js', '.mjs', '.cjs'].includes(ending) ? 'node' : (OTHER_ENDINGS[ending] ?? null);
}

async function firstLine(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return '';
  try {
    if (!(await file.stat()).isFile()) return '';
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    return buffer.subarray(0, bytesRead).toString().split('\n')[0] ?? '';
  } finally {
    await file.close();
  }
}

function contentDigest(path: string, content: Buffer): string {
  const whole = () => createHash('sha256').update(content).digest('hex');
  if (basename(path) !== 'package.json' || packageFolder(path) !== null) return whole();
  try {
    const manifest: unknown = JSON.parse(content.toString());
    if (!isPlainObject(manifest)) return whole();
    const { name, type, imports, exports, main } = manifest;
    return digestOf([name, type, imports, exports, main]);
  } catch {
    return whole();
  }
}
