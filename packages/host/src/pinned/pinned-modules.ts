import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorInfo, isPlainObject, type Report } from '@amplifier/core';
import type { FoundModule, NamedModule } from '@amplifier/foundation';
import { isWithin } from '@amplifier/workspace';
import { HostError } from '../host-error.js';
import { readTrustFile, writeTrustFile } from '../trust/trust-notes.js';
import { changedFiles, type ModuleManifest, manifestOf, openCopy, storeCopy } from './module-copies.js';
import { sealImports } from './seal-imports.js';
import type { TracedFiles } from './trace-imports.js';
import { noteUse, removeUnusedCopies } from './unused-copies.js';

export interface PinnedModulesOptions {
  /** The home that keeps pins and copies. */
  home: string;
  /** Folders that no session may write, in any mode. */
  homes: readonly string[];
  /** Does the user name it, or only a project? What the user names is trusted on first use. */
  isUsers: (named: NamedModule) => boolean;
  /** What makes a person's consent known, such as `run: amplifier trust .`. */
  how: string;
  report: Report;
}

/** A module that is not loaded until a person agrees. */
export interface PendingModule {
  found: FoundModule;
  /** What changed; empty if the module was never part of what was trusted. */
  changed: string[];
}

/**
 * Decides what code is loaded into this process. A module below one of our homes is loaded from there: no session can write it.
 * Any other is loaded from a copy of itself and everything it imports, made when it was trusted. The original may change; what
 * changed is not loaded until a person agrees.
 */
export class PinnedModules {
  readonly #options: PinnedModulesOptions;

  constructor(options: PinnedModulesOptions) {
    this.#options = options;
  }

  /** The URL to import. Throws `MODULE_NOT_TRUSTED`. */
  async load(found: FoundModule): Promise<string> {
    const opened = await this.open(found);
    if (typeof opened === 'string') return opened;
    throw this.#refusal(opened);
  }

  /** The URL to import, or why a person has to agree first. */
  async open(found: FoundModule): Promise<string | PendingModule> {
    const { home, isUsers, report } = this.#options;
    const entry = await realpath(found.entry);
    const own = this.#ownHome(entry);
    if (own !== null) {
      sealImports(own);
      return pathToFileURL(entry).href;
    }
    const pin = await readPin(home, found);
    if (pin === null) {
      if (!isUsers(found)) return { found, changed: [] };
      await this.pin(found, await traced(found));
      report(firstUse(found, entry));
      return this.open(found);
    }
    const changed = pin === MISSING ? [entry] : await changedFiles(pin);
    if (pin === MISSING || changed.length > 0 || pin.entry !== entry)
      return { found, changed: changed.length > 0 ? changed : [entry] };
    const copy = (await openCopy(this.#copies, pin)) ?? (await this.#restored(found, pin));
    if (copy === null) return { found, changed: [entry] };
    await noteUse(home, pin.digest);
    await this.#removeUnused();
    sealImports(home);
    return pathToFileURL(await realpath(copy)).href;
  }

  /** Trusts the module as it was traced. */
  async pin(found: FoundModule, traced: TracedFiles): Promise<void> {
    const manifest = manifestOf(traced);
    const { home } = this.#options;
    const { module_id, source } = found;
    await storeCopy(this.#copies, traced, manifest);
    await noteUse(home, manifest.digest);
    const subject = subjectOf(found);
    await writeTrustFile(home, subject, { subject, module_id, source, ...manifest });
  }

  /** Once for each process. What cannot be removed harms nothing, and `doctor` shows it. */
  async #removeUnused(): Promise<void> {
    const { home, report } = this.#options;
    if (cleaned.has(home)) return;
    cleaned.add(home);
    await removeUnusedCopies(home).catch((error) =>
      report({
        level: 'warning',
        code: 'MODULE_COPIES_KEPT',
        message: `Unused copies of modules in ${join(home, 'modules')} could not be removed: ${errorInfo(error).message}`,
      }),
    );
  }

  /**
   * For a module that was not found. Throws if it was there when it was trusted: a guard must not be lost with its files. Otherwise
   * notes that the user names it, because one that appears later is not what the user meant.
   */
  async checkMissing(named: NamedModule): Promise<void> {
    const { home, isUsers, how } = this.#options;
    const { module_id, source } = named;
    const pin = await readPin(home, named);
    if (pin !== null && pin !== MISSING)
      throw new HostError(
        `The module '${module_id}' was at ${pin.entry} when it was trusted, and is no longer there. Restore it, or remove it from the settings, then ${how}`,
        { code: 'MODULE_NOT_TRUSTED', origin: module_id },
      );
    if (!isUsers(named) || pin !== null) return;
    await writeTrustFile(home, subjectOf(named), {
      subject: subjectOf(named),
      module_id,
      source,
      missing: true,
    });
  }

  get #copies(): string {
    return join(this.#options.home, 'modules');
  }

  #ownHome(path: string): string | null {
    return this.#options.homes.find((folder) => isWithin(realOrSame(folder), path)) ?? null;
  }

  /** Makes a lost copy again, if the original is still what was trusted. */
  async #restored(found: FoundModule, pin: ModuleManifest): Promise<string | null> {
    const files = await traced(found);
    const manifest = manifestOf(files);
    if (manifest.digest !== pin.digest) return null;
    await storeCopy(this.#copies, files, manifest);
    return openCopy(this.#copies, pin);
  }

  #refusal({ found, changed }: PendingModule): HostError {
    const { module_id, path } = found;
    const why =
      changed.length > 0
        ? `The module '${module_id}' at ${path} has changed since it was trusted: ${listed(changed)}.`
        : `The module '${module_id}' at ${path} is not part of what you trusted.`;
    return new HostError(`${why} It is not loaded. Review it, then ${this.#options.how}`, {
      code: 'MODULE_NOT_TRUSTED',
      origin: module_id,
    });
  }
}

/** The files of a module as they are now. Loads the parser, which only a module that is new or changed needs. */
export async function traced({ path, entry }: FoundModule): Promise<TracedFiles> {
  const { traceImports } = await import('./trace-imports.js');
  return traceImports(path, entry);
}

/** At most a few names, and how many more. */
export function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const MAX_NAMED = 5;
/** Homes whose unused copies this process has looked for. */
const cleaned = new Set<string>();
const MISSING = 'missing';

async function readPin(home: string, named: NamedModule): Promise<ModuleManifest | typeof MISSING | null> {
  const pin = await readTrustFile(home, subjectOf(named));
  if (pin === null) return null;
  const { subject, entry, digest, files } = pin;
  // One that cannot be read is no first use: a person has to agree.
  if (subject !== subjectOf(named) || typeof entry !== 'string' || typeof digest !== 'string') return MISSING;
  if (!isPlainObject(files)) return MISSING;
  return { entry, digest, files: files as Record<string, string> };
}

function subjectOf({ location, source }: NamedModule): string {
  return `module ${location ?? source}`;
}

function firstUse({ module_id }: FoundModule, entry: string) {
  return {
    level: 'warning' as const,
    code: 'MODULE_FIRST_USE',
    message: `The module '${module_id}' at ${entry} is used for the first time, and is trusted with everything it imports as it is now. You are asked when any of it changes.`,
  };
}

function realOrSame(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
