import { runSilently, say } from './run.mjs';

const node = process.execPath;

/** What must hold beside the tests. */
const CHECKS = [
  ['format and lint', node, ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.']],
  ['types of the tests', node, ['node_modules/ts7/bin/tsc', '--project', 'tsconfig.tests.json']],
  ['dependency arrows', node, ['scripts/check-arrows.mjs']],
  ['length of the paths', node, ['scripts/count-path.mjs']],
  ['unused code', node, ['node_modules/knip/bin/knip.js', '--no-config-hints']],
];

/** Runs them all at once and returns how many failed. What one has to say is shown when it fails. */
export async function checks() {
  const results = await Promise.all(CHECKS.map(([, command, args]) => runSilently(command, args)));
  let failed = 0;
  for (const [index, { code, output }] of results.entries()) {
    const [name] = CHECKS[index];
    say(code === 0 ? `check: ${name}` : `check failed: ${name}\n${output}`);
    if (code !== 0) failed++;
  }
  return failed;
}

export const CHECK_COUNT = CHECKS.length;
