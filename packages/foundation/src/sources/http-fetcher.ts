import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorInfo } from '@amplifier/core';
import { MAX_DOWNLOAD_BYTES, MAX_REDIRECTS } from '../defaults.js';
import { FoundationError } from '../errors.js';
import type { FetchContext, SourceFetcher } from './source-fetcher.js';
import type { SourceUri } from './source-uri.js';
import { unpackArchive } from './unpack-archive.js';
import { tooLarge } from './watch-size.js';

/** A file or an archive (`.zip`, `.tar.gz`, `.tgz`, `.tar`) at a URL. Also `zip+https`, which says that it is an archive. */
export const httpFetcher: SourceFetcher = {
  schemes: ['https', 'http', 'zip+https'],

  async revision(source, context) {
    const url = checkedUrl(source);
    const head = await request(url, source, context, 'HEAD');
    const validator = head.ok && (head.headers.get('etag') ?? head.headers.get('last-modified'));
    if (validator) return digest(`${validator} ${head.headers.get('content-length') ?? ''}`);
    return digest(await download(url, source, context));
  },

  async fetch(source, _revision, folder, context) {
    const url = checkedUrl(source);
    const bytes = await download(url, source, context);
    const kind = archiveKind(url, source.scheme);
    if (kind) return unpackArchive(bytes, kind, folder, { source: source.text, maxBytes: context.maxBytes });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, fileName(url)), bytes);
  },
};

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The name under which a single file of a URL is kept. */
export function fileName(url: URL): string {
  return basename(decodeURIComponent(url.pathname)).replace(/[^\w.-]/g, '_') || 'index';
}

export function archiveKind(url: URL, scheme: string): 'zip' | 'tar' | null {
  if (scheme.startsWith('zip+') || url.pathname.endsWith('.zip')) return 'zip';
  return /\.(tar|tgz|tar\.gz)$/.test(url.pathname) ? 'tar' : null;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export function checkedUrl({ location, text }: SourceUri): URL {
  const url = new URL(location.replace(/^zip\+/, ''));
  if (url.protocol === 'https:' || LOOPBACK.test(url.hostname)) return url;
  throw new FoundationError(`'${text}' would be fetched without encryption. Write https.`, {
    code: 'INVALID_SOURCE',
    origin: text,
  });
}

async function download(url: URL, source: SourceUri, context: FetchContext): Promise<Uint8Array> {
  const response = await request(url, source, context, 'GET');
  if (!response.ok) throw refused(response, source);
  const limit = Math.min(MAX_DOWNLOAD_BYTES, context.maxBytes);
  const total = Number(response.headers.get('content-length') ?? 0);
  const chunks: Uint8Array[] = [];
  let received = 0;
  try {
    for await (const chunk of response.body ?? []) {
      received += chunk.length;
      if (received > limit) throw tooLarge(source.text, limit);
      chunks.push(chunk);
      context.onProgress({
        phase: 'Downloading',
        percent: total > 0 ? Math.floor((100 * received) / total) : undefined,
      });
    }
  } catch (error) {
    throw error instanceof FoundationError ? error : unreachable(error, source, context);
  }
  return Buffer.concat(chunks);
}

async function request(
  url: URL,
  source: SourceUri,
  context: FetchContext,
  method: 'GET' | 'HEAD',
): Promise<Response> {
  let at = url;
  for (let hops = 0; ; hops++) {
    await context.checkUrl(at);
    try {
      const response = await fetch(at, { method, signal: context.signal, redirect: 'manual' });
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || location === null) return response;
      await response.body?.cancel();
      const next = new URL(location, at);
      if (hops === MAX_REDIRECTS) throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
      if (at.protocol === 'https:' && next.protocol !== 'https:')
        throw new Error(`it redirects to ${next.protocol}//${next.host}`);
      at = next;
    } catch (error) {
      throw unreachable(error, source, context);
    }
  }
}

function unreachable(error: unknown, { text }: SourceUri, { signal }: FetchContext): unknown {
  if (signal.aborted) return signal.reason;
  const cause = (error as Error).cause ?? error;
  return new FoundationError(
    `${text} cannot be reached: ${errorInfo(cause).message}. Check the network and the address.`,
    { code: 'SOURCE_UNREACHABLE', origin: text, retryable: true, cause: error },
  );
}

function refused({ status, statusText }: Response, { text }: SourceUri): FoundationError {
  const missing = status === 404 || status === 410;
  return new FoundationError(
    `${text} answers ${status} ${statusText}. ${missing ? 'Check the address.' : 'Try again later, or check whether you may read it.'}`,
    {
      code: missing ? 'SOURCE_NOT_FOUND' : 'SOURCE_FAILED',
      origin: text,
      retryable: status >= 500 || status === 429,
    },
  );
}

function digest(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 40);
}
