import { z } from 'zod';
import { WEB_MAX_BYTES, WEB_MAX_REDIRECTS, WEB_TEXT_CHARACTERS, WEB_TIMEOUT_MS } from '../defaults.js';
import { OnlyTools } from '../only-tools.js';

const SearchEndpoint = z.object({
  /** `{query}` and `{count}` are filled in, encoded. */
  endpoint: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).default({}),
  /** Where the list of results is in the answer, such as `web.results`. */
  results: z.string().default('results'),
  /** The members of one result. */
  title: z.string().default('title'),
  url: z.string().default('url'),
  snippet: z.string().default('content'),
});
export type SearchEndpoint = z.output<typeof SearchEndpoint>;

export const WebConfig = z.object({
  /** Addresses or CIDR ranges that may be reached although they are not public, such as `127.0.0.1` or `10.1.0.0/16`. */
  allow_addresses: z.array(z.string()).default([]),
  /** Globs over host names. Given: no other host is reached. */
  allow_hosts: z.array(z.string()).optional(),
  deny_hosts: z.array(z.string()).default([]),
  max_bytes: z.number().int().positive().default(WEB_MAX_BYTES),
  max_characters: z.number().int().positive().default(WEB_TEXT_CHARACTERS),
  max_redirects: z.number().int().nonnegative().default(WEB_MAX_REDIRECTS),
  timeout_ms: z.number().int().positive().default(WEB_TIMEOUT_MS),
  user_agent: z.string().default('amplifier'),
  search: SearchEndpoint.optional(),
  only: OnlyTools,
});
export type WebConfig = z.output<typeof WebConfig>;
