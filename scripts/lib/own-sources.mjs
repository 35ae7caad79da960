import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from './paths.mjs';

/** Copies of the files that packages read while they run, in the order of the packages. */
export const ASSETS = join(root, 'packages/cli/dist/assets');

/**
 * Sources of ours are changed on their way into a bundle. What they import late is left to `importLater`, which returns the
 * call that is to stand in its place.
 */
export function ownSources(importLater = (call) => call) {
  return {
    name: 'own-sources',
    setup({ onLoad, initialOptions: { outdir } }) {
      onLoad({ filter: /packages\/[a-z]+\/src\/.*\.ts$/ }, ({ path }) => {
        const text = importFromDefiningFile(importWhatIsUsed(readFileSync(path, 'utf8')));
        const late = text.replace(LATE_IMPORT, (call, name) => byName(importLater(call, name, path), name));
        return { contents: tellOwnPlace(late, path, outdir), loader: 'ts', resolveDir: dirname(path) };
      });
    },
  };
}

/** An import while the program runs, as opposed to one of Node's own modules or of a type. */
const LATE_IMPORT = /(?<!typeof )\bimport\('((?!node:)[^']+)'\)/g;

/** The schema library's `z` is one object that holds all of it; as a namespace, the bundler sees which members are used. */
function importWhatIsUsed(text) {
  return text.replace("import { z } from 'zod';", "import * as z from 'zod';");
}

/** A source that asks where it lies looks for files of its package. It is told where it would lie among their copies. */
function tellOwnPlace(text, path, folder) {
  const copied = join(ASSETS, relative(join(root, 'packages'), path));
  const url = `new URL(${JSON.stringify(relative(folder, copied))}, import.meta.url).href`;
  return text.replaceAll('import.meta.url', url);
}

/**
 * A name from a package comes straight from the file that defines it. Through the package's index, whatever uses one name
 * would load all the others, too: the bundler parts files, not names.
 */
function importFromDefiningFile(text) {
  return text.replace(/^import \{([^}]*)\} from '@amplifier\/([a-z]+(?:\/[a-z]+)?)';/gm, (_, names, name) =>
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
function byName(call, name) {
  return name.startsWith('.') ? call : `${call}.then((m) => ({ ...m.default, ...m }))`;
}

const indexes = new Map();

/** Where a name that an entry of a package exports is defined, through as many packages as pass it on. An entry is `sessions` or `sessions/record`. */
function definition(entry, name) {
  const [packageName, subpath = 'index'] = entry.split('/');
  const source = join(root, 'packages', packageName, 'src', `${subpath}.ts`);
  if (!indexes.has(entry)) indexes.set(entry, readIndex(source));
  const found = indexes.get(entry).get(name);
  // A subpath may be the defining file.
  if (!found && subpath !== 'index') return { file: source, exported: name };
  if (!found) throw new Error(`@amplifier/${entry} exports no ${name} by name.`);
  const [, passedOn] = /^@amplifier\/([a-z]+(?:\/[a-z]+)?)$/.exec(found.from) ?? [];
  if (passedOn) return definition(passedOn, found.imported);
  return { file: resolve(dirname(source), found.from.replace(/\.js$/, '.ts')), exported: found.imported };
}

function readIndex(source) {
  const text = readFileSync(source, 'utf8');
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
