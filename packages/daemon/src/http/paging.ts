import { DEFAULT_PAGE, MAX_PAGE } from '../defaults.js';
import { z } from './endpoint.js';

/** Query members of every listing. */
export const paging = {
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  cursor: z
    .string()
    .max(1_000)
    .optional()
    .openapi({ description: 'From the header X-Next-Cursor of the page before.' }),
};

/** The next page is named in headers, so that the body is the plain list. */
export function pageHeaders(url: string, next_cursor: string | null): Record<string, string> {
  if (next_cursor === null) return {};
  const { pathname, searchParams } = new URL(url);
  searchParams.set('cursor', next_cursor);
  return { 'x-next-cursor': next_cursor, link: `<${pathname}?${searchParams}>; rel="next"` };
}

export const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((value) => value === 'true' || value === '1')
  .openapi({ type: 'boolean' });
