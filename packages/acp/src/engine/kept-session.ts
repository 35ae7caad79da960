import { isPlainObject } from '@amplifier/core';
import type { Turn } from '@amplifier/delegation';

/** The agent's own session, as the log of ours remembers it. */
export interface KeptSession {
  id: string;
  agent: string;
  cwd: string;
  /** Can a later turn continue with it? */
  keeps: boolean;
  /** What it had cost in US dollars, where the agent says. */
  cost: number | null;
}

/** The agent's own session of an earlier turn of this session. */
export function keptSession({ log }: Pick<Turn, 'log'>): KeptSession | null {
  const kept = log.metadata.extra.acp_session;
  if (!isPlainObject(kept) || typeof kept.id !== 'string' || typeof kept.agent !== 'string') return null;
  const cost = typeof kept.cost === 'number' ? kept.cost : null;
  return { id: kept.id, agent: kept.agent, cwd: String(kept.cwd), keeps: kept.keeps !== false, cost };
}
