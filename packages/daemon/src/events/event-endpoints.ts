import type { Context } from 'hono';
import { DaemonError } from '../daemon-error.js';
import { PAGE_BYTES } from '../defaults.js';
import { type Endpoint, endpoints, type Reply, z } from '../http/endpoint.js';
import { JsonList } from '../http/json-list.js';
import { flag, pageHeaders } from '../http/paging.js';
import { acceptsStream } from '../http/respond.js';
import type { Services } from '../services.js';
import type { Follow } from './event-streams.js';
import { checkFeedCursor } from './feed-cursor.js';
import { formatLogCursor, markOf, parseLogCursor } from './log-cursor.js';
import { nameFilter } from './name-filter.js';
import { readFeedPage } from './read-feed-page.js';
import { readLogs, sessionTree } from './read-logs.js';

const api = endpoints({ tag: 'events' });
const count = z.coerce.number().int().min(1).max(1_000);

const names = z
  .preprocess(
    (value) => (typeof value === 'string' ? value.split(',').filter(Boolean) : value),
    z.array(z.string().min(1).max(200)).max(50),
  )
  .optional()
  .openapi({
    type: 'array',
    items: { type: 'string' },
    description: 'Only events with these names; `run:*` matches all that start with `run:`.',
    example: ['run:*', 'question:*'],
  });

const deltas = flag.optional().openapi({
  description:
    'Streams only: also send text while it is written, by any process. `delta`, `snapshot` and `message_end` carry the text of a message that is not stored yet; `message` gives the seq at which one was stored. These frames have no id, and are dropped first if the reader is too slow.',
});

const after = z.string().max(15_000).optional();

const EventView = z
  .looseObject({
    seq: z
      .int()
      .openapi({ description: '1 for the first event of the session; never repeated, never skipped.' }),
    id: z.string(),
    name: z.string().openapi({ example: 'run:ended' }),
    time: z.string().openapi({ format: 'date-time' }),
    session_id: z.string(),
    parent_id: z.string().nullable(),
    root_id: z.string(),
    data: z.record(z.string(), z.unknown()),
  })
  .openapi('Event', {
    description:
      'Something that happened in a session. Clients must ignore names and members they do not know.',
  });

const STREAM =
  'With `Accept: text/event-stream` it is an open stream: each event has a persistent id, and a client that reconnects with `Last-Event-ID` (or `after`) gets everything since then, once. `synced` says that everything stored has been sent; `gap` that the client reads too slowly: what it has missed follows from the log, or can be read from the `after` it names; `reset` that the position is no longer kept; `shutdown` that the daemon is stopping; `revoked` that the token is no longer valid.';

const PAGE_LIMIT =
  'A page has at most so many events and about 1 MB, but at least one event; `X-Next-Cursor` names the next page.';

interface StreamQuery {
  names?: string[] | undefined;
  deltas?: boolean | undefined;
}

/** What happens, as pages and as streams. */
export function eventEndpoints({ store, clock, events }: Services): Endpoint[] {
  const follow = (context: Context, query: StreamQuery, of: Follow['of'], headers = {}): Reply => {
    const caller = context.get('caller');
    events.checkRoom(caller);
    const options = { of, wants: nameFilter(query.names), deltas: query.deltas ?? false };
    const isAllowed = context.get('isAllowed');
    return {
      headers: { ...streamHeaders, ...headers },
      stream: (response) => events.follow(response, { ...options, isAllowed, caller }),
    };
  };
  return [
    api.get('/api/v1/sessions/{session_id}/events', {
      shared: true,
      large: true,
      summary: 'Get or follow the events of a session',
      description: `${STREAM} Without a position it starts with the first event.`,
      query: z.object({
        after: after.openapi({ description: 'A seq, or the id of an event of this stream.', example: '12' }),
        before: z.coerce.number().int().nonnegative().optional(),
        limit: count.default(100).openapi({ description: PAGE_LIMIT }),
        children: flag.optional().openapi({ description: 'Also the events of its descendants.' }),
        names,
        deltas,
      }),
      success: { status: 200, description: 'In order.', schema: z.array(EventView), streams: true },
      errors: ['INVALID_CURSOR', 'OVERLOADED'],
      async handle({ params: { session_id }, query, context }) {
        const place = parseLogCursor(lastEventId(context) ?? query.after ?? '0');
        const wants = nameFilter(query.names);
        const { root_id, event_count } = await store.metadata(session_id);
        const { children = false } = query;
        if (acceptsStream(context))
          return follow(context, query, { session_id, root_id, children, after: place, event_count });
        const { limit, before = Number.POSITIVE_INFINITY } = query;
        const seen = new Map([[session_id, place.own]]);
        for (const id of children ? await sessionTree(store, session_id) : [])
          if (id !== session_id) seen.set(id, place.below.get(markOf(id)) ?? 0);
        const page = new JsonList(limit, PAGE_BYTES);
        for await (const event of readLogs(store, new Map(seen))) {
          if (event.session_id === session_id && event.seq >= before) {
            if (!children) break;
            continue;
          }
          if (wants(event.name) && !page.add(event)) break;
          seen.set(event.session_id, event.seq);
          if (page.isFull) break;
        }
        return { json: page.json, headers: nextPage(context, formatLogCursor(session_id, seen)) };
      },
    }),
    api.get('/api/v1/events', {
      large: true,
      summary: 'Get or follow the events of all sessions',
      description: `${STREAM} Without a position the stream starts now: it has every event stored after the response headers were sent. \`X-Next-Cursor\` is the position at which it starts; a page without a position is empty and has the current one there.`,
      query: z.object({
        after: after.openapi({ description: 'The id of an event of this stream.', example: '1.2048.0' }),
        limit: count.default(100).openapi({ description: PAGE_LIMIT }),
        root_id: z.string().max(128).optional().openapi({ description: 'Only those of this tree.' }),
        names,
        deltas,
      }),
      success: { status: 200, description: 'In order.', schema: z.array(EventView), streams: true },
      errors: ['INVALID_CURSOR', 'OVERLOADED'],
      async handle({ query, context }) {
        const { root_id = null } = query;
        const given = lastEventId(context) ?? query.after;
        const place = given === undefined ? null : checkFeedCursor(given);
        const wants = nameFilter(query.names);
        const end = await store.feedCursor();
        if (acceptsStream(context)) {
          const start = place === null ? { 'x-next-cursor': end } : {};
          return follow(context, query, { after: place, end, root_id }, start);
        }
        const page = new JsonList(query.limit, PAGE_BYTES);
        let at = place ?? end;
        for await (const { cursor, event } of readFeedPage(store, clock, {
          after: at,
          end,
          limit: query.limit,
        })) {
          const isWanted = wants(event.name) && (root_id === null || event.root_id === root_id);
          if (isWanted && !page.add(event)) break;
          at = cursor;
        }
        return { json: page.json, headers: nextPage(context, at) };
      },
    }),
    api.get('/api/v1/live', {
      summary: 'Stream live text of the sessions at this daemon',
      operator: true,
      description:
        'For other daemons of the same record; other clients use `deltas` of events, which every daemon has. One line of JSON per piece.',
      success: {
        status: 200,
        description: 'Lines of JSON, for as long as the connection lasts.',
        schema: z.string(),
        content_type: 'application/x-ndjson',
      },
      handle({ caller }) {
        const headers = { 'content-type': 'application/x-ndjson' };
        // Whoever is no daemon of this record gets what is open now.
        if (caller.id !== 'daemon')
          return {
            headers,
            json: store.live
              .snapshots()
              .map((item) => `${JSON.stringify(item)}\n`)
              .join(''),
          };
        return { headers, stream: (response) => events.tellPeer(response) };
      },
    }),
  ];
}

export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // No proxy may wait for the end, and the connection is of no use after it.
  'x-accel-buffering': 'no',
  connection: 'close',
};

/** The next page exists always: what is still to happen is on it. */
function nextPage({ req }: Context, cursor: string): Record<string, string> {
  const { link: _, ...headers } = pageHeaders(req.url, cursor);
  const url = new URL(req.url);
  url.searchParams.set('after', cursor);
  return { ...headers, link: `<${url.pathname}${url.search}>; rel="next"` };
}

function lastEventId({ req }: Context): string | undefined {
  const given = req.header('last-event-id');
  if (given === undefined || given === '') return undefined;
  if (given.length <= 15_000) return given;
  throw new DaemonError('INVALID_CURSOR', 'Last-Event-ID is too long to be an event id.');
}
