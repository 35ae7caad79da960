import type { Context } from 'hono';
import type { Logger } from 'pino';
import { DaemonError } from '../daemon-error.js';
import { problemOf } from './problem.js';
import { everyHeader } from './respond.js';

const TRY_AGAIN = new Set(['NOT_READY', 'OVERLOADED', 'IDEMPOTENCY_IN_FLIGHT', 'STORAGE_UNAVAILABLE']);

/** A refusal as an answer, with its line in the log. */
export function refuse(context: Context, error: DaemonError, logger: Logger): Response {
  const { method, path } = context.req;
  const { 'access-control-allow-origin': origin, ...headers } = everyHeader(context);
  const request_id = context.get('request_id');
  const problem = problemOf(error, path, request_id);
  const level = problem.status >= 500 ? 'error' : 'info';
  logger[level]({
    request_id,
    method,
    path,
    status: problem.status,
    code: error.code,
    cause: causeOf(error),
  });
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      ...headers,
      ...(origin !== undefined && error.code !== 'FORBIDDEN'
        ? { 'access-control-allow-origin': origin }
        : {}),
      'content-type': 'application/problem+json',
      ...(error.code === 'UNAUTHENTICATED' ? { 'www-authenticate': 'Bearer realm="amplifierd"' } : {}),
      ...retryAfter(error),
      ...(typeof error.members.allow === 'string' ? { allow: error.members.allow } : {}),
    },
  });
}

/** Why an address with these methods does not answer. */
export function missing(path: string, methods: readonly string[]): DaemonError {
  if (methods.length === 0) {
    return new DaemonError('NOT_FOUND', `There is nothing at ${path}. The API is described at /docs.`);
  }
  const allow = methods.join(', ');
  return new DaemonError('METHOD_NOT_ALLOWED', `${path} takes ${allow}.`, { members: { allow } });
}

function retryAfter({ code, members }: DaemonError): Record<string, string> {
  if (typeof members.retry_after === 'number') return { 'retry-after': String(members.retry_after) };
  return TRY_AGAIN.has(code) ? { 'retry-after': '1' } : {};
}

/** Where the log should say more than the client hears. */
function causeOf({ cause, code }: DaemonError): string | undefined {
  if (cause === undefined || code === 'MALFORMED_JSON') return undefined;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
