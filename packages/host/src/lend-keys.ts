import { keepSecrets } from '@amplifier/core';
import type { Environment } from './amplifier-home.js';

/** Providers look for their keys in the process's own variables; those of `keys.env` are put there unless they are set. */
export function lendKeys(environment: Environment): void {
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined) process.env[name] ??= value;
  }
  keepSecrets(process.env);
}
