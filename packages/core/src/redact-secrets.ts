import { isPlainObject, type JsonObject, setOwn } from './json.js';

export const REDACTED = '[REDACTED]';

/** A name is secret by its last words, so `client_secret` and `x-api-key` are, and `max_tokens` or `token_count` are not. */
const SECRET_NAME =
  /(^|_)(api_?key|access_?key|private_?key|secret_?key|signing_?key|secret|password|passwd|passphrase|token|credentials?|auth|authorization|bearer|cookie|connection_string)$/;
const ENV_REFERENCE = /^\$\{[^}]+\}$/;
const CREDENTIAL_IN_TEXT = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/g;
const PASSWORD_IN_URL = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:)[^\s/@]+@/gi;

export function isSecretName(name: string): boolean {
  const known = KNOWN_NAMES.get(name);
  if (known !== undefined) return known;
  const isSecret = readsAsSecret(name);
  if (KNOWN_NAMES.size >= MAX_KNOWN_NAMES) KNOWN_NAMES.clear();
  KNOWN_NAMES.set(name, isSecret);
  return isSecret;
}

/** The same few hundred names come up in every plan. */
const KNOWN_NAMES = new Map<string, boolean>();
const MAX_KNOWN_NAMES = 4_096;

function readsAsSecret(name: string): boolean {
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
  return redact(value, []) as T;
}

/**
 * The same as a copy that cannot change any more. It, and every part of it, goes through `redactSecrets` as it is: what many
 * sessions share is searched once.
 */
export function frozenWithoutSecrets<T>(value: T): T {
  return freeze(redactSecrets(value));
}

/** Frozen all the way down and free of secrets. */
const CLEAN = new WeakSet<object>();

function freeze<T>(value: T): T {
  if ((!Array.isArray(value) && !isPlainObject(value)) || CLEAN.has(value)) return value;
  for (const member of Object.values(value)) freeze(member);
  CLEAN.add(Object.freeze(value));
  return value;
}

function redact(value: unknown, ancestors: unknown[]): unknown {
  if (typeof value === 'string') return redactText(value);
  if (!Array.isArray(value) && !isPlainObject(value)) return value;
  if (CLEAN.has(value)) return value;
  if (ancestors.includes(value)) return '[CIRCULAR]';
  ancestors.push(value);
  const copy = Array.isArray(value)
    ? value.map((item) => redact(item, ancestors))
    : redactObject(value, ancestors);
  ancestors.pop();
  return copy;
}

function redactObject(value: JsonObject, ancestors: unknown[]): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    setOwn(copy, key, isSecretName(key) ? redactSecretMember(member, ancestors) : redact(member, ancestors));
  }
  return copy;
}

function redactSecretMember(member: unknown, ancestors: unknown[]): unknown {
  if (Array.isArray(member)) return member.map((item) => redactSecretMember(item, ancestors));
  if (typeof member === 'number') return REDACTED;
  if (typeof member === 'string') return member === '' || ENV_REFERENCE.test(member) ? member : REDACTED;
  return redact(member, ancestors);
}

/** Nothing else is looked for, and most text has neither. */
const MAY_HOLD_CREDENTIAL = /Bearer|Basic|:\/\//;

/** Free text: only what is recognisable as a credential by its shape. */
export function redactText(text: string): string {
  if (!MAY_HOLD_CREDENTIAL.test(text)) return text;
  return text.replace(CREDENTIAL_IN_TEXT, `$1 ${REDACTED}`).replace(PASSWORD_IN_URL, `$1${REDACTED}@`);
}
