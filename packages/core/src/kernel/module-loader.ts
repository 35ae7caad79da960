import type { JsonObject } from '../data/json.js';
import { importFile } from '../process/import-file.js';
import { closestNames } from '../text/closest-names.js';
import type { AmplifierModule, ModuleSourceResolver } from './contracts/module.js';
import { errorInfo } from './errors/amplifier-error.js';
import { KernelError } from './errors/kernel-error.js';

/** Built-in modules by id. Each is loaded when first asked for. */
export type ModuleRegistry = Record<string, () => AmplifierModule | Promise<AmplifierModule>>;

export interface ModuleLoaderOptions {
  builtins?: ModuleRegistry;
  /** Reads what a config refers to, such as `${API_KEY}`, just before a mount. The plan keeps the reference. */
  prepareConfig?: (config: JsonObject, moduleId: string) => JsonObject;
}

/** Finds modules: the built-in registry first, then the source the plan names. */
export class ModuleLoader {
  #builtins: ModuleRegistry;
  #loaded = new Map<string, AmplifierModule | Promise<AmplifierModule>>();
  readonly prepareConfig: (config: JsonObject, moduleId: string) => JsonObject;

  constructor({ builtins = {}, prepareConfig = (config) => config }: ModuleLoaderOptions = {}) {
    this.#builtins = builtins;
    this.prepareConfig = prepareConfig;
  }

  /** A built-in serves its id whatever source the plan names for it. What was loaded before is there at once. */
  load(
    moduleId: string,
    source?: string,
    resolver?: ModuleSourceResolver | null,
  ): AmplifierModule | Promise<AmplifierModule> {
    const builtin = Object.hasOwn(this.#builtins, moduleId) ? this.#builtins[moduleId] : undefined;
    const key = builtin ? moduleId : `${moduleId}\n${source ?? ''}`;
    const known = this.#loaded.get(key);
    if (known) return known;
    const finding = builtin ? Promise.resolve().then(builtin) : this.#import(moduleId, source, resolver);
    const loading = finding.then((found) => asModule(found, moduleId));
    this.#loaded.set(key, loading);
    loading.then(
      (module) => this.#loaded.set(key, module),
      () => this.#loaded.delete(key),
    );
    return loading;
  }

  async #import(moduleId: string, source?: string, resolver?: ModuleSourceResolver | null): Promise<unknown> {
    if (!resolver && source === undefined) {
      const [guess] = closestNames(moduleId, Object.keys(this.#builtins));
      throw new KernelError(
        `No built-in module is called '${moduleId}' and the plan gives no source for it.${guess ? ` Did you mean '${guess}'?` : ' Check the id or add a source.'}`,
        { code: 'MODULE_NOT_FOUND', origin: moduleId },
      );
    }
    try {
      return await importFile(resolver ? await resolver.resolve(moduleId, source) : (source as string));
    } catch (cause) {
      throw new KernelError(
        `Module '${moduleId}' cannot be loaded from ${source ?? 'its resolver'}: ${errorInfo(cause).message}`,
        {
          code: 'MODULE_NOT_FOUND',
          origin: moduleId,
          cause,
        },
      );
    }
  }
}

function asModule(found: unknown, moduleId: string): AmplifierModule {
  const exported = found as Partial<AmplifierModule> & { default?: Partial<AmplifierModule> };
  const candidate = typeof exported?.mount === 'function' ? exported : exported?.default;
  if (typeof candidate?.mount === 'function') return candidate as AmplifierModule;
  throw new KernelError(
    `Module '${moduleId}' exports no mount function. Export mount(coordinator, config).`,
    {
      code: 'MODULE_INVALID',
      origin: moduleId,
    },
  );
}
