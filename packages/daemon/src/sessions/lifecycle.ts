import type { SessionStatus } from '@amplifier/sessions';
import { DaemonError } from '../daemon-error.js';

/** What a client may do with a session's status, and where it leads from each. What is not here is refused with 409. */
export const TRANSITIONS = {
  start: { created: 'active' },
  complete: { active: 'completed' },
  fail: { created: 'failed', active: 'failed' },
  terminate: { created: 'terminated', active: 'terminated' },
  resume: { completed: 'active', failed: 'active', terminated: 'active' },
} as const satisfies Record<string, Partial<Record<SessionStatus, SessionStatus>>>;

export type Transition = keyof typeof TRANSITIONS;

const TARGETS: Record<Transition, SessionStatus> = {
  start: 'active',
  complete: 'completed',
  fail: 'failed',
  terminate: 'terminated',
  resume: 'active',
};

/** The status a transition leads to from here, or the refusal. */
export function nextStatus(session_id: string, from: SessionStatus, transition: Transition): SessionStatus {
  const steps: Partial<Record<SessionStatus, SessionStatus>> = TRANSITIONS[transition];
  const to = steps[from];
  if (to !== undefined) return to;
  const allowed = allowedFrom(from);
  throw new DaemonError(
    'INVALID_TRANSITION',
    `Session ${session_id} is ${from}, so it cannot ${transition}; it can ${allowed.join(' or ')}.`,
    { members: { from, to: TARGETS[transition], allowed } },
  );
}

export function allowedFrom(status: SessionStatus): Transition[] {
  return (Object.keys(TRANSITIONS) as Transition[]).filter((name) => status in TRANSITIONS[name]);
}

/** A message for a session in this status, or the refusal. */
export function checkTakesMessages(session_id: string, status: SessionStatus): void {
  if (status === 'active') return;
  const hasBegun = status !== 'created';
  throw new DaemonError(
    hasBegun ? 'SESSION_CLOSED' : 'SESSION_NOT_STARTED',
    hasBegun
      ? `Session ${session_id} is ${status} and accepts no messages. Resume it first.`
      : `Session ${session_id} has not been started. Start it first, or send the message with auto_start.`,
    { members: { session_status: status } },
  );
}
