import { freezeJson, isFrozenJson, isPlainObject, type JsonObject, Plan, setOwn } from '@amplifier/core';
import { definedMembers, jsonText } from '../json-text.js';

/** Copies of frozen values, such as plans and grants: many sessions share one. `npm run bench -- delegation` shows it. */
const SHARED = new WeakMap<object, JsonObject>();

/** What JSON makes of a value, as a frozen copy. Throws `INVALID_RECORD` for what cannot be written as JSON. */
export function storedCopy<T>(value: T, session_id: string): T {
  try {
    return copyOf(value) as T;
  } catch {
    return freezeJson(JSON.parse(jsonText(value, session_id)));
  }
}

/** Throws for what only `JSON.stringify` can judge: functions, class instances, cycles. */
function copyOf(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value == null) return value;
  // JSON has no negative zero.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (Array.isArray(value)) return copyArray(value);
  if (!isPlainObject(value)) throw new TypeError('This is not plain data.');
  return Object.isFrozen(value) ? copyFrozen(value) : copyObject(value);
}

function copyArray(value: readonly unknown[]): readonly unknown[] {
  const copy = [...value];
  for (let at = 0; at < copy.length; at++) copy[at] = copyOf(copy[at]) ?? null;
  return Object.freeze(copy);
}

/** Spreading and replacing is faster than adding members one by one. */
function copyObject(value: JsonObject): JsonObject {
  const copy = { ...value };
  let isWhole = true;
  for (const key in copy) {
    const stored = copyOf(copy[key]);
    if (stored === undefined) isWhole = false;
    else if (!Object.is(stored, copy[key])) setOwn(copy, key, stored);
  }
  return Object.freeze(isWhole ? copy : definedMembers(copy));
}

/** The sessions of a plan have their own metadata and share the rest. */
function copyFrozen(value: JsonObject): JsonObject {
  const plan = Plan.known(value)?.json;
  if (!plan && !isFrozenJson(value)) return copyObject(value);
  const source = plan ?? value;
  const copy = SHARED.get(source) ?? copyObject(source);
  SHARED.set(source, copy);
  const { metadata } = plan ? (value.session as JsonObject) : {};
  if (!metadata) return copy;
  const session = { ...(copy.session as JsonObject), metadata: copyObject(metadata as JsonObject) };
  return Object.freeze({ ...copy, session: Object.freeze(session) });
}
