import { isUtf8 } from 'node:buffer';
import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TempWorkspace } from '@amplifier/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CliSandbox } from '../test-support/run-cli.js';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
/** The database for a Node without its own: binaries of an npm package whose digest is in the lock file. */
const PREBUILDS = join(
  dirname(createRequire(import.meta.url).resolve('@photostructure/sqlite/package.json')),
  'prebuilds',
);

let place: TempWorkspace;
let packed: Packed;
beforeAll(async () => {
  place = await TempWorkspace.create({});
  await using box = await CliSandbox.create();
  packed = await pack(box, place.path);
});
afterAll(() => place?.[Symbol.asyncDispose]());

it('installs from its own package alone, without the network, and works in any folder', async () => {
  await using prefix = await TempWorkspace.create({});
  await using box = await CliSandbox.create({ 'a.txt': 'ALPHA' });
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(program, args, { cwd: box.folder.path, env: box.env });
  const quiet = ['--offline', '--no-audit', '--no-fund'];
  await run('npm', 'install', '--global', '--prefix', prefix.path, ...quiet, place.resolve(packed.filename));

  const amplifier = prefix.resolve('bin/amplifier');
  expect((await run(amplifier, '--version')).stdout).toMatch(/^amplifier \d/);
  expect((await run(amplifier, 'agent', 'list')).stdout).toMatch(/^explorer +foundation/m);
  expect((await run(amplifier, 'run', '--offline', 'delegate explorer: read a.txt')).stdout).toContain(
    'ALPHA',
  );
  expect((await run(prefix.resolve('bin/amplifierd'), '--version')).stdout).toMatch(/^\d/);
  // Its three agents run at once: any of them may be first.
  expect((await run(amplifier, 'demo')).stdout).toMatch(
    /amplifier session resume \S+_(explorer|reviewer|scout-lead) /,
  );
});

it('packs only text that can be reviewed, and the SQLite libraries of the pinned dependency', async () => {
  const { files } = packed;
  expect(files.length).toBeGreaterThan(100);
  const unexpected: string[] = [];
  for (const { path } of files) {
    const bytes = await readFile(join(PACKAGE, path));
    if (isUtf8(bytes) && !bytes.includes(0)) continue;
    const [, library] = /^dist\/prebuilds\/(.+\.node)$/.exec(path) ?? [];
    const isPinned = library !== undefined && bytes.equals(await readFile(join(PREBUILDS, library)));
    if (!isPinned) unexpected.push(path);
  }
  expect(unexpected, 'files that are neither text nor of a pinned dependency').toEqual([]);
});

it('lists agents from a single script: no module is loaded, which takes several times as long', async () => {
  await using box = await CliSandbox.create();
  await using copy = await TempWorkspace.create({});
  const dist = join(PACKAGE, 'dist');
  const isNeeded = (path: string) => !/\/(chunks|prebuilds|types)$|\.map$/.test(path);
  await cp(dist, copy.path, { recursive: true, filter: isNeeded });
  const args = [copy.resolve('main.js'), 'agent', 'list'];
  const listed = await promisify(execFile)(process.execPath, args, { cwd: box.folder.path, env: box.env });
  expect(listed.stdout).toMatch(/^explorer +foundation/m);
});

interface Packed {
  filename: string;
  files: { path: string }[];
}

async function pack({ env, folder }: CliSandbox, destination: string): Promise<Packed> {
  const args = ['pack', '--json', '--pack-destination', destination, PACKAGE];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder.path, env });
  const [packed] = JSON.parse(stdout) as [Packed];
  return packed;
}
