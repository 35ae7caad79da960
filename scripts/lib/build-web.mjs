import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from './paths.mjs';

const web = join(root, 'packages/web');
const out = join(web, 'dist');

/** The page of each room where a first visit often begins; all others have that of Now. */
const PAGES = { 'index.html': 'now-page-', 'session.html': 'session-page-' };

/**
 * Bundles the browser application into `packages/web/dist`: one page, and files named by their content, so that a browser may
 * keep them for ever. What an earlier build left goes last: a page that is open finds its files until then.
 */
export async function buildWeb() {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    entryPoints: { app: join(web, 'src/main.tsx') },
    outdir: out,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    bundle: true,
    splitting: true,
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
  });
  const files = Object.keys(metafile.outputs).map((path) => basename(path));
  const page = readFileSync(join(web, 'src/index.html'), 'utf8')
    .replace('{{script}}', nameOf(files, 'js'))
    .replace('{{style}}', nameOf(files, 'css'));
  mkdirSync(out, { recursive: true });
  for (const [name, room] of Object.entries(PAGES))
    writeFileSync(join(out, name), page.replace('{{preloads}}', preloads(metafile.outputs, room)));
  const assets = join(out, 'assets');
  for (const name of readdirSync(assets)) if (!files.includes(name)) rmSync(join(assets, name));
}

function nameOf(files, extension) {
  const found = files.find((name) => name.startsWith('app-') && name.endsWith(`.${extension}`));
  if (!found) throw new Error(`The browser application was built without a .${extension} file of its own.`);
  return found;
}

/** Everything that a room needs before it is drawn, asked for at once instead of one import after the other. */
function preloads(outputs, room) {
  const found = new Set();
  const add = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: next, kind } of outputs[path].imports) if (kind === 'import-statement') add(next);
  };
  for (const path of Object.keys(outputs)) if (isStart(basename(path), room)) add(path);
  return [...found]
    .map((path) => `<link rel="modulepreload" href="/assets/${basename(path)}" />`)
    .join('\n    ');
}

function isStart(name, room) {
  return name.endsWith('.js') && (name.startsWith('app-') || name.startsWith(room));
}
