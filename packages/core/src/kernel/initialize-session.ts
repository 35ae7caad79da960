import { cloneJson, type JsonObject } from '../data/json.js';
import { redactedMembers, redactSecrets } from '../secrets/redact-secrets.js';
import type { AmplifierModule } from './contracts/module.js';
import type { Provider } from './contracts/provider.js';
import type { Coordinator } from './coordinator.js';
import { errorInfo } from './errors/amplifier-error.js';
import { KernelError } from './errors/kernel-error.js';
import { EVENTS } from './events.js';
import type { ModuleLoader } from './module-loader.js';
import {
  instanceLabel,
  MODULE_LISTS,
  type ModuleEntry,
  type ModuleSpec,
  type MountPlan,
  moduleSpec,
  sessionModuleSpec,
} from './mount-plan.js';

type Place = 'orchestrator' | 'context' | 'providers' | 'tools' | 'hooks';

/**
 * Mounts everything the plan names, in an order modules may rely on: orchestrator, context manager, providers, tools,
 * hooks. The first two must work, and so must a hook that was found: it may be the guard. Any other that fails is reported and left out.
 */
export async function initializeSession(
  coordinator: Coordinator,
  loader: ModuleLoader,
  providers?: readonly ModuleEntry[],
): Promise<void> {
  const { mounts, plan, session } = coordinator;
  const waiting: [string, AmplifierModule][] = [];
  for (const [place, spec] of modulesOf(plan, providers)) {
    try {
      const found = loader.load(spec.module, spec.source, mounts.one('module-source-resolver'));
      // Whatever is there already is not waited for: a session has many modules, and most were loaded for the one before.
      const module = found instanceof Promise ? await found : found;
      const label = place === 'providers' ? instanceLabel(spec) : undefined;
      const before = label === undefined ? null : new Map(mounts.all('providers'));
      const mounting = module.mount(coordinator, configOf(spec, loader));
      const cleanup = mounting && (await mounting);
      if (cleanup) coordinator.registerCleanup(cleanup);
      if (label !== undefined && before) moveToLabel(mounts.all('providers'), before, label);
      if ((place === 'orchestrator' || place === 'context') && !mounts.one(place))
        throw new KernelError(`'${spec.module}' mounted nothing at '${place}'.`, {
          code: 'MODULE_MOUNT_FAILED',
        });
      if (module.onSessionReady) waiting.push([spec.module, module]);
    } catch (error) {
      leaveOut(coordinator, place, spec, error);
    }
  }
  for (const [moduleId, module] of waiting) await tellReady(coordinator, moduleId, module);
  if (session.parent_id !== null) await announceFork(coordinator, session.parent_id);
}

/** What a module that mounts adds to the plan comes up, too. */
function* modulesOf(plan: MountPlan, providers?: readonly ModuleEntry[]): Generator<[Place, ModuleSpec]> {
  yield ['orchestrator', sessionModuleSpec(plan, 'orchestrator')];
  yield ['context', sessionModuleSpec(plan, 'context')];
  for (const list of MODULE_LISTS) {
    for (const entry of (list === 'providers' ? providers : null) ?? plan[list] ?? []) {
      const spec = moduleSpec(entry);
      if (spec) yield [list, spec];
    }
  }
}

/** Reports a module that the session can do without; throws for one that it cannot. */
function leaveOut(coordinator: Coordinator, place: Place, spec: ModuleSpec, error: unknown): void {
  const { module } = spec;
  const why = errorInfo(error).message;
  if (place === 'orchestrator' || place === 'context') {
    const name = place === 'context' ? 'context manager' : place;
    throw cannotMount(module, `Cannot initialize without ${name}: ${why}`, error);
  }
  if (error instanceof KernelError && error.code === 'MODULE_REQUIRED') throw error;
  if (place === 'hooks' && !isAbsent(error)) {
    const advice =
      'A session does not run without a hook that may guard it. Correct its config, or take it out of the plan.';
    throw cannotMount(module, `The hook ${module} cannot be mounted: ${why} ${advice}`, error);
  }
  const { code, message } = cannotMount(module, `${module} (${place}) is left out: ${why}`, error);
  coordinator.report({ level: 'warning', code, message, module_id: module, error });
}

function cannotMount(origin: string, message: string, cause: unknown): KernelError {
  const code = cause instanceof KernelError ? cause.code : 'MODULE_MOUNT_FAILED';
  return new KernelError(message, { code, origin, cause });
}

/** Nothing of ours has the id and its source holds no JavaScript, as in a plan that was written for another runtime. */
function isAbsent(error: unknown): boolean {
  if (!(error instanceof KernelError) || error.code !== 'MODULE_NOT_FOUND') return false;
  return error.cause === undefined || errorInfo(error.cause).code === 'SOURCE_NOT_FOUND';
}

/** A labelled instance has mounted itself under its default name and is moved, so that the default stays with its owner. */
function moveToLabel(
  providers: Map<string, Provider>,
  before: ReadonlyMap<string, Provider>,
  label: string,
): void {
  for (const [name, provider] of [...providers]) {
    const previous = before.get(name);
    if (provider === previous) continue;
    if (previous) providers.set(name, previous);
    else providers.delete(name);
    providers.set(label, provider);
  }
}

/** The config as the module gets it: a copy of its own, with what it refers to read. */
function configOf({ module, config = {} }: ModuleSpec, loader: ModuleLoader): JsonObject {
  const prepared = loader.prepareConfig(cloneJson(config), module);
  const lost = redactedMembers(prepared);
  if (lost.length === 0) return prepared;
  throw new KernelError(
    `its config has no ${lost.join(', ')}: such values are not stored with a session, and the settings no longer have them. Add ${module} with them to the settings again, or start a new session.`,
    { code: 'CREDENTIALS_MISSING', origin: module },
  );
}

async function tellReady(coordinator: Coordinator, moduleId: string, module: AmplifierModule): Promise<void> {
  try {
    await module.onSessionReady?.(coordinator);
  } catch (error) {
    const message = `${moduleId} failed when the session was ready: ${errorInfo(error).message}`;
    coordinator.report({
      level: 'warning',
      code: 'ON_SESSION_READY_FAILED',
      message,
      module_id: moduleId,
      error,
    });
    await coordinator.hooks.emit(EVENTS.MODULE_ON_SESSION_READY_FAILED, {
      module_id: moduleId,
      error: errorInfo(error),
    });
  }
}

function announceFork({ hooks, plan, session }: Coordinator, parent: string): unknown {
  const { metadata, raw } = plan.session;
  return hooks.emit(EVENTS.SESSION_FORK, {
    parent,
    session_id: session.id,
    ...(metadata ? { metadata } : {}),
    ...(raw ? { raw: redactSecrets(plan) as JsonObject } : {}),
  });
}
