// What finding agents and making a child's plan cost: 1,000 agents in 4 search paths, beside the raw cost of the disk.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MountPlan } from '@amplifier/core';
import {
  AgentLoader,
  AgentResolver,
  applyProviderPreferences,
  BUILT_IN_BUNDLE,
  BundleLoader,
  bundleToMountPlan,
  mergeConfigs,
  SourceResolver,
} from '@amplifier/foundation';
import { isSmoke, measure, printTable } from './lib/measure.js';

const PATHS = 4;
const AGENTS = isSmoke ? 100 : 1_000;
const LISTING_LIMIT_MS = 100;
const RESOLUTION_LIMIT_MS = 1;

const folder = await mkdtemp(join(tmpdir(), 'amplifier-bench-'));
try {
  const files = await writeAgents(folder);
  const searchPaths = Array.from({ length: PATHS }, (_, index) => ({
    path: join(folder, String(index)),
    origin: `path ${index}`,
  }));
  const resolver = new AgentResolver({ searchPaths });
  const loader = new AgentLoader({ resolver });
  const last = `agent-${AGENTS - 1}`;
  const cold = () => new AgentLoader({ resolver }).listAgents();
  await loader.listAgents();

  const listing = await measure(
    [
      { name: 'read the folders, stat every file (floor)', run: () => statAll(searchPaths, files) },
      { name: 'read every file', run: () => Promise.all(files.map((file) => readFile(file, 'utf8'))) },
      { name: `list ${AGENTS} agents, warm`, run: () => loader.listAgents() },
      { name: `list ${AGENTS} agents, cold (every file parsed)`, run: cold },
    ],
    { batches: 20, perBatch: 1 },
  );
  printTable('Listing', listing);

  const resolution = await measure([
    {
      name: 'stat the file in 4 folders (floor)',
      run: () => Promise.all(searchPaths.map(({ path }) => stat(join(path, `${last}.md`)).catch(() => null))),
    },
    { name: 'resolve one name, in the last path', run: () => resolver.resolve(last) },
    { name: 'load it, warm', run: () => loader.loadAgent(last) },
  ]);
  printTable('Resolution', resolution);

  const bundles = new BundleLoader({
    sources: new SourceResolver({ cacheDir: join(folder, 'cache') }),
    registry: { foundation: BUILT_IN_BUNDLE },
  });
  const parent = withProvider(bundleToMountPlan(await bundles.load('foundation', folder)));
  const overlay = (await loader.loadAgent(last)).toMountPlanFragment();
  const wish = [{ provider: 'scripted', model: 'exact' }];
  const catalog = { has: () => true, models: async () => [] };
  printTable(
    'Plans',
    await measure([
      { name: 'structuredClone of the parent plan (floor)', run: () => structuredClone(parent) },
      { name: 'mergeConfigs(parent, agent)', run: () => mergeConfigs(parent, overlay) },
      { name: 'applyProviderPreferences', run: () => applyProviderPreferences(parent, wish, catalog) },
    ]),
  );

  printTable(
    'Bundles',
    await measure(
      [
        { name: 'read its files (floor)', run: () => readBundle() },
        { name: 'load the built-in bundle', run: () => bundles.load('foundation', folder) },
      ],
      { batches: 20, perBatch: 5 },
    ),
  );

  const listed = (listing[2]?.p50 ?? Number.NaN) / 1000;
  const resolved = (resolution[1]?.p50 ?? Number.NaN) / 1000;
  console.log(
    `\n  listing warm: ${listed.toFixed(1)} ms (limit ${LISTING_LIMIT_MS} ms); one resolution: ${resolved.toFixed(3)} ms (limit ${RESOLUTION_LIMIT_MS} ms)`,
  );
  if (!isSmoke && !(listed < LISTING_LIMIT_MS && resolved < RESOLUTION_LIMIT_MS)) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function writeAgents(root: string): Promise<string[]> {
  const files: string[] = [];
  for (let index = 0; index < AGENTS; index++) {
    const path = join(root, String(Math.floor((index * PATHS) / AGENTS)), `agent-${index}.md`);
    await mkdir(join(path, '..'), { recursive: true });
    const body = 'You do one thing well, and you say what you saw.\n'.repeat(40);
    await writeFile(
      path,
      `---\nmeta:\n  name: agent-${index}\n  description: Agent number ${index}, for when nothing else fits.\nmodel_role: [coding, general]\ntools:\n  - module: tool-filesystem\n    config: { allowed_write_paths: [] }\n  - tool-search\nagents: none\n---\n\n${body}`,
    );
    files.push(path);
  }
  return files;
}

async function statAll(searchPaths: readonly { path: string }[], files: readonly string[]): Promise<void> {
  await Promise.all(searchPaths.map(({ path }) => readdir(path, { withFileTypes: true })));
  await Promise.all(files.map((file) => stat(file)));
}

async function readBundle(): Promise<void> {
  const entries = await readdir(BUILT_IN_BUNDLE, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  await Promise.all(files.map((file) => readFile(file, 'utf8')));
}

function withProvider(plan: MountPlan): MountPlan {
  return { ...plan, providers: [{ module: 'provider-scripted', config: { priority: 10 } }] };
}
