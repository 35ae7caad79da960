import { createRequire } from 'node:module';
import { join } from 'node:path';

export type LoadScript = typeof loadScript;

/** Loads a script that the bundler writes beside this one. Each is a single file in the older module format, which starts faster. */
export function loadScript<Exports extends object>(name: string): Exports {
  const file = join(import.meta.dirname, `${name}.js`);
  return createRequire(file)(file);
}
