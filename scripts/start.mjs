// npm start            the demo: a real delegation on this repository, without a key and without the network
// npm start -- ARGS    amplifier ARGS
import { join } from 'node:path';
import { root } from './lib/paths.mjs';
import { prepare } from './lib/prepare.mjs';
import { run } from './lib/run.mjs';

await prepare();
const args = process.argv.slice(2);
const cli = join(root, 'packages/cli/dist/main.js');
process.exitCode = await run(process.execPath, [cli, ...(args.length > 0 ? args : ['demo'])]);
