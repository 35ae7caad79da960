import type { JsonObject } from '@amplifier/core';
import { all, conditions, type SqlValue, table, type Work } from '../database/database.js';
import { DEFAULT_PAGE } from '../defaults.js';
import { parseText } from '../json-text.js';
import { checkLimit, type Listed, type Named, onlyOne, pageOf, parseListCursor } from '../list-pages.js';
import type { SessionNode, SessionSpend } from '../records.js';
import type { SessionPage, SessionQuery } from '../session-store.js';
import { wholeDocument } from './read-records.js';
import { IN_TREE, type SessionRow, SUMMARY_COLUMNS, TRACE_COLUMNS } from './session-row.js';

/** A page of what `read` makes of the sessions, newest first; ids break ties. */
export function* listSessions<Of extends Listed>(
  { limit = DEFAULT_PAGE, ...query }: SessionQuery,
  read: (rest: string, ...values: SqlValue[]) => Work<Of[]>,
): Work<SessionPage<Of>> {
  checkLimit(limit);
  const { where, values } = conditionsOf(query);
  const rest = `${where.join(' AND ')} ORDER BY created DESC, session_id DESC LIMIT ?`;
  const found = yield* read(rest, ...values, limit + 1);
  return pageOf(found, limit);
}

/** Conditions of a query that a column answers as it is. */
const EQUAL = ['agent_name', 'profile_name', 'forked_from', 'imported_from'] as const;

function conditionsOf(query: SessionQuery): { where: string[]; values: SqlValue[] } {
  const kept = query.deleted ? 'deleted IS NOT NULL AND is_purged = 0' : 'deleted IS NULL';
  const { where, values, add } = conditions(kept);
  const { project, parent_id, root_id, status, created_after, created_before, cursor } = query;
  if (project != null) add('project = ?', project);
  if (parent_id === null) add('parent_id IS NULL');
  else if (parent_id !== undefined) add('parent_id = ?', parent_id);
  if (root_id !== undefined) add(IN_TREE, root_id, root_id);
  for (const column of EQUAL) if (query[column] !== undefined) add(`${column} = ?`, query[column]);
  const statuses = [status ?? []].flat();
  if (status !== undefined) add(`status IN (NULL${', ?'.repeat(statuses.length)})`, ...statuses);
  if (created_after !== undefined) add('created >= ?', created_after);
  if (created_before !== undefined) add('created < ?', created_before);
  if (cursor !== undefined) add('(created, session_id) < (?, ?)', ...parseListCursor(cursor));
  return { where, values };
}

const PREFIXED = `SELECT session_id, project FROM sessions WHERE session_id >= ? AND session_id < ? AND deleted IS NULL
  ORDER BY session_id LIMIT 1000`;

/** The one session whose id begins with a text: of the project when it has any, else of all. */
export function* resolvePrefix(prefix: string, project: string | null): Work<string> {
  const end = `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;
  return onlyOne(prefix, project, yield* all<Named>(PREFIXED, prefix, end));
}

type NodeRow = SessionRow & Record<'extra' | 'launch' | 'rights', string | null>;

const OWN = 'model started event_count owner error usage last_outcome extra launch rights'.split(' ');
const NODE_COLUMNS: readonly string[] = [...SUMMARY_COLUMNS, ...TRACE_COLUMNS, ...OWN];

/** The documents have their places by `documentPlace`. */
const NODES = `FROM (SELECT s.*, x.body AS extra, l.body AS launch, r.body AS rights FROM sessions s
  LEFT JOIN documents x ON x.place = s.n * 4 + 3 LEFT JOIN documents l ON l.place = s.n * 4
  LEFT JOIN plans r ON r.hash = l.rights) AS nodes
  WHERE ${IN_TREE} AND deleted IS NULL ORDER BY created, session_id LIMIT ?`;

/** All sessions of a tree, oldest first, at the cost of one statement. Their launch records come without the plans. */
export function* sessionTree(root_id: string, limit: number): Work<SessionNode[]> {
  return (yield* table<NodeRow>(NODE_COLUMNS, NODES, root_id, root_id, limit)).map(nodeOf);
}

function nodeOf({
  owner,
  error,
  usage,
  last_outcome,
  extra,
  launch,
  rights,
  ...whole
}: NodeRow): SessionNode {
  const { trace_id: _, depth: __, parallel_group_id: ___, ...row } = whole;
  const { session_id } = row;
  const parts = { body: launch, plan: null, rights };
  return {
    ...row,
    interrupted: row.interrupted === 1,
    isOwned: owner !== null,
    error: error === null ? null : parseText(error, session_id, 'its error'),
    usage: parseText(usage, session_id, 'its usage'),
    last_outcome: last_outcome === null ? null : parseText(last_outcome, session_id, 'its last outcome'),
    extra: extra === null ? {} : parseText<JsonObject>(extra, session_id, 'its data'),
    launch: launch === null ? null : (wholeDocument('launch', parts, session_id, whole) as JsonObject),
  };
}

const SPEND = `SELECT session_id, root_id, created, name, agent_name, model, project, usage FROM sessions
  WHERE deleted IS NULL AND created >= ? AND created < ?`;

/** Every time is between '' and '~'. */
export function* sessionSpends(range: { from?: string; to?: string }): Work<SessionSpend[]> {
  const { from = '', to = '~' } = range;
  const rows = yield* all<Omit<SessionSpend, 'usage'> & { usage: string }>(SPEND, from, to);
  return rows.map((row) => ({ ...row, usage: parseText(row.usage, row.session_id, 'its usage') }));
}
