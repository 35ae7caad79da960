// node scripts/count-functions.mjs          functions and files of our packages that one delegation enters, beside the peer
// node scripts/count-functions.mjs --list   and every function with how often it was called
//
// The delegation is that of `npm run bench -- delegation`: the default bundle's loop and context, the real `delegate` tool. Counted by
// V8's precise coverage after warm-ups, on the built packages.
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { root } from './lib/paths.mjs';
import { prepare } from './lib/prepare.mjs';
import { mustRun } from './lib/run.mjs';

const WARM_UPS = 10;
const OURS = /\/packages\/[a-z]+\/dist\//;
const PEER = /\/node_modules\/(ai|@ai-sdk)\//;

if (process.argv.includes('--count')) await count();
else {
  await prepare();
  const flags = ['--count', ...process.argv.slice(2)];
  await mustRun(process.execPath, ['--import', 'tsx', fileURLToPath(import.meta.url), ...flags], {
    ...{ label: 'count', replace: true },
  });
}

async function count() {
  const bench = pathToFileURL(join(root, 'bench/lib/delegation-subjects.ts')).href;
  const { durableBench, memoryBench, peer } = await import(bench);
  const folder = mkdtempSync(join(tmpdir(), 'amplifier-count-'));
  const [durable, memory] = [await durableBench(folder), await memoryBench(folder)];
  try {
    print('on disk', await entered(durable.delegate, OURS));
    print('in memory', await entered(memory.delegate, OURS));
    print('AI SDK sub-agent', await entered(peer, PEER));
  } finally {
    await durable.store.close();
    await memory.store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The functions that one delegation calls in files whose URLs match. */
async function entered(delegate, files) {
  for (let run = 0; run < WARM_UPS; run++) await delegate(1, 1);
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await delegate(1, 1);
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  inspector.disconnect();
  return result
    .filter(({ url }) => files.test(url))
    .flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges: [range] }) => range.count > 0)
        .map(({ functionName, ranges: [{ count, startOffset }] }) => ({
          file: relative(root, fileURLToPath(url)),
          name: functionName || `(anonymous at ${startOffset})`,
          count,
        })),
    );
}

function print(what, functions) {
  const files = new Set(functions.map(({ file }) => file));
  const calls = functions.reduce((sum, each) => sum + each.count, 0);
  console.log(`${what}: ${functions.length} functions in ${files.size} files, ${calls} calls`);
  if (!process.argv.includes('--list')) return;
  for (const { file, name, count } of functions.sort((a, b) => b.count - a.count))
    console.log(`  ${String(count).padStart(6)}  ${name}  ${file}`);
}
