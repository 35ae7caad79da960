import {
  connectAgents,
  type ExternalAgent,
  externalAgents,
  findLocalModels,
  locateRegistryAgents,
  readAcpRegistry,
} from '@amplifier/host';
import { z } from 'zod';
import type { Call } from '../wire/call.js';
import { Progress } from '../wire/progress.js';
import { defineTool } from './tool.js';
import { Scope, writeDelegation } from './write-settings.js';

const Discovered = z.object({
  id: z.string(),
  name: z.string(),
  command: z.string(),
  found_at: z.string(),
  new: z.boolean().describe('Not yet listed by capabilities.'),
  status: z
    .enum(['ready', 'login_required', 'failed', 'timed_out', 'not_probed'])
    .describe('The result of connecting to it.'),
  detail: z.string(),
});

export const LocalModels = z.object({
  label: z.string().describe('Ollama, LM Studio, vLLM or llama.cpp, and where.'),
  module: z.string(),
  base_url: z.string().nullable(),
  models: z.array(z.string()),
});

const CONFIGURED_ONLY =
  'Only what is configured is listed: nothing was probed, because the token is not that of the server itself.';

const CONNECT_MS = 30_000;

export const discover = defineTool({
  name: 'discover',
  title: 'Discover agents and local models',
  description:
    'Find installed coding agents (known ones and those of the public list) and local model servers (Ollama, LM Studio, vLLM, llama.cpp). With write, add new agents to the settings.',
  input: z.strictObject({
    probe: z
      .boolean()
      .nullish()
      .default(true)
      .describe('Connect to what is found, without sending prompts. Default: yes.'),
    registry: z
      .boolean()
      .nullish()
      .default(true)
      .describe('Read the public list of agents over the network. Default: yes.'),
    write: z
      .boolean()
      .nullish()
      .default(false)
      .describe('Add new agents to the settings. Only after the user agreed.'),
    scope: Scope.nullish().default('user'),
    working_dir: z.string().min(1).nullish().describe('The working folder. Default: that of this server.'),
  }),
  output: z.object({
    registry_source: z.enum(['network', 'cache', 'none']),
    registry_agents: z.number().int(),
    discovered: z.array(Discovered),
    local_models: z.array(LocalModels),
    proposed_config: z
      .record(z.string(), z.object({ display_name: z.string(), command: z.array(z.string()) }))
      .describe('The new agents, for delegation.agents in settings.yaml.'),
    written: z.array(z.string()).describe('Ids added to the settings.'),
    write_path: z.string().nullable(),
    notes: z.array(z.string()),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ probe, registry, write, scope, working_dir }, call) {
    const { service } = call;
    // A caller with a scoped token learns what is configured, and nothing of what else listens or is installed on this machine.
    const isOwner = call.owner === null;
    const cwd = await service.folder(working_dir);
    const paths = service.paths(cwd);
    const [known, list, local] = await Promise.all([
      externalAgents(await service.hosts.project(cwd)),
      registry === false || !isOwner
        ? { source: 'none' as const, agents: [], problem: null }
        : readAcpRegistry(paths, service.environment),
      isOwner ? findLocalModels(service.environment) : [],
    ]);
    const programs = new Set(known.map(({ agent }) => agent.command[0]));
    const ids = new Set(known.map(({ agent }) => agent.id));
    const others = list.agents.filter(({ id, command }) => !ids.has(id) && !programs.has(command[0]));
    const fresh = await locateRegistryAgents(others, { environment: service.environment, cwd });
    const there = [...known, ...fresh].filter(({ program }) => program !== null);
    const states = await connectTo(probe === false || !isOwner ? [] : there, call);
    const proposed_config = Object.fromEntries(
      fresh
        .filter(({ program }) => program !== null)
        .map(({ agent: { id, display_name, command } }) => [id, { display_name, command: [...command] }]),
    );
    const written = write
      ? await writeDelegation(call, paths, scope ?? 'user', { agents: proposed_config })
      : null;
    return {
      registry_source: list.source,
      registry_agents: list.agents.length,
      discovered: there.map(({ agent, program }) => ({
        id: agent.id,
        name: agent.display_name,
        command: agent.command.join(' '),
        found_at: program ?? '',
        new: !ids.has(agent.id),
        status: states.get(agent.id)?.status ?? ('not_probed' as const),
        detail: states.get(agent.id)?.detail ?? '',
      })),
      local_models: local.map(localView),
      proposed_config,
      written: written ? Object.keys(proposed_config) : [],
      write_path: written,
      notes: [...(list.problem === null ? [] : [list.problem]), ...(isOwner ? [] : [CONFIGURED_ONLY])],
    };
  },
  text: ({ discovered, local_models, notes, written, write_path }) =>
    [
      ...discovered.map(
        ({ id, name, status, new: isNew }) => `${id}: ${name}, ${status}${isNew ? ', new' : ''}`,
      ),
      ...local_models.map(({ label }) => label),
      ...(write_path ? [`Written to ${write_path}: ${written.join(', ') || 'nothing new'}`] : []),
      ...notes,
    ].join('\n') || 'Nothing was found.',
});

export function localView({
  label,
  entry,
  models = [],
}: Awaited<ReturnType<typeof findLocalModels>>[number]) {
  const config = (entry.config ?? {}) as { base_url?: unknown };
  const base_url = typeof config.base_url === 'string' ? config.base_url : null;
  return { label, module: entry.module, base_url, models };
}

async function connectTo(agents: readonly ExternalAgent[], call: Call) {
  const { service, context } = call;
  const progress = new Progress(
    call,
    `Connecting to ${agents.map(({ name }) => name).join(', ') || 'nobody'}`,
  );
  try {
    const connected = await connectAgents(agents, {
      environment: service.environment,
      timeout_ms: CONNECT_MS,
      signal: context.mcpReq.signal,
      onStep: ({ name }, step) => progress.say(`${name} is ${step}`),
    });
    return new Map(
      connected.flatMap(({ agent, connection }) => (connection ? [[agent.id, connection]] : [])),
    );
  } finally {
    progress.stop();
  }
}
