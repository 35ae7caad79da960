import {
  FEED_START,
  feedDistance,
  feedPages,
  type SessionEvent,
  type SessionStore,
} from '@amplifier/sessions';
import type { Context } from 'hono';
import { DaemonError } from '../../daemon-error.js';
import { formatPosition, parsePosition } from '../../events/feed-position.js';
import { nameFilter } from '../../events/name-filter.js';
import { publicEvent } from '../../events/sse-frame.js';
import {
  ALL_SESSIONS,
  branchBelow,
  oneSession,
  oneTree,
  type StreamScope,
} from '../../events/stream-scope.js';
import { type Endpoint, endpoints, type Reply, z } from '../../http/endpoint.js';
import { JsonList } from '../../http/json-list.js';
import { flag, pageHeaders } from '../../http/paging.js';
import { acceptsStream } from '../../http/respond.js';
import type { Services } from '../../services.js';

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

const messages = flag.optional().openapi({
  description:
    'Streams only: also send each message when it is stored, as `message` with `session_id`, `root_id`, `seq` and `message`, which is as in the transcript. These frames have ids, and `names` does not filter them. Messages that an earlier version stored are only in the transcript.',
});

const deltas = flag.optional().openapi({
  description:
    'Streams only: also send text while it is written, by any process. `delta`, `snapshot` and `message_end` carry the text of a message that is not stored yet; without `messages`, `message` gives the seq at which one was stored. These frames have no id, and those with text are dropped first if the reader is too slow.',
});

const after = z.string().max(15_000).optional();
const EXAMPLE_POSITION = formatPosition('2048');
const SEQ = /^\d{1,15}$/;
const POSITION =
  'A position: the id of an event of any stream, or the `X-Next-Cursor` of a page. `0` is the beginning.';

const EventView = z
  .looseObject({
    seq: z.int().nullable().openapi({
      description:
        '1 for the first event in the log of the session; never repeated, never skipped. Null for events of runs, which are not in the log: use `X-Next-Cursor` to page.',
    }),
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
  'With `Accept: text/event-stream` it is an open stream: the id of each event is its position in the feed, which is the same in every stream, and a client that reconnects with `Last-Event-ID` (or `after`) gets everything since then, once. `synced` says that everything stored has been sent; `gap` that the client reads too slowly: what it has missed follows, or can be read from the `after` it names; `reset` that the position is not one of this record; `shutdown` that the daemon is stopping; `revoked` that the token is no longer valid.';

const PAGE_LIMIT =
  'A page has at most so many events and about 1 MB, but at least one event; `X-Next-Cursor` names the next page.';

interface StreamQuery {
  names?: string[] | undefined;
  messages?: boolean | undefined;
  deltas?: boolean | undefined;
}

/** Where a request starts in the feed. */
interface Start {
  after: string;
  /** The feed has no such position: it is one of another record. */
  isReset: boolean;
}

/** What happens, as pages and as streams. */
export function eventEndpoints(): Endpoint[] {
  const follow = (
    events: Services['events'],
    context: Context,
    { names, messages, deltas = false }: StreamQuery,
    where: Start & { scope: StreamScope },
    headers = {},
  ): Reply => {
    const caller = context.get('caller');
    events.checkRoom(caller);
    const stream = {
      ...where,
      wants: nameFilter(names),
      messages: messages ? ('stored' as const) : deltas ? ('news' as const) : ('none' as const),
      deltas,
      isAllowed: context.get('isAllowed'),
      caller,
    };
    return {
      headers: { ...streamHeaders, ...headers },
      stream: (response) => events.follow(response, stream),
    };
  };
  return [
    api.get('/api/v1/sessions/{session_id}/events', {
      shared: true,
      large: true,
      summary: 'Get or follow the events of a session',
      description: `${STREAM} Without a position it starts with the first event.`,
      query: z.object({
        after: after.openapi({
          description: `${POSITION} Or the seq of an event of this session.`,
          example: EXAMPLE_POSITION,
        }),
        before: z.coerce.number().int().nonnegative().optional(),
        limit: count.default(100).openapi({ description: PAGE_LIMIT }),
        children: flag.optional().openapi({ description: 'Also the events of its descendants.' }),
        names,
        messages,
        deltas,
      }),
      success: { status: 200, description: 'In order.', schema: z.array(EventView), streams: true },
      errors: ['INVALID_CURSOR', 'OVERLOADED'],
      async handle({ params: { session_id }, query, context, services: { store, events } }) {
        const given = lastEventId(context) ?? query.after ?? '0';
        const cursor = SEQ.test(given)
          ? await eventCursor(store, session_id, Number(given))
          : parsePosition(given);
        const { root_id } = await store.metadata(session_id);
        const { children = false, limit, before } = query;
        const scope = children ? await branchBelow(store, session_id, root_id) : oneSession(session_id);
        const { after, isReset, end } = await startOf(store, scope, cursor);
        if (acceptsStream(context)) return follow(events, context, query, { scope, after, isReset });
        const wants = nameFilter(query.names);
        const isBefore = ({ session_id: id, seq }: SessionEvent) =>
          before === undefined || id !== session_id || seq < before;
        const last = before && !children ? await eventCursor(store, session_id, before - 1) : null;
        const isWanted = (event: SessionEvent) => wants(event.name) && isBefore(event);
        return readPage(context, store, { scope, after, until: last ?? end, limit, isWanted });
      },
    }),
    api.get('/api/v1/events', {
      large: true,
      summary: 'Get or follow the events of all sessions',
      description: `${STREAM} Without a position the stream starts now: it has every event stored after the response headers were sent. \`X-Next-Cursor\` is the position at which it starts; a page without a position is empty and has the current one there.`,
      query: z.object({
        after: after.openapi({ description: POSITION, example: EXAMPLE_POSITION }),
        limit: count.default(100).openapi({ description: PAGE_LIMIT }),
        root_id: z.string().max(128).optional().openapi({ description: 'Only those of this tree.' }),
        names,
        messages,
        deltas,
      }),
      success: { status: 200, description: 'In order.', schema: z.array(EventView), streams: true },
      errors: ['INVALID_CURSOR', 'OVERLOADED'],
      async handle({ query, context, services: { store, events } }) {
        const { root_id, limit } = query;
        const given = lastEventId(context) ?? query.after;
        const cursor = given === undefined ? null : parsePosition(given);
        const scope = root_id === undefined ? ALL_SESSIONS : oneTree(root_id);
        const { after, isReset, end } = await startOf(store, scope, cursor);
        if (acceptsStream(context)) {
          const headers = cursor === null ? { 'x-next-cursor': formatPosition(after) } : {};
          return follow(
            events,
            context,
            query,
            { scope, after, isReset: isReset && cursor !== null },
            headers,
          );
        }
        const wants = nameFilter(query.names);
        const isWanted = ({ name }: SessionEvent) => wants(name);
        return readPage(context, store, { scope, after, until: end, limit, isWanted });
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
      handle({ caller, services: { store, events } }) {
        const headers = { 'content-type': 'application/x-ndjson' };
        // Clients that are not a daemon of this record get what is open now.
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

/** From a position up to what is stored now; from now on if there is no such position. */
async function startOf(
  store: SessionStore,
  { of }: StreamScope,
  cursor: string | null,
): Promise<Start & { end: string }> {
  if (cursor !== null) {
    const last = await store.feedCursor(of);
    if (feedDistance(cursor, last) >= 0) return { after: cursor, isReset: false, end: last };
  }
  const end = await store.feedCursor();
  const isReset = cursor === null || feedDistance(cursor, end) < 0;
  return { after: isReset ? end : cursor, isReset, end };
}

async function eventCursor(store: SessionStore, session_id: string, seq: number): Promise<string | null> {
  return seq === 0 ? FEED_START : store.eventCursor(session_id, seq);
}

interface PageQuery {
  scope: StreamScope;
  after: string;
  until: string;
  limit: number;
  isWanted(event: SessionEvent): boolean;
}

async function readPage(
  context: Context,
  store: SessionStore,
  { scope, after, until, limit, isWanted }: PageQuery,
): Promise<Reply> {
  const page = new JsonList(limit);
  const done = (cursor: string) => ({ json: page.json, headers: nextPage(context, cursor) });
  let cursor = after;
  for await (const entries of feedPages(store, { of: scope.of, after, until, limit })) {
    for (const entry of entries) {
      if (!('event' in entry)) continue;
      const { event } = entry;
      if (scope.covers(event) && isWanted(event) && !page.add(publicEvent(event))) return done(cursor);
      cursor = entry.cursor;
      if (page.isFull) return done(cursor);
    }
    // The feed of all sessions may be long and have few of the wanted names: the client asks for the next part.
    if (!scope.of) return done(cursor);
  }
  return done(feedDistance(after, until) > 0 ? until : after);
}

/** There is always a next page: it has the events that are still to come. */
function nextPage({ req }: Context, cursor: string): Record<string, string> {
  const next = formatPosition(cursor);
  const { link: _, ...headers } = pageHeaders(req.url, next);
  const url = new URL(req.url);
  url.searchParams.set('after', next);
  return { ...headers, link: `<${url.pathname}${url.search}>; rel="next"` };
}

function lastEventId({ req }: Context): string | undefined {
  const given = req.header('last-event-id');
  if (given === undefined || given === '') return undefined;
  if (given.length <= 15_000) return given;
  throw new DaemonError('INVALID_CURSOR', 'Last-Event-ID is too long to be an event id.');
}
