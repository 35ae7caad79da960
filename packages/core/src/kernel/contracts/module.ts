import type { JsonObject } from '../../data/json.js';
import type { Coordinator } from '../coordinator.js';

/** Undoes a mount. */
export type Cleanup = () => void | Promise<void>;

/**
 * What a module file exports. `mount` puts the module's parts on the coordinator and may return a cleanup. It gets a
 * config of its own each time and must not keep state between mounts.
 */
export interface AmplifierModule {
  mount(coordinator: Coordinator, config: JsonObject): Promise<Cleanup | void> | Cleanup | void;
  /** Called once everything is mounted, in mount order. */
  onSessionReady?(coordinator: Coordinator): void | Promise<void>;
}

/** Finds the place of a module that is not built in. Supplied by the app; the kernel knows no disk and no network. */
export interface ModuleSourceResolver {
  /** Returns something `import()` takes. Must throw when the source leads to no JavaScript module. */
  resolve(moduleId: string, source: string | undefined): Promise<string>;
}
