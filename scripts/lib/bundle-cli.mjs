import { readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './paths.mjs';

const cli = join(root, 'packages/cli');
const out = join(cli, 'dist');

/** Bundles the CLI from source into `packages/cli/dist`: one small file to start, one for each thing loaded later. */
export async function bundleCli() {
  const { build } = await import('esbuild');
  const { version } = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8'));
  rmSync(join(out, 'chunks'), { recursive: true, force: true });
  await build({
    entryPoints: { main: join(cli, 'src/main.ts') },
    outdir: out,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    minify: true,
    keepNames: true,
    sourcemap: 'linked',
    legalComments: 'none',
    define: { AMPLIFIER_VERSION: JSON.stringify(version) },
    // Libraries in the older module format ask for Node's own modules by require().
    banner: {
      js: "import { createRequire as $createRequire } from 'node:module'; const require = $createRequire(import.meta.url);",
    },
    plugins: [ownPlaces, freeOfSideEffects],
    logLevel: 'warning',
  });
}

/** A source that asks where it lies is told where it lies, not where the bundle does: it looks for files beside it. */
const ownPlaces = {
  name: 'own-places',
  setup({ onLoad }) {
    onLoad({ filter: /packages\/[a-z]+\/src\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return null;
      // Every bundled file lies in dist/ or dist/chunks/; both know the way from dist/.
      const place = JSON.stringify(relative(out, path));
      const url = `new URL(${place}, import.meta.url.replace(/\\/chunks\\/[^/]*$/, '/x.js')).href`;
      return { contents: text.replaceAll('import.meta.url', url), loader: 'ts', resolveDir: dirname(path) };
    });
  },
};

/** Importing a package of ours does nothing, so what a command does not use is left out of what it loads. */
const freeOfSideEffects = {
  name: 'free-of-side-effects',
  setup(bundler) {
    bundler.onResolve({ filter: /^(@amplifier\/|yaml$|zod$)/ }, async ({ path, pluginData, ...rest }) => {
      if (pluginData === freeOfSideEffects) return null;
      const found = await bundler.resolve(path, { ...rest, pluginData: freeOfSideEffects });
      return { ...found, sideEffects: false };
    });
  },
};
