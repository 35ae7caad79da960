import type { SessionStatus } from './records.js';
import { refusal } from './refusals.js';

/** The life of a session. One that has ended is resumed by becoming active; `active` to `active` sets or clears the interruption. */
const STEPS: Record<SessionStatus, readonly SessionStatus[]> = {
  created: ['active', 'failed', 'terminated'],
  active: ['active', 'completed', 'failed', 'terminated'],
  completed: ['active'],
  failed: ['active'],
  terminated: ['active'],
};

export function isTerminal(status: SessionStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'terminated';
}

export function checkTransition(session_id: string, from: SessionStatus, to: SessionStatus): void {
  if (STEPS[from].includes(to)) return;
  const steps = STEPS[from].join(' or ');
  const message = `Session ${session_id} is ${from} and cannot become ${to}; from ${from} it can become ${steps}.`;
  throw refusal('INVALID_TRANSITION', session_id, message);
}
