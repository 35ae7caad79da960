// npm run bench            every benchmark
// npm run bench -- kernel  one of them; --smoke for a quick pass that only shows it still runs
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ownEnvironment, ownFolder } from './lib/own-environment.mjs';
import { root } from './lib/paths.mjs';
import { prepare } from './lib/prepare.mjs';
import { mustRun } from './lib/run.mjs';

const args = process.argv.slice(2);
const flags = args.filter((arg) => arg.startsWith('--'));
const wanted = args.filter((arg) => !arg.startsWith('--'));
const all = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''));
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`No benchmark is called ${unknown.join(', ')}. There are: ${all.join(', ')}.`);
  process.exit(2);
}
await prepare();
const folder = ownFolder();
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
const env = ownEnvironment(process.env, folder);
for (const name of wanted.length > 0 ? wanted : all) {
  await mustRun(process.execPath, ['--expose-gc', '--import', 'tsx', `bench/${name}.bench.ts`, ...flags], {
    ...{ label: name, env, replace: true },
  });
}
