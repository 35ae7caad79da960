import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { DaemonError } from '../daemon-error.js';
import { DEFAULT_PAGE, MAX_PAGE } from '../defaults.js';
import type { Reply } from './endpoint.js';
import { JsonList } from './json-list.js';

/** Query members of every listing. */
export const paging = {
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  cursor: z
    .string()
    .max(1_000)
    .optional()
    .openapi({ description: 'From the header X-Next-Cursor of the previous page.' }),
};

/** The next page is named in headers, so that the body is the plain list. */
export function pageHeaders(url: string, next_cursor: string | null): Record<string, string> {
  if (next_cursor === null) return {};
  const { pathname, searchParams } = new URL(url);
  searchParams.set('cursor', next_cursor);
  return { 'x-next-cursor': next_cursor, link: `<${pathname}?${searchParams}>; rel="next"` };
}

/** The part of a list that a page shows: about 1 MB, but at least one item. `idOf` names a place that stays. */
export function pageOf<T extends object>(
  all: readonly T[],
  idOf: (item: T) => string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  { req }: Context,
): { items: T[]; reply: Reply } {
  const start = cursor === undefined ? 0 : all.findIndex((item) => idOf(item) === cursor) + 1;
  if (cursor !== undefined && start === 0) throw invalidCursor();
  const list = new JsonList(limit);
  let end = start;
  while (end < all.length && list.add(all[end] as T)) end++;
  const items = all.slice(start, end);
  const last = items.at(-1);
  const next = last !== undefined && end < all.length ? idOf(last) : null;
  return { items, reply: { json: list.json, headers: pageHeaders(req.url, next) } };
}

export function invalidCursor(): DaemonError {
  return new DaemonError(
    'INVALID_CURSOR',
    'The cursor was not made by this daemon. Begin again without one.',
  );
}

/** Several of an enumeration: given more than once, or with commas in between. */
export function listOf<E extends z.ZodEnum>(one: E) {
  return z
    .preprocess((value) => (typeof value === 'string' ? value.split(',') : value), z.array(one))
    .optional()
    .openapi({ type: 'array', items: { type: 'string', enum: one.options as string[] } });
}

export const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((value) => value === 'true' || value === '1')
  .openapi({ type: 'boolean' });
