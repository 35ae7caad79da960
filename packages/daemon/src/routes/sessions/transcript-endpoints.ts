import type { NewMessage, SessionStore, TranscriptLine } from '@amplifier/sessions';
import type { Context } from 'hono';
import { DaemonError } from '../../daemon-error.js';
import { MAX_MESSAGE_BYTES, MAX_PAGE, PAGE_BYTES } from '../../defaults.js';
import { formatPosition } from '../../events/feed-position.js';
import { type Endpoint, endpoints, type Reply, z } from '../../http/endpoint.js';
import { flag } from '../../http/paging.js';
import { checkTakesMessages } from '../../sessions/lifecycle.js';
import { MessageView, messageView, NewMessageSchema } from '../../sessions/session-schema.js';

const api = endpoints({ tag: 'transcripts' });
const seq = z.coerce.number().int().nonnegative();
const count = z.coerce.number().int().min(1).max(1_000);
const RangeQuery = z.object({
  limit: count.optional().openapi({
    description:
      'The last n, also before `before`; with `after`, the first n after it. Default and maximum: 1,000.',
  }),
  after: seq.optional().openapi({ description: 'Only messages with a higher seq: a stable cursor.' }),
  before: seq.optional(),
});

/** What was said. */
export function transcriptEndpoints(): Endpoint[] {
  return [
    api.get('/api/v1/sessions/{session_id}/transcript', {
      shared: true,
      large: true,
      summary: 'Get the messages of a session',
      query: RangeQuery,
      description:
        'Returns the end first: repeat with `before` set to the first seq until `X-Has-More` is false; `Link` with `rel="next"` names that page. A page has at most 1,000 messages and about 1 MB, but at least one message, however large. Seqs start at 1 and have no gaps. `X-Feed-Position` is a position of the event feed: follow after it with `messages=true`, ignoring messages that are already known by their seq.',
      success: { status: 200, description: 'In order.', schema: z.array(MessageView) },
      async handle({
        params: { session_id },
        query: { limit, after, before },
        context,
        services: { store },
      }) {
        const bound = { ...(before === undefined ? {} : { before }), bytes: PAGE_BYTES };
        const page = pageAt(context, await store.feedCursor({ session_id }));
        if (after === undefined) {
          const lines = await store.tail(session_id, limit ?? MAX_PAGE, bound);
          const first = lines[0]?.seq ?? 1;
          return page(lines, first > 1 ? { before: first } : null);
        }
        const lines = await store.messages(session_id, { after, limit: limit ?? MAX_PAGE, ...bound });
        const last = lines.at(-1)?.seq;
        if (last === undefined) return page(lines, null);
        const more = await store.messages(session_id, { ...bound, after: last, limit: 1 });
        return page(lines, more.length > 0 ? { after: last } : null);
      },
    }),
    api.post('/api/v1/sessions/{session_id}/messages', {
      summary: 'Append a message',
      description:
        'The message is on disk when the response arrives. Only an active session accepts messages.',
      query: z.object({
        auto_start: flag.optional().openapi({ description: 'Start a created session first.' }),
        role: z.string().optional(),
        content: z.string().optional(),
        agent: z.string().optional(),
        token_count: z.coerce.number().optional(),
      }),
      body: NewMessageSchema,
      inQuery: { members: ['role', 'content', 'agent', 'token_count'] },
      recordOnly: true,
      idempotent: true,
      success: { status: 201, description: 'The stored message.', schema: MessageView },
      errors: [
        'SESSION_NOT_STARTED',
        'SESSION_CLOSED',
        'SESSION_BUSY',
        'PAYLOAD_TOO_LARGE',
        'STORAGE_FULL',
        'STORAGE_UNAVAILABLE',
      ],
      async handle({ params: { session_id }, query, body, once, services: { store, logs } }) {
        const size = JSON.stringify(body.content).length;
        if (size > MAX_MESSAGE_BYTES) {
          throw new DaemonError(
            'PAYLOAD_TOO_LARGE',
            `The message has ${size} bytes, and ${MAX_MESSAGE_BYTES} are allowed.`,
          );
        }
        const message = Object.fromEntries(Object.entries(body).filter(([, value]) => value != null));
        const line = await logs.use(session_id, async (log) => {
          if (query.auto_start && log.metadata.status === 'created') await log.transition('active');
          const before = once?.retried ? await findMessage(store, session_id, once.id) : undefined;
          if (before) return before;
          checkTakesMessages(session_id, log.metadata.status);
          const id = once ? { id: once.id } : {};
          const [stored] = await log.appendMessages([{ ...(message as unknown as NewMessage), ...id }]);
          if (!stored) throw new Error('The log stored no message.');
          return stored;
        });
        const location = `/api/v1/sessions/${session_id}/transcript?after=${line.seq - 1}&limit=1`;
        return { body: messageView(line), headers: { location } };
      },
    }),
  ];
}

/** A page of what is stored at a position. `next`: where the next page begins; null where there is none. */
function pageAt({ req }: Context, cursor: string) {
  return (lines: readonly TranscriptLine[], next: { before: number } | { after: number } | null): Reply => {
    const headers: Record<string, string> = {
      'x-has-more': String(next !== null),
      'x-feed-position': formatPosition(cursor),
    };
    if (next !== null) {
      const { pathname, searchParams } = new URL(req.url);
      for (const [name, seq] of Object.entries(next)) searchParams.set(name, String(seq));
      headers.link = `<${pathname}?${searchParams}>; rel="next"`;
    }
    return { body: lines.map(messageView), headers };
  };
}

/** The message of an attempt that was not answered; it can only be among the last. */
async function findMessage(
  store: SessionStore,
  session_id: string,
  id: string,
): Promise<TranscriptLine | undefined> {
  for (let before: number | undefined, left = RETRY_LOOK_BACK; left > 0; ) {
    const lines = await store.tail(session_id, left, { bytes: PAGE_BYTES, ...(before ? { before } : {}) });
    const found = lines.find((line) => line.id === id);
    before = lines[0]?.seq ?? 1;
    if (found || before === 1) return found;
    left -= lines.length;
  }
  return undefined;
}

const RETRY_LOOK_BACK = 1_000;
