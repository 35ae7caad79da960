import { isPlainObject, type JsonObject, moduleSpec } from '@amplifier/core';
import type { Settings } from '@amplifier/foundation';
import { SafetyMode } from '@amplifier/workspace';

/** Modules that hold a session back. A project may add one of its own beside the user's; it may not change the user's. */
const GUARDS: readonly string[] = ['hooks-approval', 'hooks-redaction'];

/** Members by which a module would get more than the user gave it, or would keep what it is allowed in a place of its choice. */
const LOOSENING: Readonly<Record<string, readonly string[]>> = {
  'tool-bash': ['pass_env'],
  'hooks-approval': ['memory_file'],
};

/** Only the user says where these are and whom they trust. */
const USERS_OWN = ['trusted_workspaces', 'jobs_dir'];

/**
 * The settings of a trusted project as far as a project may go: it may add and configure, and it may make guards stricter,
 * never looser.
 */
export function onlyTighter(settings: Settings, user: Settings | undefined): Settings {
  const { trust: _, ...guarded } = asOwnGuards(withoutLoosening(settings)) as Settings & { trust?: unknown };
  if (!isPlainObject(guarded.delegation)) return guarded;
  const delegation: JsonObject = { ...guarded.delegation };
  for (const name of USERS_OWN) delete delegation[name];
  const { default_safety_mode: mode } = delegation;
  if (mode !== undefined && !isTighter(mode, safetyOf(user))) delete delegation.default_safety_mode;
  return { ...guarded, delegation };
}

function isTighter(mode: unknown, than: unknown): boolean {
  const order = SafetyMode.options as readonly unknown[];
  const [own, allowed] = [order.indexOf(mode), order.indexOf(than ?? 'read_only')];
  // What is no mode is left for whoever reads it to complain about.
  return own <= allowed;
}

function safetyOf(user: Settings | undefined): unknown {
  return isPlainObject(user?.delegation) ? user.delegation.default_safety_mode : undefined;
}

/** Guards as entries of their own, which decide beside the user's: the stricter of two always counts. */
export function asOwnGuards(settings: Settings): Settings {
  const { overrides = {}, modules } = settings;
  const own = GUARDS.flatMap((module) => {
    const listed = (modules?.hooks ?? []).map(moduleSpec).find((spec) => spec?.module === module);
    const over = overrides[module]?.config;
    if (!listed && !over) return [];
    const config = { ...listed?.config, ...over };
    for (const name of LOOSENING[module] ?? []) delete config[name];
    return [{ module, id: `${module}:project`, config }];
  });
  const rest = (modules?.hooks ?? []).filter((entry) => !GUARDS.includes(moduleSpec(entry)?.module ?? ''));
  const others = Object.fromEntries(Object.entries(overrides).filter(([id]) => !GUARDS.includes(id)));
  return {
    ...settings,
    ...(settings.overrides ? { overrides: others } : {}),
    ...(modules || own.length > 0 ? { modules: { ...modules, hooks: [...rest, ...own] } } : {}),
  };
}

/** The same for the modules of an agent's file or a bundle of the project. */
export function hooksOnlyTighter<Value extends JsonObject>(declared: Value): Value {
  const hooks = Array.isArray(declared.hooks) ? (declared.hooks as unknown[]) : [];
  if (!hooks.some((entry) => GUARDS.includes(moduleSpec(entry)?.module ?? ''))) return declared;
  const { modules } = asOwnGuards({ modules: { hooks: hooks as never } });
  return { ...declared, hooks: modules?.hooks };
}

/** Without the members that would loosen a module, wherever it stands. */
export function withoutLoosening<Value>(value: Value): Value {
  return copy(value) as Value;

  function copy(member: unknown, module?: string): unknown {
    if (Array.isArray(member)) return member.map((item) => copy(item));
    if (!isPlainObject(member)) return member;
    const own = typeof member.module === 'string' ? member.module : undefined;
    const entries = Object.entries(member)
      .filter(([key]) => !(module !== undefined && LOOSENING[module]?.includes(key)))
      .map(([key, inner]) => [key, copy(inner, key === 'config' ? (own ?? module) : LOOSENING[key] && key)]);
    return Object.fromEntries(entries);
  }
}
