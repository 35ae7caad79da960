import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { root } from './paths.mjs';

const cli = join(root, 'packages/cli');
const out = join(cli, 'dist');
const chunks = join(out, 'chunks');

/**
 * Bundles the CLI from source into `packages/cli/dist`: a first file that Node starts without its loader for modules, and
 * one file for each thing that is loaded later.
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
  await build({
    ...shared,
    entryPoints: { main: join(cli, 'src/main.ts') },
    outdir: out,
    format: 'cjs',
    plugins: [loadedLater],
  });
  const program = await build({
    ...shared,
    entryPoints: { 'run-program': join(cli, 'src/run-program.ts') },
    outdir: chunks,
    chunkNames: '[name]-[hash]',
    splitting: true,
    format: 'esm',
    banner,
    plugins: [ownSources, oneLanguage, quickCommand],
  });
  const agentList = await build({
    ...shared,
    entryPoints: { 'agent-list': join(cli, 'src/commands/agent-list.ts') },
    outdir: chunks,
    chunkNames: 'list-[name]-[hash]',
    splitting: true,
    format: 'esm',
    banner,
    plugins: [ownSources, oneLanguage, yamlAsModules],
  });
  writeFileSync(join(out, 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(join(chunks, 'package.json'), '{ "type": "module" }\n');
  removeOthers([...Object.keys(program.metafile.outputs), ...Object.keys(agentList.metafile.outputs)]);
}

/** What an earlier build left goes last, so that a program that runs meanwhile finds all its files. */
function removeOthers(outputs) {
  const kept = new Set(['package.json', ...outputs.map((path) => basename(path))]);
  for (const name of readdirSync(chunks)) if (!kept.has(name)) rmSync(join(chunks, name));
}

/** Libraries in the older module format ask for these. */
const banner = {
  js: "import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;",
};

/** Asked for often and wanted at once: all it needs is in one file, which loads faster than the many it would share. */
const quickCommand = {
  name: 'quick-command',
  setup({ onResolve }) {
    onResolve({ filter: /commands\/agent-list\.js$/ }, () => ({ path: './agent-list.js', external: true }));
  },
};

/** The rest of the program is a bundle of its own. */
const loadedLater = {
  name: 'loaded-later',
  setup({ onResolve }) {
    onResolve({ filter: /run-program\.js$/ }, () => ({ path: './chunks/run-program.js', external: true }));
  },
};

/** Sources of ours are changed in three ways on their way into the bundle. */
const ownSources = {
  name: 'own-sources',
  setup({ onLoad }) {
    onLoad({ filter: /packages\/[a-z]+\/src\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = tellOwnPlace(importByName(importFromDefiningFile(importWhatIsUsed(text))), path);
      return { contents, loader: 'ts', resolveDir: dirname(path) };
    });
  },
};

/** The parser, in the module format that lets the bundler leave out what nobody uses: its writer, for one. */
const yamlAsModules = {
  name: 'yaml-as-modules',
  setup({ onResolve }) {
    const path = join(root, 'node_modules/yaml/browser/dist/index.js');
    onResolve({ filter: /^yaml$/ }, () => ({ path, sideEffects: false }));
  },
};

/** The schema library brings its messages in fifty languages; we speak one, and it is loaded by itself. */
const oneLanguage = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export {};', loader: 'js' }));
  },
};

/** The schema library's `z` is one object that holds all of it; as a namespace, the bundler sees which members are used. */
function importWhatIsUsed(text) {
  return text.replace("import { z } from 'zod';", "import * as z from 'zod';");
}

/** A source that asks where it lies is told where it lies, not where the bundle does: it looks for files beside it. */
function tellOwnPlace(text, path) {
  const url = `new URL(${JSON.stringify(relative(chunks, path))}, import.meta.url).href`;
  return text.replaceAll('import.meta.url', url);
}

/**
 * A name from a package comes straight from the file that defines it. Through the package's index, whatever uses one name
 * would load all the others, too: the bundler parts files, not names.
 */
function importFromDefiningFile(text) {
  return text.replace(/^import \{([^}]*)\} from '@amplifier\/([a-z]+)';/gm, (_, names, name) =>
    specifiers(names)
      .filter(({ isType }) => !isType)
      .map(({ imported, local }) => {
        const { file, exported } = definition(name, imported);
        return `import { ${exported} as ${local} } from ${JSON.stringify(file)};`;
      })
      .join(' '),
  );
}

/** Node finds the names of a library in the older module format when it is imported late; the bundler leaves them in `default`. */
function importByName(text) {
  const named = '((m) => ({ ...m.default, ...m }))';
  return text.replace(/\bimport\('((?!\.|node:)[^']+)'\)/g, (call) => `${call}.then(${named})`);
}

const indexes = new Map();

/** Where a name that a package exports is defined, through as many packages as pass it on. */
function definition(packageName, name) {
  if (!indexes.has(packageName)) indexes.set(packageName, readIndex(packageName));
  const found = indexes.get(packageName).get(name);
  if (!found) throw new Error(`@amplifier/${packageName} exports no ${name} by name.`);
  const [, passedOn] = /^@amplifier\/([a-z]+)$/.exec(found.from) ?? [];
  if (passedOn) return definition(passedOn, found.imported);
  const file = resolve(root, 'packages', packageName, 'src', found.from.replace(/\.js$/, '.ts'));
  return { file, exported: found.imported };
}

function readIndex(packageName) {
  const text = readFileSync(join(root, 'packages', packageName, 'src/index.ts'), 'utf8');
  const names = new Map();
  for (const [, list, from] of text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm)) {
    for (const { imported, local } of specifiers(list)) names.set(local, { imported, from });
  }
  return names;
}

function specifiers(list) {
  return list
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
    .map((each) => {
      const isType = each.startsWith('type ');
      const [imported, local = imported] = each.replace(/^type /, '').split(' as ');
      return { isType, imported, local };
    });
}
