import { freezeJson, frozenCopy, isCleanJson, jsonTextOf } from './data/frozen-json.js';
import { isPlainObject, isSameJson, type JsonObject, setOwn } from './data/json.js';
import { KernelError } from './kernel/errors/kernel-error.js';
import type { MountPlan } from './kernel/mount-plan.js';
import { formatPlanIssues, validateMountPlan } from './kernel/validate-mount-plan.js';
import { frozenWithoutSecrets } from './secrets/redact-secrets.js';

/** The plan of each JSON object that a plan was made from, or that was made from a plan. */
const KNOWN = new WeakMap<object, Plan>();

/**
 * A mount plan that cannot change: frozen, and compared and cached by its hash. The metadata of a session is no part of it, because
 * it tells apart the sessions of one plan.
 */
export class Plan {
  readonly json: MountPlan;
  #isValid = false;
  #hash: string | null | undefined;
  #stored: Plan | undefined;

  private constructor(json: MountPlan) {
    this.json = json;
    KNOWN.set(json, this);
  }

  /** The plan that JSON contains. JSON is copied, but for sections that are those of another plan. */
  static of(json: MountPlan): Plan {
    const known = KNOWN.get(json);
    if (known && hasSameSections(known.json, json)) return known;
    const own = sectionsOf(json);
    if (known && isSameJson(known.json, own)) return known;
    for (const name of Object.keys(own)) setOwn(own, name, frozenCopy(own[name]));
    const plan = new Plan(freezeJson(own));
    KNOWN.set(json, plan);
    return plan;
  }

  /** The plan that a session mounts. Throws `INVALID_MOUNT_PLAN`. */
  static valid(json: MountPlan): Plan {
    const known = Plan.known(json);
    if (known === null) requireValid(json);
    else if (!known.#isValid) requireValid(known.json);
    const plan = known ?? Plan.of(json);
    plan.#isValid = true;
    return plan;
  }

  /** The plan that this JSON was made from, unchanged; null for other JSON. */
  static known(json: unknown): Plan | null {
    const known = isPlainObject(json) ? KNOWN.get(json) : undefined;
    return known && hasSameSections(known.json, json as MountPlan) ? known : null;
  }

  /** SHA-256 over its sections. Null for a plan with values that JSON cannot hold: it is equal to no other. */
  get hash(): string | null {
    if (this.#hash === undefined) this.#hash = hashOf(this.json);
    return this.#hash;
  }

  /** The JSON of one session as it is stored: frozen and without secrets. */
  storedWith(metadata: JsonObject | undefined): MountPlan {
    this.#stored ??= isCleanJson(this.json) ? this : new Plan(frozenWithoutSecrets(this.json));
    const stored = this.#stored;
    if (metadata === undefined) return stored.json;
    const session = { ...stored.json.session, metadata: frozenWithoutSecrets(metadata) };
    const json = freezeJson({ ...stored.json, session }, true);
    KNOWN.set(json, stored);
    return json;
  }

  /** The JSON of one session. Its sections may be replaced. */
  withMetadata(metadata: JsonObject | undefined): MountPlan {
    const session = { ...this.json.session, ...(metadata ? { metadata: frozenCopy(metadata) } : {}) };
    const json = { ...this.json, session };
    KNOWN.set(json, this);
    return json;
  }
}

/** Objects of our own around the sections. */
function sectionsOf(json: MountPlan): MountPlan {
  const { metadata: _, ...session } = json.session;
  return { ...json, session };
}

/** Are the sections the very same objects? Those of `session` are compared one by one. */
function hasSameSections(one: JsonObject, other: JsonObject, except = 'session'): boolean {
  if (one === other) return true;
  for (const name in one) if (name !== except && one[name] !== other[name]) return false;
  for (const name in other) if (name !== except && !(name in one)) return false;
  return (
    except !== 'session' ||
    hasSameSections(one.session as JsonObject, other.session as JsonObject, 'metadata')
  );
}

/** Plans that differ in one section share the texts of the others. */
function hashOf(json: MountPlan): string | null {
  const hashes: JsonObject = {};
  for (const name of Object.keys(json)) {
    const section = json[name];
    const { hash, isWhole } = jsonTextOf(
      typeof section === 'object' && section !== null ? section : [section],
    );
    if (!isWhole) return null;
    hashes[name] = hash;
  }
  return jsonTextOf(hashes).hash;
}

function requireValid(json: MountPlan): void {
  const { valid, issues } = validateMountPlan(json);
  if (valid) return;
  const errors = issues.filter((issue) => issue.severity === 'error');
  throw new KernelError(`The mount plan cannot be used:\n${formatPlanIssues(errors)}`, {
    code: 'INVALID_MOUNT_PLAN',
  });
}
