import type { JsonObject } from '@amplifier/core';
import { SessionError } from '../session-error.js';

/** The public form of a stored mount plan: that of the API, of exports and of readable copies. Earlier versions stored this form. */
export function publicPlanForm(document: JsonObject): JsonObject {
  const { plan: core, ...plan } = document;
  if (core === undefined) return plan;
  try {
    return withParts(core as JsonObject, plan);
  } catch (cause) {
    const message = 'The mount plan of the session cannot be read: parts of it are missing.';
    throw new SessionError(message, { code: 'SESSION_CORRUPT', cause });
  }
}

/** Throws where the two forms do not fit together. */
function withParts(core: JsonObject, plan: JsonObject): JsonObject {
  const { settings, system } = core.session as JsonObject;
  const mounts = plan.mount_points as JsonObject[];
  const parts = planParts(core, mounts);
  return {
    ...plan,
    session: { ...(plan.session as JsonObject), settings, instruction: (system as JsonObject).instruction },
    mount_points: mounts.map((mount, at) => {
      const { content, config } = parts[at] ?? {};
      if (mount.mount_type === 'referenced') return parts[at] ? { ...mount, config } : mount;
      return mount.content === null && content !== undefined ? { ...mount, content } : mount;
    }),
  };
}

/** What the kernel's form has of each mount that is switched on. Modules and contexts have the order of the mounts. */
export function planParts(core: JsonObject, mounts: readonly JsonObject[]): (JsonObject | undefined)[] {
  const { orchestrator, context, system } = core.session as JsonObject;
  const agents = core.agents as Record<string, { system?: { instruction?: string } }>;
  const parts: Record<string, Iterator<unknown>> = {
    orchestrator: [orchestrator].values(),
    'context-manager': [context].values(),
    provider: valuesOf(core.providers),
    tool: valuesOf(core.tools),
    hook: valuesOf(core.hooks),
    context: valuesOf((system as JsonObject).context),
  };
  return mounts.map(({ enabled, module_type, module = '' }) => {
    if (!enabled) return undefined;
    if (module_type === 'agent') return { content: agents[String(module)]?.system?.instruction };
    return parts[String(module_type)]?.next().value as JsonObject | undefined;
  });
}

function valuesOf(list: unknown): Iterator<unknown> {
  return (list as unknown[]).values();
}
