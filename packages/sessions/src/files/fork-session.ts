import { newBirth } from '../new-birth.js';
import { missingResult, openToolCalls } from '../repair-tool-calls.js';
import type { ForkOptions } from '../session-store.js';
import { checkTurn } from '../slice-turns.js';
import { type Draft, draftSession } from './create-session.js';
import { cutAtTurn, readLastTurn } from './find-turn.js';
import type { SessionPaths } from './layout.js';
import type { StoreContext } from './store-context.js';
import type { StoredSession } from './stored-session.js';

/**
 * A new session that begins with another's conversation. The transcript up to the cut is shared, not copied: it is a file
 * that only grows, under a second name. Tool calls that the cut leaves open are closed in the fork.
 */
export async function draftFork(
  store: StoreContext,
  paths: SessionPaths,
  source: StoredSession,
  { turn = source.metadata.turn_count, session = {}, contents = {} }: ForkOptions,
): Promise<Draft> {
  const { metadata } = source;
  if (turn !== metadata.turn_count) checkTurn(turn, metadata.turn_count);
  const cut = await cutAtTurn(paths, source, turn);
  const kept = await readLastTurn(cut.segments);
  const files = cut.segments.map(({ limit }, at) => ({ file: `transcript.base-${at}.jsonl`, bytes: limit }));
  const shared = new Map(cut.segments.map(({ path }, at) => [`transcript.base-${at}.jsonl`, path]));
  const { config, agent_overlay, agent_name, working_dir, profile_name, name, model } = metadata;
  const inherited = { config, agent_overlay, agent_name, working_dir, profile_name, name, model };
  const birth = {
    ...newBirth({ ...inherited, ...session }, null, store),
    forked_from: { session_id: metadata.session_id, turn, seq: cut.messages },
    base: { files, messages: cut.messages, turns: cut.turns },
  };
  const reason = 'The conversation was forked here, before the tool call had a result.';
  const closers = openToolCalls(kept).map((call) => missingResult(call, reason));
  const messages = [...closers, ...(contents.messages ?? [])];
  return draftSession(store, birth, { ...contents, messages }, shared);
}
