import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/**
 * Leads the tests to the sources of our packages. Aliases and not the `source` condition: some of our dependencies
 * publish that condition too, as TypeScript that Node cannot load.
 */
export function sourceAliases() {
  return readdirSync(join(root, 'packages')).flatMap((folder) => {
    const manifest = join(root, 'packages', folder, 'package.json');
    if (!existsSync(manifest)) return [];
    const { name, exports = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
    return Object.entries(exports).flatMap(([subpath, { source }]) =>
      source
        ? [
            {
              find: new RegExp(`^${name}${subpath.slice(1)}$`),
              replacement: join(root, 'packages', folder, source),
            },
          ]
        : [],
    );
  });
}
