import { get, type Work } from '../database/database.js';
import { parseText } from '../json-text.js';
import { newBirth } from '../new-birth.js';
import type { NewSession, SessionBirth, SessionContents, SessionEvent } from '../records.js';
import { missingResult, openToolCalls } from '../repair-tool-calls.js';
import { checkSessionId } from '../session-ids.js';
import type { ForkOptions } from '../session-store.js';
import { checkTurn } from '../slice-turns.js';
import { draftSession } from './draft-session.js';
import { insertSession, type SessionDraft, sharedSegments } from './insert-session.js';
import { endOfTurn, lastTurn, segmentsOf } from './read-records.js';
import { findMetadata } from './session-row.js';
import type { SqlSessionLog } from './sql-session-log.js';
import type { StoreContext } from './store-context.js';
import { childrenTopic, TOPIC_FEED } from './topic-names.js';

export async function createSession(
  context: StoreContext,
  request: NewSession,
  contents: SessionContents,
): Promise<SqlSessionLog> {
  const birth = newBirth(
    { project: context.project, ...request },
    await parentOf(context, request),
    birthSource(context),
  );
  const draft = draftSession(context.source, birth, contents);
  const { session_id, parent_id } = birth;
  const n = await context.database.write(
    function* () {
      yield* context.process.register();
      return yield* insertSession({ ...draft, owner: context.process.id });
    },
    { topics: topicsOf(session_id, parent_id) },
  );
  return context.own({ n, epoch: 1, metadata: draft.metadata });
}

/** A new session that shares the conversation of another up to the end of a turn. */
export async function forkSession(
  context: StoreContext,
  session_id: string,
  { turn, session = {}, contents = {} }: ForkOptions,
): Promise<SqlSessionLog> {
  checkSessionId(session_id);
  const { row, metadata } = await context.database.read(() => findMetadata(session_id), [session_id]);
  const { config, agent_overlay, agent_name, working_dir, profile_name, name, model } = metadata;
  const { project } = metadata;
  const inherited = { project, config, agent_overlay, agent_name, working_dir, profile_name, name, model };
  const birth = newBirth({ ...inherited, ...session }, null, birthSource(context));
  const upTo = turn ?? metadata.turn_count;
  if (upTo !== metadata.turn_count) checkTurn(upTo, metadata.turn_count);
  const { n, draft } = await context.database.write(
    function* () {
      const segments = yield* segmentsOf(row.n);
      const kept =
        turn === undefined
          ? metadata.message_count
          : yield* endOfTurn(segments, upTo, metadata.message_count);
      const calls = openToolCalls(yield* lastTurn(segments, kept, session_id));
      const draft: SessionDraft = {
        ...draftSession(
          context.source,
          { ...birth, forked_from: { session_id, turn: upTo, seq: kept } },
          contents,
          { messages: kept, turns: upTo, closers: calls.map((call) => missingResult(call, FORKED)) },
        ),
        bases: sharedSegments(segments, kept),
        owner: context.process.id,
      };
      yield* context.process.register();
      return { n: yield* insertSession(draft), draft };
    },
    { topics: topicsOf(birth.session_id, birth.parent_id) },
  );
  return context.own({ n, epoch: 1, metadata: draft.metadata });
}

const FORKED = 'The conversation was forked here, before the tool call had a result.';

function birthSource({ clock, random, source }: StoreContext) {
  return { clock, random, ulid: source.ulid };
}

export function topicsOf(session_id: string, parent_id: string | null): string[] {
  return [session_id, TOPIC_FEED, ...(parent_id === null ? [] : [childrenTopic(parent_id)])];
}

type Parent = Pick<SessionBirth, 'session_id' | 'root_id' | 'trace_id' | 'depth'>;

/** What a child takes over from its parent, where the request does not say it all. */
async function parentOf(
  { database }: StoreContext,
  { parent_id, root_id, trace_id, depth }: NewSession,
): Promise<Parent | null> {
  if (parent_id == null || (root_id !== undefined && trace_id !== undefined && depth !== undefined))
    return null;
  checkSessionId(parent_id);
  return database.read(() => readParent(parent_id), [parent_id]);
}

function* readParent(session_id: string): Work<Parent | null> {
  const row = yield* get<{ body: string }>(
    `SELECT e.body FROM sessions s JOIN events e ON e.session = s.n AND e.seq = 1
      WHERE s.session_id = ? AND s.deleted IS NULL`,
    session_id,
  );
  if (!row) return null;
  return parseText<SessionEvent>(row.body, session_id, 'its first event').data as unknown as SessionBirth;
}
