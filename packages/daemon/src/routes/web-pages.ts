import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Context } from 'hono';
import type { Pieces } from '../byte-cache.js';
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

/**
 * What the room at an address asks for first. It is named in the page, so that the browser asks while the app is still loading;
 * what the app does not ask for in these very words is asked for in vain.
 */
const ASKED: [address: RegExp, asked: readonly string[]][] = [
  [/^\/$/, ['inbox?limit=50', 'trees?limit=50']],
  [/^\/s\/([\w.-]+)$/, ['sessions/$1/tree', 'sessions/$1/transcript?limit=30', 'sessions/$1/launch']],
  [/^\/s\/([\w.-]+)\/time$/, ['sessions/$1/tree', 'sessions/$1/transcript?limit=30']],
  [/^\/agents$/, ['agents']],
  [/^\/settings$/, ['settings', 'status', 'providers', 'tokens']],
];

/** Where they stand in the page. */
const DATA = '<!-- data -->';

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
  const kept = new Map<string, Pieces>();
  return {
    isPage(method, path, accept) {
      if ((method !== 'GET' && method !== 'HEAD') || path.startsWith('/api/')) return false;
      return path === '/' || FILE.test(path) || isVisit(path, accept);
    },
    async answer(context: Context): Promise<Reply> {
      const { path } = context.req;
      if (FILE.test(path) && !path.endsWith('.html')) return file(folder, path, kept);
      const index = await read(`${folder}index.html`);
      const isSignedIn = context.get('caller').browser !== undefined;
      const data = isSignedIn && context.req.query('at') === undefined ? firstQuestions(path) : '';
      if (index) return { json: Buffer.concat(index).toString().replace(DATA, data), headers: PAGE_HEADERS };
      return page('The browser app is not built', 'Run npm run build, then load this page again.', 503);
    },
  };
}

/** A page of one sentence. Both texts are ours. */
export function page(title: string, sentence: string, status: 200 | 404 | 410 | 503): Reply {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><h1>${title}</h1><p>${sentence}</p></html>\n`;
  return { status, json: html, headers: PAGE_HEADERS };
}

/** A page with one button, which sends a form to `action`. All texts are ours; `action` is a path of ours with an encoded query. */
export function confirmPage(title: string, sentence: string, button: string, action: string): Reply {
  const form = `<form method="post" action="${action}"><button>${button}</button></form>`;
  const { json, headers } = page(title, `${sentence}</p>${form}<p>`, 200);
  const policy = POLICY.replace("form-action 'none'", "form-action 'self'");
  return { json: json as string, headers: { ...headers, 'content-security-policy': policy } };
}

/** A visit in a browser: the app knows what its addresses mean. */
function isVisit(path: string, accept: string | undefined): boolean {
  return (accept?.includes('text/html') ?? false) && !/\.[a-z0-9]+$/i.test(path);
}

/** The pattern of an address lets nothing through that would mean something in a page. */
function firstQuestions(path: string): string {
  const [address, asked] = ASKED.find(([each]) => each.test(path)) ?? [/^.*$/s, []];
  return ['session-of-browser', ...asked]
    .map((each) => `/api/v1/${path.replace(address, each)}`)
    .map((href) => `<link rel="preload" as="fetch" crossorigin href="${href}" />`)
    .join('\n    ');
}

/** Packed once: an asset is kept for as long as the daemon runs. */
async function file(folder: string, path: string, kept: Map<string, Pieces>): Promise<Reply> {
  const json = kept.get(path) ?? (await read(folder + path.slice(1)));
  if (!json) return page('Not found', 'The app has no such file.', 404);
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  // The names of assets change with what is in them.
  const isAsset = path.startsWith('/assets/');
  const cache = isAsset ? 'public, max-age=31536000, immutable' : 'no-cache';
  if (isAsset) kept.set(path, json);
  return { json, headers: { ...PAGE_HEADERS, 'content-type': type, 'cache-control': cache } };
}

async function read(path: string): Promise<Pieces | null> {
  try {
    return [new Uint8Array(await readFile(path))];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return null;
    throw error;
  }
}
