// Vitest's global set-up: one folder for the whole run, gone afterwards whatever its tests left behind.
import { rmSync } from 'node:fs';
import { enterOwnEnvironment, ownFolder } from './own-environment.mjs';

export default function setup() {
  const folder = ownFolder();
  enterOwnEnvironment(folder);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
