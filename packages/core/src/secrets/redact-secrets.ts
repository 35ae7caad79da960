import { freezeJson, isCleanJson } from '../data/frozen-json.js';
import { isPlainObject, type JsonObject, setOwn } from '../data/json.js';
import { redactKnown } from './known-secrets.js';
import { isSecretName } from './secret-name.js';

export const REDACTED = '[REDACTED]';

const ENV_REFERENCE = /^\$\{[^}]+\}$/;
const CREDENTIAL_IN_TEXT = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/g;
// A scheme is short. Without a bound, text such as a.a.a.a would be gone through from each of its letters.
const PASSWORD_IN_URL = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]+:)[^\s/@]+@/gi;

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
  return freezeJson(redactSecrets(value), true);
}

/** Where a secret was taken out of a config, by path. */
export function redactedMembers(config: unknown, path = ''): string[] {
  if (typeof config === 'string') return config.includes(REDACTED) ? [path] : [];
  if (Array.isArray(config)) return config.flatMap((item, at) => redactedMembers(item, `${path}[${at}]`));
  if (!isPlainObject(config)) return [];
  return Object.entries(config).flatMap(([key, value]) =>
    redactedMembers(value, path === '' ? key : `${path}.${key}`),
  );
}

function redact(value: unknown, ancestors: unknown[]): unknown {
  if (typeof value === 'string') return redactText(value);
  if (!Array.isArray(value) && !isPlainObject(value)) return value;
  if (isCleanJson(value)) return value;
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

const MAY_HOLD_CREDENTIAL = /Bearer|Basic|:\/\//;

/** Free text: first the values this process knows to be secret, then what is recognisable as a credential by its shape. */
export function redactText(text: string): string {
  const left = redactShapes(redactKnown(text, REDACTED), REDACTED);
  if (!MAY_HOLD_CREDENTIAL.test(left)) return left;
  return left.replace(CREDENTIAL_IN_TEXT, `$1 ${REDACTED}`).replace(PASSWORD_IN_URL, `$1${REDACTED}@`);
}

/** `KEY=value` where the name says that the value is a secret. */
const ASSIGNED_SECRET =
  /\b([A-Z0-9_.-]{0,80}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD))(["']?\s*[=:]\s*)(?!\[REDACTED\])\S+/gi;

/** What a program says on its error output: there a name with a value behind it is told apart as well. */
export function redactDiagnostics(text: string): string {
  return redactText(text).replace(ASSIGNED_SECRET, `$1$2${REDACTED}`);
}

/** Credentials that are recognized by their shape, anywhere in a text. */
const SHAPES: readonly RegExp[] = [
  /\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{22,}\b/g,
  /\bglpat-[A-Za-z0-9_-]{20,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\b(?:gsk|hf|r8)_[A-Za-z0-9]{20,}\b/g,
  /\b(?:xai|pplx)-[A-Za-z0-9]{20,}\b/g,
  // Bounded, because a text may hold the beginning of one thousands of times.
  /\beyJ[A-Za-z0-9_-]{8,600}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/** Most text has none of these, and is looked at once. */
const MAY_HOLD_SHAPE =
  /sk-|gh[pousr]_|github_pat_|glpat-|AKIA|ASIA|AIza|xox[abeoprs]-|npm_|gsk_|hf_|r8_|xai-|pplx-|eyJ|PRIVATE KEY/;

function redactShapes(text: string, replacement: string): string {
  if (!MAY_HOLD_SHAPE.test(text)) return text;
  return SHAPES.reduce((left, shape) => left.replace(shape, replacement), text);
}
