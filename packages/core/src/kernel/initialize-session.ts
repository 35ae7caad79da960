import { cloneJson, type JsonObject } from '../data/json.js';
import { redactedMembers, redactSecrets } from '../secrets/redact-secrets.js';
import type { AmplifierModule } from './contracts/module.js';
import type { Coordinator } from './coordinator.js';
import { errorInfo } from './errors/amplifier-error.js';
import { KernelError } from './errors/kernel-error.js';
import { EVENTS } from './events.js';
import type { ModuleLoader } from './module-loader.js';
import { instanceLabel, type ModuleSpec, moduleSpec, sessionModuleSpec } from './mount-plan.js';

interface Mounted {
  moduleId: string;
  module: AmplifierModule;
}

/**
 * Mounts everything the plan names, in an order modules may rely on: orchestrator, context manager, providers, tools,
 * hooks. The first two must work, and so must a hook that was found: it may be the guard. Any other that fails is reported and left out.
 */
export async function initializeSession(coordinator: Coordinator, loader: ModuleLoader): Promise<void> {
  const mounted: Mounted[] = [];
  for (const part of ['orchestrator', 'context'] as const) {
    mounted.push(await mountRequired(coordinator, loader, part));
  }
  for (const list of ['providers', 'tools', 'hooks'] as const) {
    for (const entry of coordinator.plan[list] ?? []) {
      const spec = moduleSpec(entry);
      const module = spec && (await mountOptional(coordinator, loader, list, spec));
      if (module) mounted.push(module);
    }
  }
  for (const { moduleId, module } of mounted) {
    if (module.onSessionReady) await tellReady(coordinator, moduleId, module);
  }
  if (coordinator.session.parent_id !== null) await announceFork(coordinator, coordinator.session.parent_id);
}

async function mountRequired(
  coordinator: Coordinator,
  loader: ModuleLoader,
  part: 'orchestrator' | 'context',
): Promise<Mounted> {
  const spec = sessionModuleSpec(coordinator.plan, part);
  const name = part === 'context' ? 'context manager' : part;
  try {
    const mounted = await mountModule(coordinator, loader, spec);
    if (coordinator.mounts.one(part)) return mounted;
    throw new KernelError(`'${spec.module}' mounted nothing at '${part}'.`, { code: 'MODULE_MOUNT_FAILED' });
  } catch (cause) {
    throw cannotMount(spec, cause, (why) => `Cannot initialize without ${name}: ${why}`);
  }
}

async function mountOptional(
  coordinator: Coordinator,
  loader: ModuleLoader,
  list: 'providers' | 'tools' | 'hooks',
  spec: ModuleSpec,
): Promise<Mounted | null> {
  try {
    const label = list === 'providers' ? instanceLabel(spec) : undefined;
    if (label === undefined) return await mountModule(coordinator, loader, spec);
    return await mountLabelled(coordinator, loader, spec, label);
  } catch (error) {
    if (error instanceof KernelError && error.code === 'MODULE_REQUIRED') throw error;
    if (list === 'hooks' && !isAbsent(error))
      throw cannotMount(
        spec,
        error,
        (why) =>
          `The hook ${spec.module} cannot be mounted: ${why} A session does not run without a hook that may guard it. Correct its config, or take it out of the plan.`,
      );
    const { code, message } = cannotMount(
      spec,
      error,
      (why) => `${spec.module} (${list}) is left out: ${why}`,
    );
    coordinator.report({ level: 'warning', code, message, module_id: spec.module, error });
    return null;
  }
}

function cannotMount({ module }: ModuleSpec, cause: unknown, say: (why: string) => string): KernelError {
  const code = cause instanceof KernelError ? cause.code : 'MODULE_MOUNT_FAILED';
  return new KernelError(say(errorInfo(cause).message), { code, origin: module, cause });
}

/** Nothing of ours has the id and its source holds no JavaScript, as in a plan that was written for another runtime. */
function isAbsent(error: unknown): boolean {
  if (!(error instanceof KernelError) || error.code !== 'MODULE_NOT_FOUND') return false;
  return error.cause === undefined || errorInfo(error.cause).code === 'SOURCE_NOT_FOUND';
}

/** A labelled instance mounts itself under its default name and is then moved, so that the default stays with its owner. */
async function mountLabelled(
  coordinator: Coordinator,
  loader: ModuleLoader,
  spec: ModuleSpec,
  label: string,
): Promise<Mounted> {
  const providers = coordinator.mounts.all('providers');
  const before = new Map(providers);
  const mounted = await mountModule(coordinator, loader, spec);
  for (const [name, provider] of [...providers]) {
    const previous = before.get(name);
    if (provider === previous) continue;
    if (previous) providers.set(name, previous);
    else providers.delete(name);
    providers.set(label, provider);
  }
  return mounted;
}

async function mountModule(
  coordinator: Coordinator,
  loader: ModuleLoader,
  spec: ModuleSpec,
): Promise<Mounted> {
  const resolver = coordinator.mounts.one('module-source-resolver');
  const module = await loader.load(spec.module, spec.source, resolver);
  const config = loader.prepareConfig(cloneJson(spec.config ?? {}), spec.module);
  const lost = redactedMembers(config);
  if (lost.length > 0)
    throw new KernelError(
      `its config has no ${lost.join(', ')}: such values are not stored with a session, and the settings no longer have them. Add ${spec.module} with them to the settings again, or start a new session.`,
      { code: 'CREDENTIALS_MISSING', origin: spec.module },
    );
  const mounting = module.mount(coordinator, config);
  const cleanup = mounting && (await mounting);
  if (cleanup) coordinator.registerCleanup(cleanup);
  return { moduleId: spec.module, module };
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

function announceFork({ hooks, plan, session }: Coordinator, parent: string): Promise<unknown> {
  const { metadata, raw } = plan.session;
  return hooks.emit(EVENTS.SESSION_FORK, {
    parent,
    session_id: session.id,
    ...(metadata ? { metadata } : {}),
    ...(raw ? { raw: redactSecrets(plan) as JsonObject } : {}),
  });
}
