// Sets everything up, runs the checks and every test, and closes with one line: N passed, N failed.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CHECK_COUNT, checks } from './lib/checks.mjs';
import { printCoverage } from './lib/coverage.mjs';
import { ensureDebianPackages } from './lib/debian-packages.mjs';
import { ownEnvironment, ownFolder } from './lib/own-environment.mjs';
import { root } from './lib/paths.mjs';
import { prepare } from './lib/prepare.mjs';
import { run, say } from './lib/run.mjs';
import { makeSandbox } from './lib/sandbox.mjs';

const COUNTS = 'node_modules/.cache/amplifier/test-counts.json';
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--configLoader', 'runner'];
/** Tests of sandboxes. Where no sandbox can be made inside another, they run again outside it. */
const SANDBOX_TESTS = [
  'packages/workspace/src/sandbox/bubblewrap',
  'packages/workspace/src/isolation/isolation',
  'packages/acp/src/engine/safety',
  'packages/modules/src/tools',
  'packages/modules/src/hooks/hooks-shell',
];
const filters = process.argv.slice(2);
const whole = filters.length === 0;
/** Coverage makes the tests slower, so only CI measures it. */
const covers = whole && Boolean(process.env.CI);

await prepare();
const missing = await ensureDebianPackages();
// While the first tests load: these wait for each other, and two processors are there for both.
const checking = whole ? checks() : Promise.resolve(0);
const folder = ownFolder();
const sandbox = makeSandbox([folder]);
if (!sandbox) say('bubblewrap does not work here: the tests run with all of your rights');
const counts = { passed: 0, failed: 0, skipped: 0, skippedIn: [] };
try {
  await runTests(sandbox, [...(covers ? ['--coverage.enabled'] : []), ...filters]);
  if (covers) printCoverage();
  const failedChecks = await checking;
  counts.failed += failedChecks;
  if (whole) counts.passed += CHECK_COUNT - failedChecks;
  if (whole && sandbox && !sandbox.nests) {
    say('no sandbox can be made inside a sandbox here: the tests of sandboxes run once more, outside');
    await runTests(null, SANDBOX_TESTS);
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
for (const file of counts.skippedIn) say(`skipped: ${file}`);
if (missing.length > 0)
  say(
    `skipped tests need what is not installed: ${missing.join(' ')}. On Debian: apt-get install ${missing.join(' ')}`,
  );
const { passed, failed, skipped } = counts;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

async function runTests(sandbox, args) {
  rmSync(join(root, COUNTS), { force: true });
  const command = [process.execPath, ...VITEST, ...args];
  const [program, ...rest] = sandbox ? sandbox.wrap(command) : command;
  const env = { ...ownEnvironment(process.env, folder), TEST_COUNTS: COUNTS };
  const code = await run(program, rest, { env, replace: true });
  const found = readCounts();
  counts.passed += found.passed;
  counts.failed += Math.max(found.failed, code === 0 ? 0 : 1);
  counts.skipped += found.skipped;
  counts.skippedIn.push(...found.skippedIn);
}

function readCounts() {
  try {
    return JSON.parse(readFileSync(join(root, COUNTS), 'utf8'));
  } catch {
    say('the test runner ended without a count');
    return { passed: 0, failed: 1, skipped: 0, skippedIn: [] };
  }
}
