import type { Usage } from '@amplifier/core';
import { run, type Work } from '../database/database.js';
import type { SessionMetadata } from '../records.js';

/** The token whose run the tree is at work for, the newest where there are several. */
const CALLER = `SELECT r.caller FROM runs r JOIN sessions s ON s.session_id = r.session_id AND s.deleted IS NULL
  WHERE r.ended IS NULL AND r.status = 'running' AND s.root_id = ? ORDER BY r.seq DESC LIMIT 1`;
const ADD = `INSERT INTO spent (day, tenant, caller, tokens, cost) VALUES (?, ?, coalesce((${CALLER}), ''), ?, ?)
  ON CONFLICT (day, tenant, caller) DO UPDATE SET tokens = spent.tokens + excluded.tokens, cost = spent.cost + excluded.cost`;

/** Adds what a session of a tenant has used to what its tenant spent that day. */
export function* addSpent(
  { tenant, metadata }: { tenant: string; metadata: Pick<SessionMetadata, 'root_id'> },
  { before, after }: { before: Usage; after: Usage },
  time: string,
): Work<void> {
  const tokens = after.total_tokens - before.total_tokens;
  const cost = billionths(after.cost_usd) - billionths(before.cost_usd);
  if (tokens > 0 || cost > 0) yield* run(ADD, time.slice(0, 10), tenant, metadata.root_id, tokens, cost);
}

function billionths(dollars: string | null): number {
  return Math.round(Number(dollars ?? 0) * 1e9);
}
