import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './paths.mjs';

const SUMMARY = 'node_modules/.cache/amplifier/coverage/coverage-summary.json';

/** Prints how many lines of the packages that keep state the tests have run. */
export function printCoverage() {
  let files;
  try {
    files = JSON.parse(readFileSync(join(root, SUMMARY), 'utf8'));
  } catch {
    return; // The tests did not come to their end; they say why themselves.
  }
  const packages = new Map();
  for (const [file, { lines }] of Object.entries(files)) {
    if (file === 'total') continue;
    const [, name] = relative(root, file).split('/');
    const sum = packages.get(name) ?? { total: 0, covered: 0 };
    packages.set(name, { total: sum.total + lines.total, covered: sum.covered + lines.covered });
  }
  const shares = [...packages].map(
    ([name, { total, covered }]) => `${name} ${((100 * covered) / total).toFixed(1)} %`,
  );
  console.log(`lines run by the tests: ${shares.join(', ')} (at least 90 % each)`);
}
