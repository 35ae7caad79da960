import { SessionError } from './session-error.js';
import type { Range } from './session-store.js';

export function taken(session_id: string): SessionError {
  return new SessionError(`There is already a session ${session_id}. Choose another id, or open that one.`, {
    code: 'SESSION_EXISTS',
    origin: session_id,
  });
}

export function active(session_id: string): SessionError {
  return new SessionError(`Session ${session_id} is active. End it first, or delete it with force.`, {
    code: 'SESSION_ACTIVE',
    origin: session_id,
  });
}

export function hasChildren(session_id: string, count: number): SessionError {
  return new SessionError(
    `Session ${session_id} has ${count} child sessions. Delete them as well (cascade), or leave them alone (orphan).`,
    { code: 'SESSION_HAS_CHILDREN', origin: session_id },
  );
}

/** Throws unless all of a range are whole numbers that make sense. */
export function checkRange({ after = 0, before = 0, limit = 1 }: Range): void {
  for (const [name, value] of Object.entries({ after, before, limit })) {
    if (Number.isInteger(value) && value >= (name === 'limit' ? 1 : 0)) continue;
    throw new SessionError(`${name} is a whole number, and this is ${value}.`, { code: 'INVALID_QUERY' });
  }
}

export function fenced(what: string): SessionError {
  return new SessionError(
    `${what} has been taken over by a newer owner. Stop this turn; nothing of it counts any more.`,
    {
      code: 'FENCED',
      origin: what,
    },
  );
}

export function callTaken(parent_id: string, tool_call_id: string, rival: string): SessionError {
  return new SessionError(
    `Tool call ${tool_call_id} of session ${parent_id} already has session ${rival}. Open that one instead.`,
    { code: 'SESSION_EXISTS', origin: rival },
  );
}

export function notFound(session_id: string): SessionError {
  return new SessionError(
    `There is no session ${session_id} here. List the sessions to see which there are.`,
    { code: 'SESSION_NOT_FOUND', origin: session_id },
  );
}

export function locked(session_id: string, holder: string): SessionError {
  return new SessionError(
    `Session ${session_id} is being written by ${holder}. Wait for it to end, or stop it.`,
    { code: 'SESSION_LOCKED', origin: session_id, retryable: true },
  );
}

export function checkCount(name: string, value: number): void {
  if (Number.isInteger(value) && value >= 0) return;
  throw new SessionError(`${name} is a whole number from 0 up, and this is ${value}.`, {
    code: 'INVALID_QUERY',
  });
}
