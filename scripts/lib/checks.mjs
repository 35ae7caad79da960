import { run, say } from './run.mjs';

const node = process.execPath;

/** What must hold beside the tests. */
const CHECKS = [
  ['format and lint', node, ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.']],
  ['types of the tests', node, ['node_modules/ts7/bin/tsc', '--project', 'tsconfig.tests.json']],
  ['dependency arrows', node, ['scripts/check-arrows.mjs']],
  ['unused code', node, ['node_modules/knip/bin/knip.js', '--no-config-hints']],
];

/** Runs them all and returns how many failed. */
export async function checks() {
  let failed = 0;
  for (const [name, command, args] of CHECKS) {
    say(`check: ${name}`);
    if ((await run(command, args)) === 0) continue;
    say(`check failed: ${name}`);
    failed++;
  }
  return failed;
}

export const CHECK_COUNT = CHECKS.length;
