import { errorInfo, isPlainObject } from '@amplifier/core';
import type { ExternalAgent, Host } from '@amplifier/host';
import { SafetyMode } from '@amplifier/workspace';
import { DaemonError } from '../daemon-error.js';
import { MAX_MESSAGE_BYTES } from '../defaults.js';
import { type Endpoint, endpoints, z } from '../http/endpoint.js';
import { LaunchView, launchView } from '../views/launch-view.js';

const api = endpoints({ tag: 'agents' });
const folder = z.string().max(4_000).optional().openapi({ description: 'Default: the daemon’s folder.' });

const AgentView = z
  .object({
    name: z.string(),
    description: z.string().nullable(),
    source: z
      .string()
      .openapi({ description: 'Where it comes from: `user`, `project`, a bundle, or `acp`.' }),
    path: z.string().nullable(),
    hides: z.array(z.object({ path: z.string(), source: z.string() })),
    tools: z.array(z.string()),
    model_role: z.array(z.string()),
    resolves_to: z.object({ provider: z.string(), model: z.string().nullable() }).nullable(),
    problem: z.string().nullable().openapi({ description: 'Why it is not usable now.' }),
    external: z.boolean(),
    state: z.enum(['ready', 'not_installed', 'unusable']),
  })
  .openapi('Agent');
type AgentView = z.infer<typeof AgentView>;

/** Every agent that work can be handed to in a folder. */
export function agentRoomEndpoints(): Endpoint[] {
  return [
    api.get('/api/v1/agents', {
      summary: 'List every agent with its source, its tools, and the model it would run on now',
      query: z.object({ working_dir: folder }),
      success: { status: 200, description: 'External ones last.', schema: z.array(AgentView) },
      errors: ['INVALID_WORKING_DIR', 'CONFIGURATION_INVALID'],
      async handle({ query: { working_dir }, services: { home, runtime, environment, cwd, folders } }) {
        const { builtinExternalAgents, externalAgents } = await import('@amplifier/host');
        if (!home.isUsers) return { body: (await builtinExternalAgents({ environment, cwd })).map(external) };
        const host = await runtime.hosts.in(await folders.allowed(working_dir));
        const others = await externalAgents(host.project).catch(() => []);
        return { body: [...(await ofProject(host)), ...others.map(external)] };
      },
    }),
    api.post('/api/v1/agents/dry-run', {
      summary: 'Show the launch record of an agent’s session without running it',
      body: z.object({
        agent: z.string().min(1).max(200).optional(),
        instruction: z.string().trim().min(1).max(MAX_MESSAGE_BYTES),
        working_dir: folder,
        safety_mode: SafetyMode.default('read_only'),
        provider: z.string().max(200).optional(),
        model: z.string().max(200).optional(),
      }),
      success: { status: 200, description: 'The launch record it would have.', schema: LaunchView },
      errors: [
        'AGENT_NOT_FOUND',
        'DELEGATION_REFUSED',
        'INVALID_WORKING_DIR',
        'CONFIGURATION_INVALID',
        'WORKSPACE_NOT_TRUSTED',
      ],
      async handle({ body: { working_dir = null, ...request }, services: { home, runtime, folders } }) {
        if (!home.isUsers)
          throw new DaemonError(
            'DELEGATION_REFUSED',
            'Sessions of this server get their agents from a profile: use the dry run of a session.',
          );
        const host = await runtime.hosts.in(await folders.allowed(working_dir));
        if (request.agent !== undefined && (await host.agents.find(request.agent)) === null)
          throw new DaemonError(
            'AGENT_NOT_FOUND',
            `No agent is called '${request.agent}'. GET /api/v1/agents lists them.`,
          );
        try {
          const trusted = host.project.trust.state === 'trusted';
          return { body: launchView(await host.planRun({ ...request, trusted })) };
        } catch (error) {
          if (error instanceof DaemonError) throw error;
          const { code = 'DELEGATION_REFUSED', message } = errorInfo(error);
          throw new DaemonError('DELEGATION_REFUSED', message, { members: { reason: code } });
        }
      },
    }),
  ];
}

async function ofProject(host: Host): Promise<AgentView[]> {
  const { project } = host;
  const { agents } = await project.agents.listAgents();
  const files = agents.map((agent) => ({
    name: agent.name,
    source: agent.origin,
    path: agent.path,
    hides: agent.hides.map(({ path, origin }) => ({ path, source: origin })),
    overlay: agent.toMountPlanFragment(),
  }));
  const known = new Set(files.flatMap(({ name, source }) => [name, `${source}:${name}`]));
  const inline = Object.entries(project.bundle.agents)
    .filter(([name]) => !known.has(name))
    .map(([name, overlay]) => ({ name, source: project.bundle.name, path: null, hides: [], overlay }));
  return Promise.all(
    [...files, ...inline].map(async ({ overlay, ...place }) => {
      const { description, model_role } = overlay;
      const model = await modelOf(host, place.name);
      return {
        ...place,
        description: typeof description === 'string' ? description : null,
        tools: modulesOf(overlay.tools),
        model_role: [model_role ?? []].flat().map(String),
        ...model,
        external: typeof overlay.engine === 'string',
        state: model.problem === null ? ('ready' as const) : ('unusable' as const),
      };
    }),
  );
}

async function modelOf(host: Host, agent: string): Promise<Pick<AgentView, 'resolves_to' | 'problem'>> {
  try {
    const { model } = await host.planRun({
      agent,
      instruction: '-',
      safety_mode: 'read_only',
      trusted: false,
    });
    const chosen = model.chosen ?? model.candidates[0] ?? null;
    return {
      resolves_to: chosen ? { provider: chosen.provider, model: chosen.model ?? null } : null,
      problem: null,
    };
  } catch (error) {
    return { resolves_to: null, problem: errorInfo(error).message };
  }
}

function modulesOf(entries: unknown): string[] {
  return (Array.isArray(entries) ? entries : []).map((entry) =>
    isPlainObject(entry) ? String(entry.module) : String(entry),
  );
}

function external({ name, agent, program }: ExternalAgent): AgentView {
  return {
    name,
    description: agent.display_name,
    source: 'acp',
    path: program,
    hides: [],
    tools: [],
    model_role: [],
    resolves_to: null,
    problem:
      program === null
        ? agent.install
          ? `Install it with: ${agent.install}`
          : 'It is not installed.'
        : null,
    external: true,
    state: program === null ? 'not_installed' : 'ready',
  };
}
