import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isPlainObject, type ModuleSourceResolver } from '@amplifier/core';
import { FoundationError } from '../errors.js';
import type { SourceResolver } from './source-resolver.js';

export interface ModuleSourceOptions {
  sources: SourceResolver;
  /** Where relative sources start: the project. */
  baseDir: string;
  /** By module id; goes before the source a plan names. From settings. */
  overrides?: Readonly<Record<string, string>>;
  /** `AMPLIFIER_MODULE_<ID>` goes before everything. */
  environment?: Readonly<Record<string, string | undefined>>;
}

/** Finds the JavaScript of modules that are not built in: environment, then settings, then the plan's source, then an installed package. */
export function moduleSourceResolver({
  sources,
  baseDir,
  overrides = {},
  environment = process.env,
}: ModuleSourceOptions): ModuleSourceResolver {
  return {
    async resolve(moduleId, planned) {
      const override = Object.hasOwn(overrides, moduleId) ? overrides[moduleId] : undefined;
      const source = environment[moduleVariable(moduleId)] ?? override ?? planned ?? moduleId;
      const { path } = await sources.resolve(source, baseDir);
      return pathToFileURL(await entryFile(path, moduleId)).href;
    },
  };
}

/** The variable that names the source of one module. */
export function moduleVariable(moduleId: string): string {
  return `AMPLIFIER_MODULE_${moduleId.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}

async function entryFile(path: string, moduleId: string): Promise<string> {
  if ((await stat(path)).isFile()) return path;
  const manifest = await readManifest(path);
  const named = manifest && entryOf(manifest);
  for (const candidate of [...(named ? [named] : []), 'index.js', 'index.mjs', 'dist/index.js']) {
    const file = resolve(path, candidate);
    if (await isFile(file)) return file;
  }
  const python = (await isFile(join(path, 'pyproject.toml'))) || (await isFile(join(path, 'setup.py')));
  throw new FoundationError(
    python
      ? `The module '${moduleId}' at ${path} is written in Python, and no built-in module has its id. Use one that has, or give a source with a JavaScript module.`
      : `There is no JavaScript module for '${moduleId}' at ${path}. It needs a package.json with exports or main, or an index.js.`,
    { code: 'SOURCE_NOT_FOUND', origin: moduleId },
  );
}

async function readManifest(folder: string): Promise<Record<string, unknown> | null> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const manifest: unknown = JSON.parse(text);
    return isPlainObject(manifest) ? manifest : null;
  } catch (cause) {
    throw new FoundationError(`${join(folder, 'package.json')} is not JSON. Correct it.`, {
      code: 'SOURCE_FAILED',
      cause,
    });
  }
}

/** What `import` of the package would load. */
function entryOf({ exports, module, main }: Record<string, unknown>): string | null {
  const root = isPlainObject(exports) && '.' in exports ? exports['.'] : exports;
  const exported = condition(root);
  if (exported) return exported;
  if (typeof module === 'string') return module;
  return typeof main === 'string' ? main : null;
}

function condition(target: unknown): string | null {
  if (typeof target === 'string') return target;
  if (!isPlainObject(target)) return null;
  return condition(target.import) ?? condition(target.node) ?? condition(target.default);
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
