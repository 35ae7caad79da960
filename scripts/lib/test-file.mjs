// Vitest's set-up for each test file: a home and a temporary folder that no other file has. Files share a process one after
// the other, so each begins with the variables and the folder that the process began with.
import { rmSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { afterAll } from 'vitest';
import { enterOwnEnvironment, ownFolder } from './own-environment.mjs';

// A function must run longer before it is optimized: most code of a test runs a few times.
setFlagsFromString('--interrupt-budget=800000');

const BEFORE = Symbol.for('amplifier.test-process');
globalThis[BEFORE] ??= { env: { ...process.env }, cwd: process.cwd() };
const { env, cwd } = globalThis[BEFORE];

// It ends a process that hangs: here that would be the one in which all files run.
globalThis[Symbol.for('amplifier.supervisor')] = { stopping() {}, standStillFor: (work) => work() };

process.chdir(cwd);
for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
Object.assign(process.env, env);
const folder = ownFolder();
enterOwnEnvironment(folder);
afterAll(() => {
  process.chdir(cwd);
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Something still ends in it, or it holds what only another user may remove. The folder of the whole run goes at its end.
  }
});
