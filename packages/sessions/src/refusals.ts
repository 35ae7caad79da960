import type { ProcessIdentity } from '@amplifier/core';
import type { Range } from './records.js';
import { SessionError, type SessionErrorCode } from './session-error.js';

export function refusal(code: SessionErrorCode, origin: string, message: string, retryable = false) {
  return new SessionError(message, { code, origin, retryable });
}

export function taken(session_id: string): SessionError {
  const message = `There is already a session ${session_id}. Choose another id, or open that one.`;
  return refusal('SESSION_EXISTS', session_id, message);
}

export function active(session_id: string): SessionError {
  const message = `Session ${session_id} is active. End it first, or delete it with force.`;
  return refusal('SESSION_ACTIVE', session_id, message);
}

export function hasChildren(session_id: string, count: number): SessionError {
  const message = `Session ${session_id} has ${count} child sessions. Delete them as well (cascade), or leave them alone (orphan).`;
  return refusal('SESSION_HAS_CHILDREN', session_id, message);
}

export function fenced(what: string): SessionError {
  const message = `${what} has been taken over by a newer owner. Stop this turn; nothing of it counts any more.`;
  return refusal('FENCED', what, message);
}

export function callTaken(parent_id: string, tool_call_id: string, rival: string): SessionError {
  const message = `Tool call ${tool_call_id} of session ${parent_id} already has session ${rival}. Open that one instead.`;
  return refusal('SESSION_EXISTS', rival, message);
}

export function notFound(session_id: string): SessionError {
  const message = `There is no session ${session_id} here. List the sessions to see which there are.`;
  return refusal('SESSION_NOT_FOUND', session_id, message);
}

export function locked(session_id: string, holder: string): SessionError {
  const message = `Session ${session_id} is being written by ${holder}. Wait for it to end, or stop it.`;
  return refusal('SESSION_LOCKED', session_id, message, true);
}

/** For messages: which process it is. */
export function describeProcess({ pid, host }: ProcessIdentity, self: ProcessIdentity): string {
  return pid === self.pid && host === self.host ? 'this process' : `process ${pid} on ${host}`;
}

/** Throws unless all of a range are whole numbers that make sense. */
export function checkRange({ after = 0, before = 0, limit = 1, bytes = 1 }: Range): void {
  checkCount('after', after);
  checkCount('before', before);
  checkCount('limit', limit, 1);
  checkCount('bytes', bytes, 1);
}

export function checkCount(name: string, value: number, least = 0): void {
  if (Number.isInteger(value) && value >= least) return;
  throw refusal('INVALID_QUERY', name, `${name} is a whole number from ${least} up, and this is ${value}.`);
}

const TENANT = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Throws for what cannot be the name of a tenant. */
export function checkTenant(tenant: string): string {
  if (TENANT.test(tenant)) return tenant;
  const rule = 'it has up to 63 small letters, digits and hyphens, and begins with no hyphen';
  const message = `${JSON.stringify(tenant)} cannot be the name of a tenant: ${rule}.`;
  throw refusal('INVALID_RECORD', tenant, message);
}

/** A turn is a user message and everything up to the next one. Throws when a conversation of so many has no such turn. */
export function checkTurn(turn: number, turns: number): void {
  if (Number.isInteger(turn) && turn >= 1 && turn <= turns) return;
  const has = turns === 0 ? 'the conversation has no turn yet' : `the conversation has turns 1 to ${turns}`;
  throw refusal('TURN_NOT_FOUND', String(turn), `There is no turn ${turn}: ${has}.`);
}
