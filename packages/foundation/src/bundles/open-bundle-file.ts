import { dirname, join, resolve } from 'node:path';
import { closestNames } from '@amplifier/core';
import { expandHome } from '../agents/agent-search-order.js';
import { confinedPath, pathWithin } from '../documents/confined-path.js';
import { FoundationError } from '../errors.js';
import type { SourceResolver } from '../sources/source-resolver.js';
import { parseSource } from '../sources/source-uri.js';
import type { BundleDocument } from './bundle-document.js';
import { findBundleFile, firstFile, splitNamespaced } from './bundle-references.js';
import type { ReadBundleFile } from './read-bundle-file.js';

/** Sources by the name a person gives for them. */
export type BundleRegistry = Readonly<Record<string, string>>;

/** A folder that `name:path` starts at. */
export interface NamespaceRoot {
  name: string;
  root: string;
  confine_to: string | null;
}

/** A bundle file as found, with where it came from. */
export interface OpenBundle {
  document: BundleDocument;
  source: string;
  revision: string | null;
  stale: boolean;
  /** The search that found it, if it is an installed package: `package NAME for FOLDER`. */
  searched: string | null;
  /** The bundle whose folder this file lies in, when it is a part of a larger one. */
  home: NamespaceRoot | null;
  /** Includes that could not be loaded, as they are written. */
  missing: string[];
}

export interface OpenOptions {
  sources: SourceResolver;
  registry: BundleRegistry;
  readBundleFile: ReadBundleFile;
  /** Known so far. */
  namespaces: ReadonlyMap<string, NamespaceRoot>;
  /** Where a relative reference of the first bundle starts. */
  baseDir: string;
  /** Where the search for an installed package starts that is not named by an include. */
  packagesFrom: (source: string, baseDir: string) => string;
  /** The one whose include this is. */
  includedBy: OpenBundle | null;
}

interface Located {
  file: string;
  source: string;
  revision: string | null;
  stale: boolean;
  searched?: string | null;
  confine_to: string | null;
}

/** Finds and reads the bundle file that a reference means: a registered name, `name:path`, or a source. */
export async function openBundleFile(reference: string, options: OpenOptions): Promise<OpenBundle> {
  const { confine_to, ...located } = await locate(reference, options);
  const { file, source, revision, stale, searched = null } = located;
  const [document, home] = await Promise.all([
    options.readBundleFile(file, confine_to),
    findHome(file, confine_to, options.readBundleFile),
  ]);
  return { document, source, revision, stale, searched, home, missing: [] };
}

async function locate(reference: string, options: OpenOptions): Promise<Located> {
  const { registry, namespaces, includedBy } = options;
  // A part of a bundle means by its name the bundle it lies in, whoever else is registered by that name.
  if (includedBy?.home?.name === reference) return inNamespace(includedBy.home, '.', reference, includedBy);
  if (Object.hasOwn(registry, reference))
    return fromSource(registry[reference] ?? '', reference, { ...options, includedBy: null });
  const namespaced = splitNamespaced(reference);
  if (!namespaced) return fromSource(reference, reference, options);
  const { namespace, path } = namespaced;
  const known = namespaces.get(namespace);
  if (known) return inNamespace(known, path, reference, options.includedBy);
  if (!Object.hasOwn(registry, namespace))
    throw unknownNamespace(namespace, reference, [...namespaces.keys(), ...Object.keys(registry)]);
  const owner = await openBundleFile(namespace, options);
  const { root, confine_to } = owner.document;
  return inNamespace({ name: namespace, root, confine_to }, path, reference, owner);
}

async function fromSource(source: string, reference: string, options: OpenOptions): Promise<Located> {
  const { includedBy, baseDir, packagesFrom, registry, sources } = options;
  const { scheme } = parseSource(source);
  const start = scheme === 'package' ? packagesFrom(source, baseDir) : baseDir;
  const folder = includedBy ? dirname(includedBy.document.file) : start;
  if (scheme === 'path') return fromPath(source, folder, reference, options);
  // Without its subdirectory, which may leave away the ending of a file.
  const [whole = source] = source.split('#');
  const found = await sources.resolve(whole, folder).catch((error) => {
    throw scheme === 'package' ? unknownBundle(reference, folder, registry, error) : error;
  });
  const { subdirectory } = parseSource(source);
  const path = subdirectory === null ? found.path : pathWithin(found.root, join(found.path, subdirectory));
  const file = await findBundleFile(path);
  if (!file) throw noBundleAt(path, reference);
  await confinedPath(found.root, file);
  const { revision, stale } = found;
  return {
    file,
    source,
    revision,
    stale,
    searched: sources.localPlace(whole, folder),
    confine_to: found.root,
  };
}

/** A path of a fetched bundle stays inside what was fetched and is of the same revision. */
async function fromPath(
  source: string,
  folder: string,
  reference: string,
  { sources, includedBy }: OpenOptions,
): Promise<Located> {
  const confine_to = includedBy?.document.confine_to ?? null;
  const { location, subdirectory } = parseSource(source);
  const path = resolve(folder, expandHome(location), subdirectory ?? '.');
  if (confine_to !== null) pathWithin(confine_to, path);
  const file = await findBundleFile(path);
  if (!file) throw noBundleAt((await sources.resolve(source, folder)).path, reference);
  if (confine_to === null) return { file, source, revision: null, stale: false, confine_to };
  await confinedPath(confine_to, file);
  return {
    file,
    source,
    revision: includedBy?.revision ?? null,
    stale: includedBy?.stale ?? false,
    confine_to,
  };
}

/** The name is known, so a path that is not there is a mistake in the bundle: never passed over. */
async function inNamespace(
  { root, confine_to }: NamespaceRoot,
  path: string,
  reference: string,
  owner: OpenBundle | null,
): Promise<Located> {
  const file = await findBundleFile(pathWithin(root, path));
  if (!file) {
    throw new FoundationError(
      `'${reference}' leads to ${join(root, path)}, where there is no bundle. Check the path; .yaml, .md and a folder with a bundle.md are tried.`,
      { code: 'BUNDLE_DEPENDENCY', origin: reference },
    );
  }
  if (confine_to !== null) await confinedPath(confine_to, file);
  return {
    file,
    source: reference,
    revision: owner?.revision ?? null,
    stale: owner?.stale ?? false,
    confine_to,
  };
}

/** How far up a part of a bundle may lie below its `bundle.md`, where nothing says where the bundle ends. */
const HOME_DEPTH = 3;

async function findHome(
  file: string,
  confineTo: string | null,
  readBundleFile: ReadBundleFile,
): Promise<NamespaceRoot | null> {
  let folder = dirname(file);
  for (let depth = 0; depth < HOME_DEPTH; depth++, folder = dirname(folder)) {
    const path = await firstFile(['bundle.md', 'bundle.yaml'].map((candidate) => join(folder, candidate)));
    if (path === file) return null;
    if (path !== null) {
      const { name, root } = await readBundleFile(path, confineTo);
      return { name, root, confine_to: confineTo };
    }
    if (folder === confineTo || dirname(folder) === folder) return null;
  }
  return null;
}

function unknownNamespace(namespace: string, reference: string, known: string[]): FoundationError {
  const [guess] = closestNames(namespace, known);
  const hint = guess ? `Did you mean '${guess}'?` : 'Include the bundle of that name, or register it.';
  return new FoundationError(`No bundle is called '${namespace}' (in '${reference}'). ${hint}`, {
    code: 'BUNDLE_NOT_FOUND',
    origin: reference,
  });
}

function unknownBundle(
  reference: string,
  folder: string,
  registry: BundleRegistry,
  cause: unknown,
): FoundationError {
  const names = Object.keys(registry);
  const [guess] = closestNames(reference, names);
  const hint = guess ? `Did you mean '${guess}'?` : `Known are: ${names.join(', ') || 'none'}.`;
  return new FoundationError(
    `No bundle is called '${reference}', and no package of that name is installed for ${folder}. ${hint} A path begins with ./`,
    { code: 'BUNDLE_NOT_FOUND', origin: reference, cause },
  );
}

function noBundleAt(path: string, reference: string): FoundationError {
  return new FoundationError(
    `'${reference}' leads to ${path}, where there is no bundle.md and no bundle.yaml. Check the source and its subdirectory.`,
    { code: 'BUNDLE_NOT_FOUND', origin: reference },
  );
}
