import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, join, parse, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ancestors, isWithin } from '@amplifier/workspace';
import type { Node } from 'acorn';
import { HostError } from '../host-error.js';

/** What a module may hold at most, with everything it imports. */
const MAX_FILES = 20_000;
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_LINKS = 40;

/** The files a module consists of, by absolute path: a content, or where a symbolic link leads. */
export interface TracedFiles {
  /** The real path of the file that is imported first. */
  entry: string;
  files: ReadonlyMap<string, Buffer | { link: string }>;
  /**
   * By `NAME for FOLDER`: where the package was found, or that it is missing. Resolvers cache what they find for the lifetime of the
   * process; this is looked up each time, so that a package that hides another later is noticed.
   */
  packages: ReadonlyMap<string, string>;
}

type Import = { specifier: string; by: 'import' | 'require' };

/**
 * Reads a module and everything it imports. A package of `node_modules` and the folder that a source names count whole, because
 * code computes names within its own package; other files count if an import or a text names them. Each file is read once: what
 * is returned is what was traced. Runs nothing.
 */
export async function traceImports(source: string, entry: string): Promise<TracedFiles> {
  const { parse: parseScript } = await import('acorn');
  const { resolve: resolveImport } = await import('import-meta-resolve');
  const files = new Map<string, Buffer | { link: string }>();
  const packages = new Map<string, string>();
  const folders = new Set<string>();
  const waiting: string[] = [];
  const queued = new Set<string>();
  let bytes = 0;

  const first = await realOf(entry);
  const named = await realOf(source);
  if (named !== first) await addFolder(named);
  await follow(first);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) await traceFile(file);
  return { entry: first, files, packages };

  /** The real path. Records every link on the way, so that a copy resolves as the original does. */
  async function realOf(path: string): Promise<string> {
    const { root } = parse(path);
    let rest = partsOf(path);
    let real = root;
    let links = 0;
    while (rest.length > 0) {
      const [name = '', ...after] = rest;
      const next = join(real, name);
      const target = await readlink(next).catch(() => null);
      if (target === null) [real, rest] = [next, after];
      else {
        if (++links > MAX_LINKS) throw tooLarge(entry, `${path} leads through more than ${MAX_LINKS} links`);
        const link = resolve(real, target);
        files.set(next, { link });
        [real, rest] = [root, [...partsOf(link), ...after]];
      }
    }
    return real;
  }

  async function addFile(path: string): Promise<Buffer | null> {
    const known = files.get(path);
    if (Buffer.isBuffer(known)) return known;
    const found = await stat(path).catch(() => null);
    if (!found?.isFile()) return null;
    bytes += found.size;
    if (bytes > MAX_BYTES || files.size >= MAX_FILES) throw tooLarge(entry);
    const content = await readFile(path);
    files.set(path, content);
    return content;
  }

  async function addFolder(folder: string): Promise<void> {
    if (folders.has(folder)) return;
    folders.add(folder);
    for (const item of await readdir(folder, { withFileTypes: true })) {
      if (item.name === 'node_modules' || item.name === '.git') continue;
      const path = await realOf(join(folder, item.name));
      if (item.isDirectory()) await addFolder(path);
      else await addFile(path);
    }
  }

  /** Adds a file that is imported, its package if it belongs to an installed one, and the manifest that says how it is read. */
  async function follow(path: string): Promise<void> {
    const installed = packageFolder(path);
    if (installed !== null) await addFolder(installed);
    if ((await addFile(path)) === null || queued.has(path)) return;
    queued.add(path);
    for (const folder of ancestors(path)) {
      if (basename(folder) === 'node_modules') break;
      if ((await addFile(await realOf(join(folder, 'package.json')))) !== null) break;
    }
    if (path === first || /\.(js|mjs|cjs)$/.test(path)) waiting.push(path);
  }

  async function traceFile(path: string): Promise<void> {
    const content = files.get(path);
    const tree = Buffer.isBuffer(content) ? parsed(content.toString('utf8')) : null;
    // What cannot be parsed names nothing; its imports are refused when it is loaded.
    if (tree === null) return;
    const { imports, texts } = namesIn(tree);
    for (const each of imports) {
      if (!isBuiltin(each.specifier)) await noteLinks(each.specifier, path);
      const target = found(each, path);
      if (target === null) continue;
      await follow(await realOf(target));
    }
    if (packageFolder(path) === null) await addNamed(texts, path);
  }

  function parsed(text: string): Node | null {
    for (const sourceType of ['module', 'script'] as const) {
      try {
        return parseScript(text, {
          ecmaVersion: 'latest',
          sourceType,
          allowHashBang: true,
          allowReturnOutsideFunction: true,
        });
      } catch {
        // Read as the other kind.
      }
    }
    return null;
  }

  /** The file that an import means, or null: one that does not resolve is refused when it is loaded. */
  function found({ specifier, by }: Import, from: string): string | null {
    if (isBuiltin(specifier)) return null;
    try {
      if (by === 'require') return createRequire(from).resolve(specifier);
      const url = resolveImport(specifier, pathToFileURL(from).href);
      return url.startsWith('file:') ? fileURLToPath(url) : null;
    } catch {
      return null;
    }
  }

  /** Resolvers give real paths: the links that lead there are found by name. */
  async function noteLinks(specifier: string, from: string): Promise<void> {
    if (/^(\.{1,2}(\/|$)|\/)/.test(specifier)) {
      const path = resolve(dirname(from), specifier);
      for (const ending of ['', '.js', '.json', '.cjs', '.mjs', '.node']) await realOf(path + ending);
      return;
    }
    const name = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
    const asked = `${name} for ${dirname(from)}`;
    if (packages.has(asked)) return;
    packages.set(asked, 'missing');
    for (const folder of ancestors(from)) {
      const path = join(folder, 'node_modules', name);
      if (await stat(path).catch(() => null)) {
        packages.set(asked, await realOf(path));
        return;
      }
    }
  }

  /** Files that a text of the code names, such as a template that it reads or a worker. Only within the folder of the code. */
  async function addNamed(texts: readonly string[], from: string): Promise<void> {
    const folder = dirname(from);
    for (const text of texts) {
      const path = resolve(folder, text);
      if (isWithin(folder, path) && path !== folder) await follow(await realOf(path));
    }
  }
}

/** The folder of the installed package that a path belongs to, or null. */
export function packageFolder(path: string): string | null {
  const marker = `${sep}node_modules${sep}`;
  const at = path.lastIndexOf(marker);
  if (at === -1) return null;
  const parts = path.slice(at + marker.length).split(sep);
  return join(path.slice(0, at), 'node_modules', ...parts.slice(0, parts[0]?.startsWith('@') ? 2 : 1));
}

function partsOf(path: string): string[] {
  return path.slice(parse(path).root.length).split(sep).filter(Boolean);
}

/** What a program imports by a literal, and the texts in it that may be names of files. */
function namesIn(tree: Node): { imports: Import[]; texts: string[] } {
  const imports: Import[] = [];
  const texts = new Set<string>();
  const stack: unknown[] = [tree];
  while (stack.length > 0) {
    const node = stack.pop();
    if (Array.isArray(node)) for (const item of node) stack.push(item);
    else if (isNode(node)) {
      const { type, source, callee, arguments: given } = node as SyntaxNode;
      const from = textOf(source);
      const call = type === 'CallExpression' && isRequire(callee) ? textOf(given?.[0]) : null;
      if (from !== null) imports.push({ specifier: from, by: 'import' });
      if (call !== null) imports.push({ specifier: call, by: 'require' });
      const text = textOf(node);
      if (text !== null && text.length < 256 && /^[\w@./-]*[./][\w@./ -]+$/.test(text)) texts.add(text);
      for (const member of Object.values(node)) if (typeof member === 'object') stack.push(member);
    }
  }
  return { imports, texts: [...texts] };
}

interface SyntaxNode extends Node {
  source?: unknown;
  callee?: unknown;
  arguments?: unknown[];
  object?: unknown;
  name?: unknown;
  value?: unknown;
  quasis?: { value?: { cooked?: unknown } }[];
  expressions?: unknown[];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** `require`, `require.resolve`, and what `createRequire` is commonly assigned to. */
function isRequire(callee: unknown): boolean {
  if (!isNode(callee)) return false;
  const { type, name, object } = callee as SyntaxNode;
  if (type === 'MemberExpression') return isRequire(object);
  return type === 'Identifier' && /require/i.test(String(name));
}

/** The value of a literal, or of a template without expressions. */
function textOf(value: unknown): string | null {
  if (!isNode(value)) return null;
  const { type, value: literal, quasis, expressions } = value as SyntaxNode;
  if (type === 'Literal' && typeof literal === 'string') return literal;
  const cooked = quasis?.[0]?.value?.cooked;
  return type === 'TemplateLiteral' && expressions?.length === 0 && typeof cooked === 'string'
    ? cooked
    : null;
}

function tooLarge(
  entry: string,
  why = `it has more than ${MAX_FILES} files or ${MAX_BYTES / 1024 / 1024} MiB`,
) {
  return new HostError(
    `The module at ${entry} cannot be copied: with everything it imports, ${why}. Name a smaller folder as its source, or a file that was bundled.`,
    { code: 'MODULE_TOO_LARGE', origin: entry },
  );
}
