// A package may import only the packages behind its arrow, and no file may import itself through others, not even for a type.
// The arrows are the design; this script keeps them.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root as repository } from './lib/paths.mjs';

const root = process.argv[2] ?? repository;

const ARROWS = {
  core: [],
  foundation: ['core'],
  sessions: ['core'],
  workspace: ['core'],
  modules: ['core', 'workspace'],
  delegation: ['core', 'foundation', 'sessions', 'workspace'],
  acp: ['core', 'sessions', 'workspace', 'delegation'],
  postgres: ['core', 'sessions'],
  host: ['core', 'foundation', 'sessions', 'workspace', 'modules', 'delegation', 'acp', 'postgres'],
  mcp: ['host'],
  web: ['core', 'daemon'],
  daemon: ['core', 'foundation', 'sessions', 'workspace', 'delegation', 'host', 'mcp'],
  cli: ['host', 'mcp', 'acp', 'daemon'],
  testkit: ['core'],
};

const IMPORT = /(?:from|import)\s*\(?\s*['"]@amplifier\/([a-z-]+)/g;
const BESIDE = /from\s+['"](\.[^'"]+)\.js['"]/g;
const complaints = [];

for (const name of readdirSync(join(root, 'packages'))) {
  const folder = join(root, 'packages', name);
  const allowed = ARROWS[name];
  if (!allowed) {
    complaints.push(`packages/${name} has no arrow in scripts/check-arrows.mjs`);
    continue;
  }
  checkManifest(name, folder, allowed);
  const files = readdirSync(join(folder, 'src'), { recursive: true }).filter((file) => /\.tsx?$/.test(file));
  for (const file of files) checkFile(name, folder, file, allowed);
  checkCycles(name, folder, files);
}

for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;

function checkFile(name, folder, file, allowed) {
  const isTest = file.endsWith('.test.ts');
  for (const [, imported] of readFileSync(join(folder, 'src', file), 'utf8').matchAll(IMPORT)) {
    if (imported === name || allowed.includes(imported) || (isTest && imported === 'testkit')) continue;
    complaints.push(
      `packages/${name}/src/${file} imports @amplifier/${imported}; ${name} may import: ${allowed.join(', ') || 'nothing'}`,
    );
  }
}

function checkManifest(name, folder, allowed) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (
    name === 'core' &&
    Object.keys(dependencies).some((dependency) => !['zod', 're2js'].includes(dependency))
  ) {
    complaints.push(
      'packages/core/package.json: core depends on nothing but its schema library and its pattern engine',
    );
  }
  for (const dependency of Object.keys(dependencies)) {
    const [, imported] = dependency.match(/^@amplifier\/(.+)$/) ?? [];
    if (imported && !allowed.includes(imported)) {
      complaints.push(
        `packages/${name}/package.json depends on @amplifier/${imported}; ${name} may import: ${allowed.join(', ') || 'nothing'}`,
      );
    }
  }
}

/**
 * Names one file of each cycle with the way back to it. Imports that are made when a command runs do not count, and neither do the
 * kernel's: its contracts name the coordinator, and the coordinator what is mounted on it.
 */
function checkCycles(name, folder, files) {
  if (name === 'core') return;
  const known = new Map(files.map((file) => [file.replace(/\.tsx?$/, ''), file]));
  const imports = new Map(files.map((file) => [file, importsOf(folder, file, known)]));
  const done = new Set();
  for (const file of files) visit(file, []);

  function visit(file, way) {
    const at = way.indexOf(file);
    if (at >= 0)
      complaints.push(`packages/${name}/src: files import each other: ${way.slice(at).join(' → ')}`);
    if (done.has(file)) return;
    done.add(file);
    for (const next of imports.get(file)) visit(next, [...way, file]);
  }
}

function importsOf(folder, file, known) {
  const text = readFileSync(join(folder, 'src', file), 'utf8');
  return [...text.matchAll(BESIDE)].map(([, path]) => known.get(join(dirname(file), path))).filter(Boolean);
}
