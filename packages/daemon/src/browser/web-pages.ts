import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Context } from 'hono';
import type { Pages } from '../http/build-app.js';
import type { Reply } from '../http/endpoint.js';

/** Where the build of the browser app lies, from the sources and from what they are built to. */
const BUILT = fileURLToPath(new URL('../../../web/dist/', import.meta.url));

const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** A file of the build: one at the top or in `assets`, with an extension, and nothing that hides. */
const FILE = /^\/(?:assets\/)?(?!\.)[\w.-]+\.[a-z0-9]+$/;

/** The address of a session, or of its timeline. */
const SESSION = /^\/s\/./;

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
  woff2: 'font/woff2',
};

/** The browser app, as it was built. Its files are open to everybody: what they show needs a sign-in. */
export function webPages(folder = BUILT): Pages {
  return {
    isPage(method, path, accept) {
      if ((method !== 'GET' && method !== 'HEAD') || path.startsWith('/api/')) return false;
      return path === '/' || FILE.test(path) || isVisit(path, accept);
    },
    async answer({ req }: Context): Promise<Reply> {
      const { path } = req;
      if (FILE.test(path) && !path.endsWith('.html')) return file(folder, path);
      // The two differ in what a browser asks for at once: what the room of the address needs.
      const index = await read(`${folder}${SESSION.test(path) ? 'session' : 'index'}.html`);
      if (index) return { json: [index], headers: PAGE_HEADERS };
      return page('The browser app is not built', 'Run npm run build, then load this page again.', 503);
    },
  };
}

/** A page of one sentence. Both texts are ours. */
export function page(title: string, sentence: string, status: 200 | 404 | 410 | 503): Reply {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><h1>${title}</h1><p>${sentence}</p></html>\n`;
  return { status, json: html, headers: PAGE_HEADERS };
}

/** Somebody goes there in a browser: the app knows what its addresses mean. */
function isVisit(path: string, accept: string | undefined): boolean {
  return (accept?.includes('text/html') ?? false) && !/\.[a-z0-9]+$/i.test(path);
}

async function file(folder: string, path: string): Promise<Reply> {
  const bytes = await read(folder + path.slice(1));
  if (!bytes) return page('Not found', 'The app has no such file.', 404);
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  // The names of assets change with what is in them.
  const cache = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  return { json: [bytes], headers: { ...PAGE_HEADERS, 'content-type': type, 'cache-control': cache } };
}

async function read(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return null;
    throw error;
  }
}
