#!/usr/bin/env node
import { loadScript } from './load-script.js';
import { version } from './version.js';

// What is asked most often needs nothing but this file.
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`amplifier ${version}\n`);
} else {
  const { main } = loadScript<typeof import('./run-program.js')>('run-program');
  main(args, loadScript).then((code) => {
    process.exitCode = code;
  });
}
