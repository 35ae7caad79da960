import { type ExternalAgent, errorInfo, externalAgents, type Host } from '@amplifier/host';
import { z } from 'zod';
import { settingsOf } from '../delegate/prepare-request.js';
import { OWN_SESSION } from '../delegate/resolve-target.js';
import type { DelegationSettings } from '../settings/delegation-settings.js';
import { Effort } from '../settings/delegation-settings.js';
import { defineTool, LOOKS } from './tool.js';

const AgentCapability = z.object({
  id: z.string().describe('What to pass as cli.'),
  description: z.string(),
  origin: z.string().describe('Where it comes from.'),
  engine: z.string().describe('in_process, or the external agent that runs it.'),
  command: z.string().nullable().describe('The command that starts an external agent.'),
  provider: z.string().nullable().describe('The provider of an external agent’s models, if known.'),
  model_channel: z.string().describe('How the model is passed: request, session, flag NAME or env NAME.'),
  effort_channel: z.string().describe('How the effort is passed: the same, or model NAME.'),
  default_model: z.string().nullable(),
  fallback_model: z.string().nullable(),
  effort: Effort.nullable().describe('The default effort.'),
  installed: z.boolean().describe('False for an external agent whose program is missing.'),
  install: z.string().nullable().describe('The command that installs an external agent.'),
  problem: z.string().nullable().describe('Why it is not usable; null if it is.'),
});
export type AgentCapability = z.infer<typeof AgentCapability>;

export const capabilities = defineTool({
  name: 'capabilities',
  title: 'List agents',
  description:
    'List the agents available in a folder, and their models. Starts nothing and sends no prompts.',
  input: z.strictObject({
    working_dir: z.string().min(1).nullish().describe('The working folder. Default: that of this server.'),
  }),
  output: z.object({
    agents: z.array(AgentCapability),
    providers: z.array(
      z.object({ name: z.string(), default_model: z.string().nullable(), problem: z.string().nullable() }),
    ),
    default_safety_mode: z.string(),
    notes: z.array(z.string()),
  }),
  annotations: LOOKS,
  async run({ working_dir }, { service }) {
    const settings = await service.settings();
    await using lent = await service.hosts.lend({ cwd: working_dir ?? service.cwd });
    return {
      agents: await agentsOf(lent.host, settings),
      providers: lent.host.readings.map(({ name, provider, problem }) => ({
        name,
        default_model: provider?.defaultModel ?? null,
        problem: provider ? null : (problem ?? 'It cannot be used.'),
      })),
      default_safety_mode: settings.default_safety_mode,
      notes: [
        'cli takes agent:model, too; acp:<id> is always an external agent, amplifier:<name> always one of the project.',
        'write and yolo need a trusted folder. Agents change nothing in read_only, which is the default.',
      ],
    };
  },
  text: ({ agents, providers }) =>
    [
      ...agents.map(
        ({ id, description, problem }) => `${id}: ${problem ?? description.replace(/\s+/g, ' ')}`,
      ),
      '',
      ...providers.map(
        ({ name, default_model, problem }) => `provider ${name}: ${problem ?? default_model ?? 'ready'}`,
      ),
    ].join('\n'),
});

/** Every agent of a host that the settings leave switched on. */
export async function agentsOf(host: Host, settings: DelegationSettings): Promise<AgentCapability[]> {
  const catalog = host.agents;
  const names = (await catalog.names()).filter((name) => settingsOf(settings, name).enabled !== false);
  const external = new Map((await externalAgents(host.project)).map((each) => [each.name, each]));
  const own = {
    id: OWN_SESSION,
    description: `The session that the bundle ${host.project.bundle.name} describes, without an agent.`,
    origin: host.project.bundle.name,
    engine: 'in_process',
    problem: null,
  };
  const agents = await Promise.all(
    names.sort().map(async (id) => {
      try {
        const found = await catalog.find(id);
        const description = String(found?.overlay.description ?? '');
        return {
          id,
          description,
          origin: found?.origin ?? '',
          engine: found?.engine ?? 'in_process',
          problem: missing(external.get(found?.engine ?? '')),
        };
      } catch (error) {
        return { id, description: '', origin: '', engine: 'in_process', problem: errorInfo(error).message };
      }
    }),
  );
  const all = [own, ...agents].map((agent) => {
    const { default_model, fallback_model, effort } = settingsOf(settings, agent.id);
    const program = external.get(agent.engine)?.agent;
    return {
      ...agent,
      command: program?.command.join(' ') ?? null,
      provider: program?.provider ?? null,
      install: program?.install ?? null,
      model_channel: channelOf(agent.engine, program?.model_channel),
      effort_channel: channelOf(agent.engine, program?.effort_channel),
      installed: external.get(agent.engine)?.program !== null,
      default_model: default_model ?? program?.default_model ?? null,
      fallback_model: fallback_model ?? program?.fallback_model ?? null,
      effort: effort ?? settings.default_effort ?? null,
    };
  });
  // Whoever looks for somebody to ask wants to see first who is there.
  return all.sort((a, b) => Number(b.installed) - Number(a.installed));
}

interface Channel {
  channel: string;
  flag?: string;
  name?: string;
  form?: string;
}

function channelOf(engine: string, channel: Channel | null | undefined): string {
  if (engine === 'in_process') return 'request';
  if (!channel) return 'session';
  return [channel.channel, channel.flag ?? channel.name ?? channel.form].join(' ');
}

/** What is missing of an external agent, and how to get it; null when it is there or none is needed. */
function missing(external: ExternalAgent | undefined): string | null {
  if (!external || external.program !== null) return null;
  const { display_name, command, install } = external.agent;
  const how = install
    ? `Install it with: ${install}`
    : `Install it, and see that '${command[0]}' is on the PATH.`;
  return `${display_name} is not installed. ${how}`;
}
