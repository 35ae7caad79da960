// Vitest's global set-up: one folder for the whole run, gone afterwards whatever its tests left behind.
import { rmSync } from 'node:fs';
import { enterOwnEnvironment, ownFolder } from './own-environment.mjs';

const ENTERED = Symbol.for('amplifier.test-run');

/** Called for each project of the configuration; one folder serves all. */
export default function setup() {
  if (globalThis[ENTERED]) return;
  globalThis[ENTERED] = true;
  const folder = ownFolder();
  enterOwnEnvironment(folder);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
