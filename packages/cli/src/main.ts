#!/usr/bin/env node
import { version } from './version.js';

// The two things asked most often need nothing but this file.
const [first] = process.argv.slice(2);
if (process.argv.length === 3 && (first === '--version' || first === '-V')) {
  process.stdout.write(`amplifier ${version}\n`);
} else {
  const { main } = await import('./run-program.js');
  process.exitCode = await main(process.argv.slice(2));
}
