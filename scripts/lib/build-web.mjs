import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from './paths.mjs';

const web = join(root, 'packages/web');
const out = join(web, 'dist');

/**
 * Bundles the browser application into `packages/web/dist`: one page, and files named by their content, so that a browser may
 * keep them for ever. What an earlier build left goes last: a page that is open finds its files until then.
 */
export async function buildWeb() {
  const [colours = ''] = await bundle('colour-code', 'src/ui/colour-code.ts');
  const files = await bundle('app', 'src/main.tsx', [loadsLater('./colour-code.js', colours)]);
  files.push(colours);
  const page = readFileSync(join(web, 'src/index.html'), 'utf8')
    .replace('{{script}}', nameOf(files, 'js'))
    .replace('{{style}}', nameOf(files, 'css'));
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'index.html'), page);
  const assets = join(out, 'assets');
  for (const name of readdirSync(assets)) if (!files.includes(name)) rmSync(join(assets, name));
}

/** One file each of script and style: a browser has all of it with one question. Returns their names. */
async function bundle(name, source, plugins = []) {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    entryPoints: { [name]: join(web, source) },
    outdir: out,
    entryNames: 'assets/[name]-[hash]',
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    absWorkingDir: root,
    plugins,
  });
  return Object.keys(metafile.outputs).map((path) => basename(path));
}

/** What is imported by this name is a file of its own, beside the one that imports it. */
function loadsLater(name, file) {
  const filter = new RegExp(`^${name.replaceAll('.', '\\.')}$`);
  return {
    name: 'loads later',
    setup: ({ onResolve }) => onResolve({ filter }, () => ({ path: `./${file}`, external: true })),
  };
}

function nameOf(files, extension) {
  const found = files.find((name) => name.startsWith('app-') && name.endsWith(`.${extension}`));
  if (!found) throw new Error(`The browser application was built without a .${extension} file of its own.`);
  return found;
}
