import type { Span, TreeNode } from '../api/types.js';
import { addMoney } from '../live/tree.js';

/** The tree as it was at one moment. */
export interface Moment {
  /** Sessions that had begun, and whether each was still at work. */
  sessions: Map<string, 'running' | 'waiting' | 'ended'>;
  running: number;
  ended: number;
  tokens: number;
  cost_usd: string | null;
}

/** The moments at which something began or ended, in order. */
export function moments(nodes: Iterable<TreeNode>, spans: readonly Span[]): number[] {
  const times = new Set<number>();
  for (const { started_at, ended_at } of nodes) {
    if (started_at) times.add(Date.parse(started_at));
    if (ended_at) times.add(Date.parse(ended_at));
  }
  for (const { start, end } of spans) {
    times.add(Date.parse(start));
    if (end) times.add(Date.parse(end));
  }
  return [...times].sort((a, b) => a - b);
}

export function momentAt(nodes: Iterable<TreeNode>, spans: readonly Span[], time: number): Moment {
  const moment: Moment = { sessions: new Map(), running: 0, ended: 0, tokens: 0, cost_usd: '0' };
  for (const { session_id, started_at, ended_at } of nodes) {
    if (!started_at || Date.parse(started_at) > time) continue;
    const hasEnded = ended_at !== null && Date.parse(ended_at) <= time;
    moment.sessions.set(session_id, hasEnded ? 'ended' : 'running');
    if (hasEnded) moment.ended++;
    else moment.running++;
  }
  for (const span of spans) {
    const end = span.end === null ? Number.POSITIVE_INFINITY : Date.parse(span.end);
    if (span.kind === 'wait' && Date.parse(span.start) <= time && end > time)
      moment.sessions.set(span.session_id, 'waiting');
    if (span.kind !== 'model' || end > time) continue;
    moment.tokens += span.tokens ?? 0;
    moment.cost_usd = addMoney(moment.cost_usd, span.cost_usd);
  }
  return moment;
}
