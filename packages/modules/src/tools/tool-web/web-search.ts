import { isPlainObject, type Tool } from '@amplifier/core';
import { z } from 'zod';
import { WEB_SEARCH_RESULTS } from '../defaults.js';
import { defineTool } from '../define-tool.js';
import { requireGrant } from '../session-grant.js';
import { ToolError } from '../tool-error.js';
import { within } from '../within.js';
import { pinnedRequest } from './pinned-request.js';
import { readBody } from './read-body.js';
import { resolveHost } from './resolve-host.js';
import type { SearchEndpoint, WebConfig } from './web-config.js';

const Input = z.object({
  query: z.string().min(1),
  count: z.number().int().positive().max(50).default(WEB_SEARCH_RESULTS),
});

export function webSearchTool(config: WebConfig, search: SearchEndpoint): Tool {
  return defineTool({
    name: 'web_search',
    description: 'Search the web. Returns titles, addresses and snippets; read a page with web_fetch.',
    input: Input,
    async run({ query, count }, context) {
      requireGrant(context, { kind: 'network', host: new URL(search.endpoint).hostname });
      const answer = await within(config.timeout_ms, `Searching for '${query}'`, context, (signal) =>
        ask(search, config, query, count, signal),
      );
      return { query, results: resultsIn(answer, search).slice(0, count) };
    },
  });
}

/** The operator named the endpoint, so its address is not questioned; a redirect elsewhere is not followed. */
async function ask(
  { endpoint, headers }: SearchEndpoint,
  { max_bytes, user_agent }: WebConfig,
  query: string,
  count: number,
  signal: AbortSignal,
): Promise<unknown> {
  const filled = endpoint
    .replace(/\{query\}|%7Bquery%7D/g, () => encodeURIComponent(query))
    .replace(/\{count\}|%7Bcount%7D/g, String(count));
  const url = new URL(filled);
  const [address] = await resolveHost(url.hostname.replace(/^\[|\]$/g, ''));
  if (address === undefined)
    throw new ToolError('FETCH_FAILED', `The search host '${url.hostname}' has no address.`);
  const response = await pinnedRequest({
    url,
    address,
    headers: { 'user-agent': user_agent, accept: 'application/json', ...headers },
    signal,
  });
  const { body } = await readBody(response, max_bytes);
  if (response.statusCode !== 200)
    throw new ToolError(
      'FETCH_FAILED',
      `The search at ${url.host} answered with status ${response.statusCode}.`,
      {
        retryable: response.statusCode === 429 || (response.statusCode ?? 0) >= 500,
      },
    );
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new ToolError('FETCH_FAILED', `The search at ${url.host} did not answer with JSON.`, { cause });
  }
}

function resultsIn(
  answer: unknown,
  search: SearchEndpoint,
): { title: string; url: string; snippet: string }[] {
  const list = memberAt(answer, search.results);
  if (!Array.isArray(list))
    throw new ToolError(
      'NOT_CONFIGURED',
      `The search answer has no list at '${search.results}'. Set search.results of tool-web.`,
    );
  const text = (item: unknown, path: string) => String(memberAt(item, path) ?? '');
  return list.map((item) => ({
    title: text(item, search.title),
    url: text(item, search.url),
    snippet: text(item, search.snippet),
  }));
}

function memberAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (isPlainObject(at) ? at[key] : undefined), value);
}
