import { all, type Work } from '../database/database.js';
import { notFound } from '../refusals.js';
import { SessionError } from '../session-error.js';
import type { SessionRow } from './session-row.js';

type Candidate = Pick<SessionRow, 'session_id' | 'project'>;

/** Sessions whose ids begin with a text; no more than it takes to see that they are several. */
export function* rowsWithPrefix(prefix: string): Work<Candidate[]> {
  const end = `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;
  return yield* all<Candidate>(
    `SELECT session_id, project FROM sessions WHERE session_id >= ? AND session_id < ? AND deleted IS NULL
      ORDER BY session_id LIMIT 1000`,
    prefix,
    end,
  );
}

/** The one that is meant: of the project when it has any, else of all. */
export function resolvePrefix(prefix: string, rows: readonly Candidate[], project: string | null): string {
  const own = rows.filter((row) => row.project === project);
  const found = own.length > 0 ? own : rows;
  const [only, second] = found;
  if (!only) throw notFound(prefix);
  if (!second) return only.session_id;
  throw new SessionError(
    `${found.length} sessions begin with ${prefix}, among them ${only.session_id} and ${second.session_id}. Give more of the id.`,
    { code: 'SESSION_AMBIGUOUS', origin: prefix },
  );
}
