import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionStatus, SessionSummary } from '../records.js';
import { chooseExpired } from './choose-expired.js';

const NOW = Date.parse('2026-06-30T00:00:00.000Z');

function session(
  id: string,
  ageDays: number,
  status: SessionStatus,
  parent_id: string | null = null,
): SessionSummary {
  const created = new Date(NOW - ageDays * 86_400_000).toISOString();
  const nothing = { project: null, agent_name: null, tool_call_id: null, profile_name: null, name: null };
  const times = { created, updated: created, ended: null, forked_from: null, imported_from: null };
  const counts = { message_count: 0, turn_count: 0, interrupted: false };
  return { session_id: id, parent_id, root_id: id, status, ...nothing, ...times, ...counts };
}

describe('retention', () => {
  it('lets old ended sessions go, oldest first, and keeps the newest', () => {
    const all = [session('a', 40, 'completed'), session('b', 50, 'failed'), session('c', 5, 'completed')];
    const ids = (policy: object) =>
      chooseExpired(all, { older_than_days: 30, ...policy }, NOW).map(({ session_id }) => session_id);
    expect(ids({})).toEqual(['b', 'a']);
    expect(ids({ keep_last: 1 })).toEqual(['b']);
    expect(ids({ statuses: ['completed'] })).toEqual(['a']);
  });

  it('never takes an active session, or one above a session that stays', () => {
    const statuses = fc.constantFrom<SessionStatus>('created', 'active', 'completed', 'failed', 'terminated');
    const sessions = fc
      .array(
        fc.record({
          age: fc.integer({ min: 0, max: 90 }),
          status: statuses,
          parent: fc.nat(30),
        }),
        {
          maxLength: 30,
        },
      )
      .map((rows) =>
        rows.map(({ age, status, parent }, at) =>
          session(`s${at}`, age, status, parent < at ? `s${parent}` : null),
        ),
      );
    fc.assert(
      fc.property(sessions, (all) => {
        const going = new Set(
          chooseExpired(all, { older_than_days: 30, statuses: ['completed', 'active', 'created'] }, NOW).map(
            ({ session_id }) => session_id,
          ),
        );
        for (const { session_id, parent_id, status } of all) {
          if (going.has(session_id)) expect(status).not.toBe('active');
          else if (parent_id !== null) expect(going.has(parent_id)).toBe(false);
        }
      }),
    );
  });

  it('ends on parents in a circle', () => {
    const loop = [session('a', 40, 'completed', 'b'), session('b', 40, 'active', 'a')];
    expect(chooseExpired(loop, { older_than_days: 1 }, NOW)).toEqual([]);
  });
});
