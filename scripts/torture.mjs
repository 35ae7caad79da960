// npm run torture              every packages/*/torture/*.torture.ts with its full counts
// npm run torture -- sessions  those whose path contains the word
import { prepare } from './lib/prepare.mjs';
import { run } from './lib/run.mjs';

await prepare();
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.torture.config.ts'];
process.exitCode = await run(process.execPath, [...vitest, ...process.argv.slice(2)]);
