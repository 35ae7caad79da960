import type { JsonObject } from '@amplifier/core';
import { all, conditions, table, type Work } from '../database/database.js';
import { parseText } from '../json-text.js';
import type { SessionNode, SessionSpend } from '../records.js';
import { documentSql, PLAN_METADATA } from './places.js';
import { IN_TREE, type SessionRow, SUMMARY_COLUMNS, summaryOf } from './session-row.js';

interface NodeRow extends SessionRow {
  extra: string | null;
  launch: string | null;
  rights: string | null;
}

const OWN = 'model started event_count owner error usage extra launch rights'.split(' ');
const NODE_COLUMNS: readonly string[] = [...SUMMARY_COLUMNS, ...OWN];

const NODES = `FROM (SELECT s.*, x.body AS extra, l.body AS launch, r.body AS rights FROM sessions s
  LEFT JOIN documents x ON x.place = ${documentSql('s.n', 'extra')}
  LEFT JOIN documents l ON l.place = ${documentSql('s.n', 'launch')}
  LEFT JOIN plans r ON r.hash = l.rights) AS nodes
  WHERE ${IN_TREE} AND deleted IS NULL ORDER BY created, session_id LIMIT ?`;

/** All sessions of a tree, oldest first, at the cost of one statement. */
export function* sessionTree(root_id: string, limit: number): Work<SessionNode[]> {
  return (yield* table<NodeRow>(NODE_COLUMNS, NODES, root_id, root_id, limit)).map(nodeOf);
}

const SPEND = 'SELECT session_id, root_id, created, name, agent_name, model, project, usage FROM sessions';

export function* sessionSpends({ from, to }: { from?: string; to?: string }): Work<SessionSpend[]> {
  const { where, values, add } = conditions('deleted IS NULL');
  if (from !== undefined) add('created >= ?', from);
  if (to !== undefined) add('created < ?', to);
  const rows = yield* all<Omit<SessionSpend, 'usage'> & { usage: string }>(
    `${SPEND} WHERE ${where.join(' AND ')}`,
    ...values,
  );
  return rows.map((row) => ({ ...row, usage: parseText(row.usage, row.session_id, 'its usage') }));
}

function nodeOf(row: NodeRow): SessionNode {
  const { session_id, model, started, event_count, error, usage, owner, extra } = row;
  return {
    ...summaryOf(row),
    model,
    started,
    event_count,
    isOwned: owner !== null,
    error: error === null ? null : parseText(error, session_id, 'its error'),
    usage: parseText(usage, session_id, 'its usage'),
    extra: extra === null ? {} : parseText<JsonObject>(extra, session_id, 'its data'),
    launch: row.launch === null ? null : launchOf(row.launch, row.rights, session_id),
  };
}

/** Without its plan. */
function launchOf(text: string, rights: string | null, session_id: string): JsonObject {
  const place = 'its launch record';
  const { [PLAN_METADATA]: _, ...launch } = parseText<JsonObject>(text, session_id, place);
  return rights === null ? launch : { ...launch, grant: parseText(rights, session_id, place) };
}
