import type { Durability, Work } from '../database/database.js';
import { fillIn, inheritedBy } from '../draft-session.js';
import type { RecordLog } from '../record-log.js';
import type { NewSession, SessionContents, SessionCreation, SessionMetadata } from '../records.js';
import { checkTurn } from '../refusals.js';
import { checkSessionId } from '../session-ids.js';
import type { CreateOptions, ForkOptions } from '../session-store.js';
import { childrenTopic, TOPIC_FEED } from '../topic-names.js';
import { draftSession, insertSession, type SessionDraft } from './insert-session.js';
import { endOfTurn, lastTurn, type Segment, segmentsOf } from './read-records.js';
import { findMetadata, hasSession } from './session-row.js';
import type { StoreContext } from './store-context.js';

export async function createSession(
  context: StoreContext,
  request: NewSession,
  contents: SessionContents,
  { trailing = false, durability }: CreateOptions = {},
): Promise<RecordLog> {
  const { parent_id, root_id, trace_id, depth } = request;
  const isPlaced = root_id !== undefined && trace_id !== undefined && depth !== undefined;
  const parent = parent_id == null || isPlaced ? null : await readParent(context, parent_id);
  const creation = fillIn({ project: context.project, ...request }, parent, context);
  const draft = draftSession(context.source, creation, contents, context);
  if (!trailing) return insertOwned(context, creation, draft, durability);
  const { metadata, plans, tenant } = draft;
  return context.own(
    { n: Number.NaN, tenant, epoch: 1, metadata },
    {
      draft,
      topics: topicsOf(creation.session_id, creation.parent_id),
      *insert(whole) {
        yield* context.process.register();
        return yield* insertSession(whole, context.plans);
      },
      onStored() {
        context.process.registered();
        for (const plan of plans) context.plans.add(plan);
      },
    },
  );
}

/** A new session that shares the conversation of another up to the end of a turn. */
export async function forkSession(
  context: StoreContext,
  session_id: string,
  { turn, session = {}, contents = {} }: ForkOptions,
): Promise<RecordLog> {
  checkSessionId(session_id);
  const { row, metadata } = await context.database.read(() => findMetadata(session_id), [session_id]);
  const creation = fillIn({ ...inheritedBy(metadata), ...session }, null, context);
  const { turn_count, message_count } = metadata;
  const upTo = turn ?? turn_count;
  if (upTo !== turn_count) checkTurn(upTo, turn_count);
  return insertOwned(context, creation, function* () {
    const segments = yield* segmentsOf(row.n);
    const end = { seq: message_count, turn: turn_count };
    const kept = turn === undefined ? message_count : yield* endOfTurn(segments, upTo, end);
    const cut = yield* lastTurn(segments, kept, session_id);
    const forked = { ...creation, forked_from: { session_id, turn: upTo, seq: kept } };
    const draft = draftSession(context.source, forked, contents, context, cut);
    return { ...draft, bases: sharedSegments(segments, kept) };
  });
}

/** Where the conversation of a fork comes from: as much of the source's segments as it keeps. */
function sharedSegments(segments: readonly Segment[], kept: number): Segment[] {
  if (kept === 0) return [];
  const end = segments.findIndex(({ last }) => last >= kept);
  return segments.slice(0, end + 1).map(({ last, log }) => ({ last: Math.min(last, kept), log }));
}

async function insertOwned(
  context: StoreContext,
  { session_id, parent_id }: SessionCreation,
  drafted: SessionDraft | (() => Work<SessionDraft>),
  durability: Durability = 'disk',
): Promise<RecordLog> {
  const { row, draft } = await context.database.write(
    function* () {
      const draft = typeof drafted === 'function' ? yield* drafted() : drafted;
      yield* context.process.register();
      return { row: yield* insertSession(draft, context.plans), draft };
    },
    { topics: topicsOf(session_id, parent_id), durability },
  );
  for (const plan of draft.plans) context.plans.add(plan);
  return context.own({ ...row, epoch: 1, metadata: draft.metadata });
}

export function topicsOf(session_id: string, parent_id: string | null): string[] {
  return [session_id, TOPIC_FEED, ...(parent_id === null ? [] : [childrenTopic(parent_id)])];
}

/** The parent of a child whose request does not say all that is taken over from it. */
async function readParent({ database }: StoreContext, parent_id: string): Promise<SessionMetadata | null> {
  checkSessionId(parent_id);
  return database.read(
    function* () {
      return (yield* hasSession(parent_id)) ? (yield* findMetadata(parent_id)).metadata : null;
    },
    [parent_id],
  );
}
