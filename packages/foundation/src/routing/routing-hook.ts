import {
  type AmplifierModule,
  type Coordinator,
  EVENTS,
  errorInfo,
  isPlainObject,
  type JsonObject,
} from '@amplifier/core';
import { type ModelCatalog, modelCatalog } from '../preferences/model-catalog.js';
import { checkCandidateConfig } from './check-candidate-config.js';
import { composeMatrix } from './compose-matrix.js';
import { configuredMatrix } from './plan-roles.js';
import { type ModelRoleResolver, matrixRoleResolver } from './role-resolver.js';
import { matrixWarnings, type RoutingMatrix } from './routing-matrix.js';

/** What a session's routing hands down to its children. Must be registered before a child is initialized. */
export interface SessionRouting {
  /** Laid over the matrix after the hook's own. */
  overrides?: JsonObject;
  /** Models already listed, so that a child need not ask again. */
  catalog?: ModelCatalog;
}

declare module '@amplifier/core' {
  interface Capabilities {
    'session.routing': SessionRouting;
  }
}

/**
 * The module `hooks-routing`. Config: `matrix` (or `default_matrix`) names the matrix, `overrides` change roles of it,
 * `custom_routing_dirs` are searched first. Offers `model_role_resolver`, writes the preferences of every agent that has a
 * `model_role` when the session starts or resumes, and tells the model which roles there are. Without a usable matrix it
 * reports why and mounts nothing: agents then keep the preferences they were written with.
 */
export const routingHook: AmplifierModule = {
  async mount(coordinator, config) {
    const matrix = await readMatrix(coordinator, config);
    if (!matrix) return;
    const { mounts, plan, hooks } = coordinator;
    const providers = mounts.all('providers');
    const inherited = coordinator.getCapability('session.routing');
    const catalog = modelCatalog(providers, inherited?.catalog);
    const resolver = matrixRoleResolver({ matrix, plan, providers, catalog });
    for (const message of [...matrixWarnings(matrix), ...checkCandidateConfig(matrix, providers)])
      warn(coordinator, message);
    coordinator.registerCapability('model_role_resolver', resolver);
    coordinator.registerCapability('session.routing', { ...inherited, catalog });
    const write = () => writePreferences(coordinator, resolver);
    const offer = roleList(matrix);
    const registrations = [
      hooks.listen(EVENTS.SESSION_START, write, { priority: 5, name: 'routing-resolve' }),
      hooks.listen(EVENTS.SESSION_RESUME, write, { priority: 5, name: 'routing-resolve' }),
      hooks.register(EVENTS.PROVIDER_REQUEST, () => offer, { priority: 15, name: 'routing-context' }),
    ];
    return () => {
      for (const unregister of registrations) unregister();
    };
  },
};

async function readMatrix(coordinator: Coordinator, config: JsonObject): Promise<RoutingMatrix | null> {
  try {
    const { overrides } = coordinator.getCapability('session.routing') ?? {};
    return composeMatrix(await configuredMatrix(config), overrides);
  } catch (error) {
    warn(coordinator, `Model roles are not available: ${errorInfo(error).message}`, error);
    return null;
  }
}

/** All agents at once; each provider is asked for its models once, by the catalog. */
async function writePreferences(coordinator: Coordinator, resolver: ModelRoleResolver): Promise<void> {
  const { agents } = coordinator.plan;
  if (!isPlainObject(agents)) return;
  const written = await Promise.all(
    Object.entries(agents).map(async ([name, agent]) => {
      const preferences = isPlainObject(agent) ? await preferencesOf(agent, resolver) : null;
      return (
        preferences && ([name, { ...(agent as JsonObject), provider_preferences: preferences }] as const)
      );
    }),
  );
  const changed = Object.fromEntries(written.filter((entry) => entry !== null));
  if (Object.keys(changed).length > 0)
    coordinator.plan.agents = { ...(coordinator.plan.agents as JsonObject), ...changed };
}

/** Null leaves an agent as it is: most are never asked for, and a delegation to one whose role cannot be served reports it. */
async function preferencesOf(agent: JsonObject, resolver: ModelRoleResolver): Promise<JsonObject[] | null> {
  const { model_role: role } = agent;
  if (!isRole(role)) return null;
  const { candidates, by_default } = await resolver.resolve(role);
  if (candidates.length === 0 || by_default) return null;
  return candidates.map(({ provider, model, config }) => ({
    provider,
    model,
    ...(config && Object.keys(config).length > 0 ? { config } : {}),
  }));
}

function isRole(role: unknown): role is string | string[] {
  return typeof role === 'string' || (Array.isArray(role) && role.every((each) => typeof each === 'string'));
}

function roleList({ name, roles }: RoutingMatrix) {
  const lines = Object.entries(roles).map(([role, { description }]) => `  ${role.padEnd(16)} ${description}`);
  return {
    action: 'inject_context',
    context_injection: `Model roles you may pass as model_role when you delegate (matrix ${name}):\n${lines.join('\n')}`,
    context_injection_role: 'system',
    ephemeral: true,
    suppress_output: true,
  } as const;
}

function warn(coordinator: Coordinator, message: string, error?: unknown): void {
  coordinator.report({
    level: 'warning',
    code: 'ROUTING',
    message,
    module_id: 'hooks-routing',
    error,
  });
}
