import { SessionError } from './session-error.js';

export function isSessionId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(text);
}

/** Must be called before an id becomes part of a path. */
export function checkSessionId(text: string): string {
  if (isSessionId(text)) return text;
  const message = `${JSON.stringify(text)} is not a session id: use letters, digits, "_" and "-", at most 128, beginning with a letter or digit.`;
  throw new SessionError(message, { code: 'INVALID_SESSION_ID' });
}
