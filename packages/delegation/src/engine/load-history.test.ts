import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';

const PROCESS = fileURLToPath(new URL('../../test-support/history-process.mjs', import.meta.url));
const HEAP_MB = 100;
/** Each holds 7 MB, together three times the heap. */
const TURNS = 45;

it('turns of long conversations wait for memory instead of ending the process', async () => {
  await using workspace = await TempWorkspace.create();
  const args = [`--max-old-space-size=${HEAP_MB}`, PROCESS, workspace.path, String(TURNS)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe('DONE\n');
});
