import { isPlainObject, type JsonObject, type ModuleSpec, moduleIdentity, moduleSpec } from '@amplifier/core';
import type { Settings } from '@amplifier/foundation';
import { SafetyMode, tighterNetwork } from '@amplifier/workspace';

/** Modules that hold a session back. A project may add one of its own beside the user's; it may not change the user's. */
const GUARDS: readonly string[] = ['hooks-approval', 'hooks-redaction'];

/** What ends the id of a guard that a project brought. */
const PROJECTS = ':project';

/** Members by which a module would get more than the user gave it, or would keep what it is allowed in a place of its choice. */
const LOOSENING: Readonly<Record<string, readonly string[]>> = {
  'tool-bash': ['pass_env', 'output_folder'],
  'tool-web': ['allow_addresses'],
  'hooks-approval': ['memory_file'],
  'hooks-logging': ['path'],
};

/** The same whatever module they stand in: children without the guards, servers with more than the session. */
const LOOSENING_ANYWHERE: readonly string[] = ['exclude_hooks', 'inherit_hooks', 'state_paths'];

/** Lists that narrow a module: one that the user wrote is not replaced by another. */
const NARROWING: readonly string[] = [
  'allowed_read_paths',
  'allowed_write_paths',
  'denied_read_paths',
  'denied_write_paths',
  'allow_hosts',
  'deny_hosts',
];

/** Only the user says where these are and whom they trust. */
const USERS_OWN = ['trusted_workspaces', 'jobs_dir'];

/**
 * The settings of a trusted project as far as a project may go: it may add and configure, and it may make guards stricter,
 * never looser.
 */
export function onlyTighter(settings: Settings, user: Settings | undefined): Settings {
  const said = JSON.stringify(user ?? {});
  const narrowed = NARROWING.filter((name) => said.includes(JSON.stringify(name)));
  const bounded = withoutServers(withoutLoosening(settings, narrowed), serverNames(user));
  const { trust: _, network, ...rest } = asOwnGuards(bounded) as Settings & { trust?: unknown };
  const asked = network === undefined ? {} : { network: tighterNetwork(network, user?.network) };
  const guarded: Settings = asked.network === true ? rest : { ...rest, ...asked };
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
    const byId = modules?.[module];
    const over = { ...(isPlainObject(byId) ? byId : {}), ...overrides[module]?.config };
    if (!listed && !byId && !overrides[module]?.config) return [];
    const config = { ...listed?.config, ...over };
    for (const name of LOOSENING[module] ?? []) delete config[name];
    const alone = module === 'hooks-approval' ? { standalone: true } : {};
    return [{ module, id: `${module}${PROJECTS}`, config: { ...config, ...alone } }];
  });
  const others = <Value>(members: Record<string, Value>) =>
    Object.fromEntries(Object.entries(members).filter(([id]) => !GUARDS.includes(id)));
  const hooks = [...(modules?.hooks ?? []).filter((entry) => !isGuard(entry)).map(underNoGuardsName), ...own];
  return {
    ...settings,
    ...(settings.overrides ? { overrides: others(overrides) } : {}),
    ...(modules || own.length > 0 ? { modules: { ...others(modules ?? {}), hooks } } : {}),
  };
}

function isGuard(entry: unknown): boolean {
  return GUARDS.includes(moduleSpec(entry)?.module ?? '');
}

export function isProjectsGuard(entry: unknown): boolean {
  return isGuard(entry) && moduleSpec(entry)?.id?.endsWith(PROJECTS) === true;
}

/** An entry takes the place of another by its id: a guard's is not to be had. */
function underNoGuardsName<Entry>(entry: Entry): Entry {
  const spec = moduleSpec(entry);
  if (spec?.id === undefined || !GUARDS.some((name) => spec.id?.startsWith(name))) return entry;
  const { id: _, ...rest } = spec;
  return rest as Entry;
}

/**
 * The hooks of a plan in which every guard of the user's own files is as these say, whatever was laid over it, and guards of a
 * project stand beside them.
 */
export function withUsersGuards(hooks: readonly Hook[], users: readonly Hook[]): Hook[] {
  const own = users.filter(isGuard).flatMap((entry) => moduleSpec(entry) ?? []);
  const taken = new Set(own.map(moduleIdentity));
  const rest = hooks.filter((entry) => {
    const spec = moduleSpec(entry);
    return spec === null || spec === undefined || !taken.has(moduleIdentity(spec));
  });
  return [...rest, ...own];
}

type Hook = string | ModuleSpec;

/** The same for the modules of an agent's file or a bundle of the project. */
export function hooksOnlyTighter<Value extends JsonObject>(declared: Value): Value {
  const hooks = Array.isArray(declared.hooks) ? (declared.hooks as unknown[]) : [];
  if (hooks.length === 0) return declared;
  const { modules } = asOwnGuards({ modules: { hooks: hooks as never } });
  return { ...declared, hooks: modules?.hooks };
}

/** Without the members that would loosen a module, wherever it stands. */
export function withoutLoosening<Value>(value: Value, more: readonly string[] = []): Value {
  return copy(value) as Value;

  function copy(member: unknown, module?: string): unknown {
    if (Array.isArray(member)) return member.map((item) => copy(item));
    if (!isPlainObject(member)) return member;
    const own = typeof member.module === 'string' ? member.module : undefined;
    const entries = Object.entries(member)
      .filter(([key]) => !LOOSENING_ANYWHERE.includes(key) && !more.includes(key))
      .filter(([key]) => !(module !== undefined && LOOSENING[module]?.includes(key)))
      .map(([key, inner]) => [key, copy(inner, key === 'config' ? (own ?? module) : LOOSENING[key] && key)]);
    return Object.fromEntries(entries);
  }
}

/** The MCP servers that a document names, wherever it does. */
export function serverNames(value: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const look = (member: unknown): void => {
    if (Array.isArray(member)) for (const item of member) look(item);
    if (!isPlainObject(member)) return;
    for (const list of [member.servers, member.mcp_servers])
      if (isPlainObject(list)) for (const name of Object.keys(list)) names.add(name);
    for (const inner of Object.values(member)) look(inner);
  };
  look(value);
  return names;
}

/** A server of the user's is as the user says: a command of another's would get what the user gave to theirs. */
export function withoutServers<Value>(value: Value, names: ReadonlySet<string>): Value {
  const copy = (member: unknown): unknown => {
    if (Array.isArray(member)) return member.map(copy);
    if (!isPlainObject(member)) return member;
    const entries = Object.entries(member).map(([key, inner]) => {
      const isList = (key === 'servers' || key === 'mcp_servers') && isPlainObject(inner);
      const kept = isList ? Object.entries(inner).filter(([name]) => !names.has(name)) : [];
      return [key, copy(isList ? Object.fromEntries(kept) : inner)];
    });
    return Object.fromEntries(entries);
  };
  return copy(value) as Value;
}
