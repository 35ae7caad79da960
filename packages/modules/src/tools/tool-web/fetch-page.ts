import type { IncomingMessage } from 'node:http';
import { glob } from '@amplifier/core';
import { addressGuard } from '@amplifier/workspace';
import { ToolError } from '../tool-error.js';
import { pinnedRequest } from './pinned-request.js';
import { readBody } from './read-body.js';
import type { ResolveHost } from './resolve-host.js';
import type { WebConfig } from './web-config.js';

export interface Page {
  /** Where the content really came from, after redirects. */
  url: string;
  status: number;
  content_type: string;
  body: Buffer;
  /** There was more than the limit. */
  truncated: boolean;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Fetches a page. Each hop is checked anew, the name and the address it stands for. */
export async function fetchPage(
  address: string,
  config: WebConfig,
  resolve: ResolveHost,
  signal: AbortSignal,
): Promise<Page> {
  const mayReach = addressGuard(config.allow_addresses);
  let url = readUrl(address);
  for (let hop = 0; ; hop++) {
    checkHost(url, config);
    const pinned = await safeAddress(url, mayReach, resolve);
    const headers = {
      'user-agent': config.user_agent,
      accept: 'text/html,text/plain,application/json;q=0.9,*/*;q=0.5',
    };
    const response = await pinnedRequest({ url, address: pinned, headers, signal });
    const target = redirectTarget(response, url);
    if (!target) return readPage(response, url, config.max_bytes);
    response.destroy();
    if (hop === config.max_redirects)
      throw new ToolError('FETCH_FAILED', `${address} redirects more than ${config.max_redirects} times.`);
    url = target;
  }
}

export function readUrl(text: string): URL {
  if (!URL.canParse(text))
    throw new ToolError('INVALID_INPUT', `'${text}' is not a URL. Write it in full: https://…`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ToolError('INVALID_INPUT', `'${url.protocol}' addresses are not fetched, only http and https.`);
  if (url.username !== '' || url.password !== '')
    throw new ToolError(
      'INVALID_INPUT',
      `The URL for ${url.host} carries a user name or password. Leave them out.`,
    );
  return url;
}

function checkHost({ hostname }: URL, { allow_hosts, deny_hosts }: WebConfig): void {
  if (glob(deny_hosts)(hostname) || (allow_hosts && !glob(allow_hosts)(hostname)))
    throw new ToolError(
      'NOT_PERMITTED',
      `The configuration of tool-web does not allow the host '${hostname}'.`,
    );
}

/** All addresses of a name must be fit to reach: which of them the network would have taken cannot be known. */
async function safeAddress(
  { hostname }: URL,
  mayReach: (address: string) => boolean,
  resolve: ResolveHost,
): Promise<string> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = await resolve(host).catch((cause: Error) => {
    throw new ToolError('FETCH_FAILED', `The host '${host}' is not known: ${cause.message}.`, {
      cause,
      retryable: true,
    });
  });
  const refused = addresses.find((address) => !mayReach(address));
  if (refused !== undefined)
    throw new ToolError(
      'ADDRESS_REFUSED',
      `'${host}' stands for ${refused}, which is not a public address. Whoever runs the session can allow it with allow_addresses of tool-web.`,
    );
  const [first] = addresses;
  if (first === undefined) throw new ToolError('FETCH_FAILED', `The host '${host}' has no address.`);
  return first;
}

function redirectTarget({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | null {
  if (!REDIRECTS.has(statusCode) || headers.location === undefined) return null;
  if (!URL.canParse(headers.location, from.href))
    throw new ToolError('FETCH_FAILED', `${from.href} redirects to something that is not a URL.`);
  return readUrl(new URL(headers.location, from).href);
}

async function readPage(response: IncomingMessage, url: URL, maxBytes: number): Promise<Page> {
  const { body, truncated } = await readBody(response, maxBytes);
  return {
    url: url.href,
    status: response.statusCode ?? 0,
    content_type: response.headers['content-type'] ?? 'application/octet-stream',
    body,
    truncated,
  };
}
