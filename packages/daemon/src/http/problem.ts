import { AmplifierError } from '@amplifier/core';
import { RunRefusal } from '@amplifier/host/runs';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Env } from '../auth/gate.js';
import { DaemonError } from '../daemon-error.js';
import { DAEMON_ERRORS, type DaemonErrorCode } from '../error-codes.js';
import { everyHeader } from './respond.js';

export const ProblemSchema = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    detail: z.string(),
    instance: z.string(),
    request_id: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .openapi('Problem', {
    description: 'RFC 9457. `code` is stable; `detail` says what happened, to what, and what to do next.',
  });

/** What the packages below call a failure, as the client gets to see it. */
const TRANSLATED: Record<string, DaemonErrorCode> = {
  SESSION_LOCKED: 'SESSION_BUSY',
  FENCED: 'SESSION_BUSY',
  LOG_CLOSED: 'NOT_READY',
  LOG_BROKEN: 'STORAGE_UNAVAILABLE',
  STORAGE_DENIED: 'STORAGE_UNAVAILABLE',
  STORAGE_FAILED: 'STORAGE_UNAVAILABLE',
  SOURCE_NOT_FOUND: 'REF_RESOLUTION_FAILED',
  SOURCE_REF_NOT_FOUND: 'REF_RESOLUTION_FAILED',
  SOURCE_UNREACHABLE: 'REF_RESOLUTION_FAILED',
  SOURCE_TIMEOUT: 'REF_RESOLUTION_FAILED',
  SOURCE_TOO_LARGE: 'REF_RESOLUTION_FAILED',
  SOURCE_FAILED: 'REF_RESOLUTION_FAILED',
  APPLY_NOT_UNDOABLE: 'PROPOSAL_NOT_WAITING',
  PATCH_TOO_LARGE: 'PROPOSAL_TOO_LARGE',
  PATH_CHANGED: 'WORKSPACE_CHANGED',
  PATCH_STALE: 'WORKSPACE_CHANGED',
  WORKSPACE_BUSY: 'WORKSPACE_CHANGED',
  PATH_ESCAPES_ROOT: 'INVALID_SOURCE',
  FILE_NOT_FOUND: 'RESOURCE_MISSING',
  SYMLINK_LOOP: 'RESOURCE_MISSING',
  FILE_UNREADABLE: 'PROFILE_INVALID',
  FILE_TOO_LARGE: 'PROFILE_INVALID',
  NOT_TEXT: 'PROFILE_INVALID',
  INVALID_YAML: 'PROFILE_INVALID',
  FRONTMATTER_NOT_CLOSED: 'PROFILE_INVALID',
  INVALID_AGENT: 'PROFILE_INVALID',
  INVALID_AGENT_NAME: 'VALIDATION_FAILED',
  INVALID_RUN: 'VALIDATION_FAILED',
  INVALID_PREFERENCE: 'VALIDATION_FAILED',
  INVALID_BUNDLE: 'CONFIGURATION_INVALID',
  BUNDLE_NOT_FOUND: 'CONFIGURATION_INVALID',
  BUNDLE_DEPENDENCY: 'CONFIGURATION_INVALID',
  BUNDLE_CYCLE: 'CONFIGURATION_INVALID',
  INVALID_SETTINGS: 'CONFIGURATION_INVALID',
  INVALID_MATRIX: 'CONFIGURATION_INVALID',
  MATRIX_NOT_FOUND: 'CONFIGURATION_INVALID',
};

const TRY_AGAIN = new Set(['NOT_READY', 'OVERLOADED', 'IDEMPOTENCY_IN_FLIGHT', 'STORAGE_UNAVAILABLE']);

/** The same failure as a refusal of the daemon's own. What is not known to be harmless becomes INTERNAL. */
export function toDaemonError(thrown: unknown): DaemonError {
  if (thrown instanceof DaemonError) return thrown;
  const members = thrown instanceof RunRefusal ? thrown.members : {};
  if (!AmplifierError.is(thrown)) return internal(thrown);
  // Why the first write failed is why the later ones do.
  if (thrown.code === 'LOG_BROKEN' && AmplifierError.is(thrown.cause)) return toDaemonError(thrown.cause);
  const code = TRANSLATED[thrown.code] ?? thrown.code;
  if (!(code in DAEMON_ERRORS) || code === 'INTERNAL') return internal(thrown);
  const known = code as DaemonErrorCode;
  if (known === 'SESSION_NOT_FOUND') {
    const detail = `There is no session ${thrown.origin ?? 'with this id'}. It may have been deleted. GET /api/v1/sessions lists the sessions.`;
    return new DaemonError(known, detail, { cause: thrown });
  }
  const [status, sentence] = DAEMON_ERRORS[known];
  return new DaemonError(known, status >= 500 && status !== 502 ? sentence : thrown.message, {
    members,
    cause: thrown,
  });
}

function internal(cause: unknown): DaemonError {
  return new DaemonError('INTERNAL', DAEMON_ERRORS.INTERNAL[1], { cause });
}

function problemOf(error: DaemonError, instance: string, request_id: string): z.infer<typeof ProblemSchema> {
  const [status, title] = DAEMON_ERRORS[error.code];
  return {
    ...error.members,
    type: `urn:amplifier:problem:${error.code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    code: error.code,
    detail: error.message,
    instance,
    request_id,
    ...(error.errors.length > 0 ? { errors: [...error.errors] } : {}),
  };
}

/** A refusal as a response. It is noted for the log. */
export function refuse(context: Context<Env>, error: DaemonError): Response {
  context.set('refusal', error);
  const problem = problemOf(error, context.req.path, context.get('requestId'));
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      ...everyHeader(context),
      'content-type': 'application/problem+json',
      ...(error.code === 'UNAUTHENTICATED' ? { 'www-authenticate': 'Bearer realm="amplifierd"' } : {}),
      ...retryAfter(error),
      ...(typeof error.members.allow === 'string' ? { allow: error.members.allow } : {}),
    },
  });
}

function retryAfter({ code, members }: DaemonError): Record<string, string> {
  if (typeof members.retry_after === 'number') return { 'retry-after': String(members.retry_after) };
  return TRY_AGAIN.has(code) ? { 'retry-after': '1' } : {};
}
