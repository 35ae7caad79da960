import { readFile } from 'node:fs/promises';
import { type Endpoint, endpoints, z } from '../http/endpoint.js';

const api = endpoints({ tag: 'docs' });

const FILES = [
  ['/docs', 'index.html', 'text/html; charset=utf-8'],
  ['/docs/page.js', 'page.js', 'text/javascript; charset=utf-8'],
  ['/docs/page.css', 'page.css', 'text/css; charset=utf-8'],
] as const;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A page that shows the API and tries it out. It holds nothing of the daemon's and loads nothing from elsewhere. */
export function docsPage(): Endpoint[] {
  return FILES.map(([path, file, content_type]) =>
    api.get(path, {
      summary: `The page ${path}`,
      success: { status: 200, description: 'A file.', schema: z.string(), content_type },
      handle: async () =>
        new Response(await readFile(new URL(`../../docs-page/${file}`, import.meta.url)), {
          headers: {
            'content-type': content_type,
            'content-security-policy': POLICY,
            'x-frame-options': 'DENY',
          },
        }),
    }),
  );
}
