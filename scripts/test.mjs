// Sets everything up, runs the checks and every test, and closes with one line: N passed, N failed.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CHECK_COUNT, checks } from './lib/checks.mjs';
import { printCoverage } from './lib/coverage.mjs';
import { ensureDebianPackages } from './lib/debian-packages.mjs';
import { root } from './lib/paths.mjs';
import { prepare } from './lib/prepare.mjs';
import { run, say } from './lib/run.mjs';

const COUNTS = 'node_modules/.cache/amplifier/test-counts.json';
const filters = process.argv.slice(2);

await prepare();
await ensureDebianPackages();
const failedChecks = filters.length > 0 ? 0 : await checks();
rmSync(join(root, COUNTS), { force: true });
const coverage = filters.length > 0 ? [] : ['--coverage.enabled'];
const code = await run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...coverage, ...filters], {
  env: { TEST_COUNTS: COUNTS },
});
if (coverage.length > 0) printCoverage();
const counts = readCounts();
const passed = counts.passed + (filters.length > 0 ? 0 : CHECK_COUNT - failedChecks);
const failed = Math.max(counts.failed, code === 0 ? 0 : 1) + failedChecks;
console.log(`${passed} passed, ${failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function readCounts() {
  try {
    return JSON.parse(readFileSync(join(root, COUNTS), 'utf8'));
  } catch {
    say('the test runner ended without a count');
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
