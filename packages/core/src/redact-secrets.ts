import { isPlainObject, type JsonObject, setOwn } from './json.js';

export const REDACTED = '[REDACTED]';

/** A name is secret by its last words, so `client_secret` and `x-api-key` are, and `max_tokens` or `token_count` are not. */
const SECRET_NAME =
  /(^|_)(api_?key|access_?key|private_?key|secret_?key|signing_?key|secret|password|passwd|passphrase|token|credentials?|auth|authorization|bearer|cookie|connection_string)$/;
const ENV_REFERENCE = /^\$\{[^}]+\}$/;
const CREDENTIAL_IN_TEXT = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/g;
const PASSWORD_IN_URL = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:)[^\s/@]+@/gi;

export function isSecretName(name: string): boolean {
  const snake = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
  return SECRET_NAME.test(snake);
}

/**
 * A copy with every secret replaced. References such as `${API_KEY}` stay, so that the plan can be mounted again
 * from the copy. Objects under a secret name are searched, not swallowed.
 */
export function redactSecrets<T>(value: T): T {
  return redact(value, new Set()) as T;
}

function redact(value: unknown, ancestors: Set<unknown>): unknown {
  if (typeof value === 'string') return redactText(value);
  if (!Array.isArray(value) && !isPlainObject(value)) return value;
  if (ancestors.has(value)) return '[CIRCULAR]';
  ancestors.add(value);
  const copy = Array.isArray(value)
    ? value.map((item) => redact(item, ancestors))
    : redactObject(value, ancestors);
  ancestors.delete(value);
  return copy;
}

function redactObject(value: JsonObject, ancestors: Set<unknown>): JsonObject {
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    setOwn(copy, key, isSecretName(key) ? redactSecretMember(member, ancestors) : redact(member, ancestors));
  }
  return copy;
}

function redactSecretMember(member: unknown, ancestors: Set<unknown>): unknown {
  if (Array.isArray(member)) return member.map((item) => redactSecretMember(item, ancestors));
  if (typeof member === 'number') return REDACTED;
  if (typeof member === 'string') return member === '' || ENV_REFERENCE.test(member) ? member : REDACTED;
  return redact(member, ancestors);
}

/** Free text: only what is recognisable as a credential by its shape. */
export function redactText(text: string): string {
  return text.replace(CREDENTIAL_IN_TEXT, `$1 ${REDACTED}`).replace(PASSWORD_IN_URL, `$1${REDACTED}@`);
}
