import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { ASSETS, ownSources } from './own-sources.mjs';
import { root } from './paths.mjs';

const cli = join(root, 'packages/cli');
const out = join(cli, 'dist');
const chunks = join(out, 'chunks');

/** Needed at every start: each is one file that `load-script.ts` loads. */
const SCRIPTS = { 'run-program': 'src/run-program.ts', 'agent-list': 'src/commands/agents/agent-list.ts' };

/** What the bundled sources read from the folders of their packages. */
const READ = [
  'cli/demo',
  'daemon/collections',
  'daemon/docs-page',
  'daemon/package.json',
  'foundation/bundle',
  'web/dist',
];

/**
 * Bundles the CLI from source into `packages/cli/dist`: a first file with next to nothing in it, the scripts that are wanted at
 * once, and modules for each thing that is loaded later. The folder needs nothing beside it.
 */
export async function bundleCli() {
  const { build } = await import('esbuild');
  const { version } = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8'));
  const shared = {
    bundle: true,
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    // Names stay: errors and stack traces show them, and keeping them costs nothing at start-up.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'linked',
    legalComments: 'none',
    define: { AMPLIFIER_VERSION: JSON.stringify(version) },
    logLevel: 'warning',
    metafile: true,
  };
  const asScript = {
    ...shared,
    outdir: out,
    format: 'cjs',
    define: { ...shared.define, 'import.meta.dirname': '__dirname', 'import.meta.url': '$url' },
  };
  const late = new Map([['amplifierd', join(root, 'packages/daemon/src/main.ts')]]);
  /** What a script imports late becomes a module of its own, by the name of its file: commands and libraries. */
  const importLater = (call, imported, importer) => {
    const own = imported.startsWith('.');
    // A command and a library may go by the same last name.
    const name = own ? basename(imported, '.js') : imported.replace('@', '').replaceAll('/', '-');
    if (own && !importer.startsWith(cli)) return call;
    late.set(name, own ? resolve(dirname(importer), imported.replace(/\.js$/, '.ts')) : imported);
    return `$import('./chunks/${name}.js')`;
  };
  const first = await build({ ...asScript, entryPoints: { main: join(cli, 'src/main.ts') } });
  const scripts = await build({
    ...asScript,
    entryPoints: inCli(SCRIPTS),
    plugins: [ownSources(importLater), oneLanguage, yamlAsModules],
    banner: { js: IN_SCRIPTS },
  });
  const { inputs } = scripts.metafile.outputs[relative(process.cwd(), join(out, 'run-program.js'))];
  if (Object.keys(inputs).some((path) => path.includes('node_modules/zod/')))
    throw new Error(
      'Every command would load the schema library: program.ts imports something that needs it.',
    );
  const modules = await build({
    ...shared,
    entryPoints: Object.fromEntries(late),
    outdir: chunks,
    chunkNames: '[name]-[hash]',
    splitting: true,
    format: 'esm',
    banner: { js: OLDER_FORMAT },
    plugins: [ownSources(), oneLanguage, yamlAsModules, sqliteAsScript],
  });
  // The database for a Node that has none of its own looks for its libraries here.
  cpSync(join(root, 'node_modules/@photostructure/sqlite/prebuilds'), join(out, 'prebuilds'), {
    recursive: true,
    force: true,
  });
  // Its files have a name for each state.
  rmSync(join(ASSETS, 'web/dist'), { recursive: true, force: true });
  for (const path of READ)
    cpSync(join(root, 'packages', path), join(ASSETS, path), { recursive: true, force: true });
  writeFileSync(join(out, 'amplifierd.js'), AMPLIFIERD, { mode: 0o755 });
  writeFileSync(join(out, 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(join(chunks, 'package.json'), '{ "type": "module" }\n');
  removeOthers(out, ['amplifierd.js'], first, scripts);
  mkdirSync(dirname(LAZY_CHUNKS), { recursive: true });
  writeFileSync(LAZY_CHUNKS, JSON.stringify(lazyChunks(modules.metafile)));
  removeOthers(chunks, [], modules);
}

/** The daemon's program is a module like those of the commands and shares what it can with them. */
const AMPLIFIERD = "#!/usr/bin/env node\nimport('./chunks/amplifierd.js');\n";

/** What `load-lazy-chunks.ts` loads, at the path that it has among the assets. */
const LAZY_CHUNKS = join(ASSETS, 'daemon/src/lifecycle/lazy-chunks.json');

/** The chunks that a server imports on demand, directly or through others, relative to the list of them. */
function lazyChunks({ outputs }) {
  const isServer = ([, { entryPoint }]) => entryPoint === 'packages/daemon/src/commands/run-serve.ts';
  const [server] = Object.entries(outputs).find(isServer);
  const [seen, lazy] = [new Set([server]), new Set()];
  for (const path of seen)
    for (const imported of outputs[path].imports.filter(({ external }) => !external)) {
      seen.add(imported.path);
      if (imported.kind === 'dynamic-import') lazy.add(basename(imported.path));
    }
  return [...lazy].sort().map((name) => relative(dirname(LAZY_CHUNKS), join(chunks, name)));
}

/** The address of a script, and the way it imports modules. */
const IN_SCRIPTS =
  "const $url = require('node:url').pathToFileURL(__filename).href, $import = (path) => import(path);";

/** Libraries in the older module format ask for these. */
const OLDER_FORMAT =
  "import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;";

/** Removes files of an earlier build. Comes last: a program that is running needs its files. */
function removeOthers(folder, written, ...builds) {
  const outputs = builds.flatMap(({ metafile }) => Object.keys(metafile.outputs));
  const kept = new Set(['package.json', ...written, ...outputs.map((path) => basename(path))]);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isFile() && !kept.has(entry.name)) rmSync(join(folder, entry.name));
}

function inCli(files) {
  return Object.fromEntries(Object.entries(files).map(([name, path]) => [name, join(cli, path)]));
}

/** The parser, in the module format that lets the bundler leave out what nobody uses: its writer, for one. */
const yamlAsModules = {
  name: 'yaml-as-modules',
  setup({ onResolve }) {
    const path = join(root, 'node_modules/yaml/browser/dist/index.js');
    onResolve({ filter: /^yaml$/ }, () => ({ path, sideEffects: false }));
  },
};

/** Its other format names its own folder, which the banner of the bundle does already. */
const sqliteAsScript = {
  name: 'sqlite-as-script',
  setup({ onResolve }) {
    const path = join(root, 'node_modules/@photostructure/sqlite/dist/index.cjs');
    onResolve({ filter: /^@photostructure\/sqlite$/ }, () => ({ path }));
  },
};

/** The schema library brings its messages in fifty languages; we speak one, and it is loaded by itself. */
const oneLanguage = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export {};', loader: 'js' }));
  },
};
