import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/paths.mjs';
import { prepare } from './lib/prepare.mjs';
import { run } from './lib/run.mjs';

await prepare();
const cli = join(root, 'packages/cli/dist/main.js');
const program = existsSync(cli) ? cli : join(root, 'scripts/demo.mjs');
process.exitCode = await run(process.execPath, [program, ...process.argv.slice(2)]);
