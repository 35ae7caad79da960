import { realpath } from 'node:fs/promises';
import type { JsonObject, MountPlan, Provider } from '@amplifier/core';
import { type AgentCatalog, type RootRequest, withFailover } from '@amplifier/delegation';
import {
  agentPreferences,
  chooseRootModel,
  type ModelCatalog,
  type ModelOptions,
  type ModelRoleResolver,
  modelCatalog,
  type ProviderPreference,
} from '@amplifier/foundation';
import { ROOT_LIMITS } from '../defaults.js';
import { projectModels } from '../models/project-roles.js';
import type { LivePermissions } from '../permissions/live-permissions.js';
import { mustHaveAgent } from '../project/agent-catalog.js';
import type { Project } from '../project/project.js';
import { projectGrant, projectNetwork } from '../project/project-grant.js';
import type { SessionPrompts } from '../project/session-prompt.js';
import { lendServers } from '../servers/lend-servers.js';
import { failoverFor, type RunRequest } from './run-request.js';

/** What a root request is built from, beside the wish itself. */
export interface RootSources {
  project: Project;
  plan: MountPlan;
  providers: ReadonlyMap<string, Provider>;
  catalog: AgentCatalog;
  permissions: LivePermissions | null;
  prompts: SessionPrompts;
  /** The bundle as the text of one file. */
  bundle: string;
  isExternal: boolean;
  roles(models: ModelCatalog): Promise<ModelRoleResolver | null>;
}

/** What the Delegator is asked for when a person wants a session. */
export async function rootRequest(sources: RootSources, request: RunRequest): Promise<RootRequest> {
  const { project, plan, providers, isExternal } = sources;
  const { agent, session_id, safety_mode, trusted, limits, output_schema, cancellation } = request;
  const { claim, onCreated, onEvent } = request;
  if (agent !== undefined) await mustHaveAgent(agent, sources.catalog);
  const cwd = await realpath(project.paths.cwd);
  const network = request.network ?? projectNetwork(project, request.trust_declared);
  const rules = { plan, live: sources.permissions };
  const grant = await projectGrant(project, cwd, safety_mode, trusted, network, rules);
  const { provider, model, role, effort, mcp_servers = [] } = request;
  const models = modelCatalog(providers);
  const roles = isExternal ? null : await sources.roles(models);
  const wish = { provider, model, role, effort };
  const preferences = isExternal ? [] : await preferencesFor(sources, agent, wish, models, roles);
  const told = await sources.prompts.instruction(request.instruction, { cwd, grant });
  const own = withFailover(plan, failoverFor(request));
  return {
    plan: isExternal ? plan : lendServers(own, mcp_servers),
    instruction: `${request.preface ?? ''}${told.text}`,
    forTurn: isExternal ? undefined : told.forTurn,
    attachments: [...told.attachments, ...(request.attachments ?? [])],
    cwd,
    trusted,
    trust_declared: request.trust_declared === true,
    acting: project.trust.state === 'trusted' ? project.trust.digest : undefined,
    safety_mode,
    grant,
    agent,
    session_id,
    bundle: sources.bundle,
    // An external agent has a mind of its own: what this one is told about itself would only mislead it.
    system_prompt: isExternal ? undefined : project.bundle.instruction || undefined,
    limits: { ...ROOT_LIMITS, ...limits },
    models,
    roles,
    provider_preferences: preferences.length > 0 ? preferences : undefined,
    metadata: isExternal ? { ...request.metadata, acp: externalWishes(request) } : request.metadata,
    output_schema,
    skills: request.skills,
    report_changes: request.report_changes,
    direct: request.direct,
    cancellation,
    ...(claim ? { claim } : {}),
    onCreated,
    onEvent,
  };
}

/** What is wished for; an effort alone leaves the choice of the model to the agent. */
async function preferencesFor(
  { project, plan, providers, catalog }: RootSources,
  agent: string | undefined,
  wish: ModelOptions,
  models: ModelCatalog,
  roles: ModelRoleResolver | null,
): Promise<ProviderPreference[]> {
  const { effort, ...model } = wish;
  const isEffortAlone = effort !== undefined && Object.values(model).every((each) => each === undefined);
  const overlay = isEffortAlone && agent !== undefined ? (await catalog.find(agent))?.overlay : undefined;
  const own = overlay ? await agentPreferences(overlay, roles) : [];
  if (own.length > 0)
    return own.map((each) => ({ ...each, config: { ...each.config, reasoning_effort: effort } }));
  return chooseRootModel(wish, projectModels(project, plan, providers, models));
}

/** An external agent brings its own models: what is wished for is for it to make sense of. */
function externalWishes({ model, effort, mcp_servers, model_fallback }: RunRequest): JsonObject {
  return {
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(mcp_servers === undefined ? {} : { mcp_servers: [...mcp_servers] }),
    ...(model_fallback === undefined ? {} : { allow_model_fallback: model_fallback }),
  };
}
