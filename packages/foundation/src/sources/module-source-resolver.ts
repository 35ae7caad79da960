import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isPlainObject } from '@amplifier/core';
import { FoundationError } from '../errors.js';
import type { SourceResolver } from './source-resolver.js';

export interface ModuleSourceOptions {
  sources: SourceResolver;
  /** Where a relative source starts, and the search for an installed package. */
  baseDir: (named: Pick<NamedModule, 'source' | 'by_environment'>) => string;
  /** By module id; goes before the source a plan names. From settings. */
  overrides?: Readonly<Record<string, string>>;
  /** `AMPLIFIER_MODULE_<ID>` goes before everything. */
  environment?: Readonly<Record<string, string | undefined>>;
}

/** A module by the source that counts for it. */
export interface NamedModule {
  module_id: string;
  source: string;
  /** Does the environment name the source? */
  by_environment: boolean;
  /** What is looked for on this machine: a path, or `package NAME for FOLDER`. Null for a source that is fetched. */
  location: string | null;
}

export interface FoundModule extends NamedModule {
  /** The file or folder that the source means. */
  path: string;
  /** The file to import. */
  entry: string;
}

/** Finds the JavaScript of modules that are not built in: environment, then settings, then the plan's source, then an installed package. */
export function moduleFinder({
  sources,
  baseDir,
  overrides = {},
  environment = process.env,
}: ModuleSourceOptions) {
  return {
    name(module_id: string, planned: string | undefined): NamedModule {
      const override = Object.hasOwn(overrides, module_id) ? overrides[module_id] : undefined;
      const variable = environment[moduleVariable(module_id)];
      const source = variable ?? override ?? planned ?? module_id;
      const by_environment = variable !== undefined;
      const location = sources.localPlace(source, baseDir({ source, by_environment }));
      return { module_id, source, by_environment, location };
    },
    /** Rejects with a `FoundationError` where there is no module. */
    async find(named: NamedModule): Promise<FoundModule> {
      const { path } = await sources.resolve(named.source, baseDir(named));
      return { ...named, path, entry: await entryFile(path, named.module_id) };
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
