import {
  type Check,
  type ConnectedAgent,
  checkFolder,
  checkText,
  connectAgents,
  externalAgents,
  type Host,
  runChecks,
} from '@amplifier/host';
import { z } from 'zod';
import { resolveTarget } from '../delegate/resolve-target.js';
import type { Call } from '../wire/call.js';
import { Progress } from '../wire/progress.js';
import { waitForRun } from '../wire/wait-for-run.js';
import { type AgentCapability, agentsOf } from './capabilities.js';
import { defineTool } from './tool.js';

const CheckView = z.object({
  name: z.string(),
  status: z.enum(['ok', 'missing', 'broken']).describe('missing is optional, broken is an error.'),
  detail: z.string(),
  fix: z.string().nullable().describe('The next step, mostly a command.'),
});

const AgentReport = z.object({
  agent_id: z.string(),
  status: z
    .enum([
      'ok',
      'reachable',
      'login_required',
      'handshake_failed',
      'timed_out',
      'not_installed',
      'unusable',
      'no_answer',
    ])
    .describe(
      'ok: it answered. reachable: it accepts prompts. The others say why it does not, or why the prompt failed.',
    ),
  connected: z.boolean().describe('An external agent connected; always true for this server’s own agents.'),
  answered: z.boolean().describe('It answered the test prompt.'),
  detail: z.string().describe('The finding and, if something is wrong, what to do.'),
  version: z.string().nullable().describe('The version the external agent reports.'),
  protocol_version: z.number().nullable().describe('The Agent Client Protocol version.'),
  model: z.string().nullable().describe('The model it starts with.'),
  models: z.array(z.string()).describe('The models it offers.'),
  efforts: z.array(z.string()).describe('The levels of effort it offers.'),
  login: z
    .enum(['none_asked', 'required', 'unknown'])
    .describe('Did it ask for a login when a session was opened?'),
  login_command: z.string().nullable().describe('The command that logs in.'),
  install_hint: z.string().nullable().describe('The command that installs it, if it is missing.'),
  duration_s: z.number(),
});
type AgentReport = z.infer<typeof AgentReport>;

const PROBE = 'This is a check of the connection. Use no tools. Answer with the single word OK.';

export const doctor = defineTool({
  name: 'doctor',
  title: 'Check the installation',
  description:
    'Check that delegation works: settings, models, modules, stored sessions, sandbox, jobs folder, and every installed external agent. Agents are started in parallel; each connects, opens a session and reports its version, models and login state. No prompts are sent, except one to the agent named in agent, which costs a model call; connect_only omits it. Over HTTP, agents are started for the server’s own token only.',
  input: z.strictObject({
    agent: z
      .string()
      .min(1)
      .nullish()
      .describe('Check only this agent (an id from capabilities) and send it a prompt.'),
    timeout_s: z
      .number()
      .positive()
      .nullish()
      .default(60)
      .describe(
        'Seconds for each agent to connect (at most 30 for most), and for the prompted agent to answer. Default 60.',
      ),
    connect_only: z.boolean().nullish().default(false).describe('Connect, but send no prompt.'),
    working_dir: z.string().min(1).nullish().describe('The working folder. Default: that of this server.'),
  }),
  output: z.object({ agents: z.array(AgentReport), checks: z.array(CheckView) }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run(input, call) {
    const { service } = call;
    const cwd = input.working_dir ?? service.cwd;
    const { agents, checks } = await lookAt(cwd, call);
    const wanted = input.agent
      ? resolveTarget(
          input.agent,
          agents.map(({ id }) => id),
        ).cli
      : null;
    const chosen = agents.filter(({ id }) => wanted === null || id === wanted);
    // Programs are started for the server's own token only: another one could start all of them again and again.
    if (call.owner !== null) return { agents: chosen.map(unstarted), checks };
    const timeout_s = input.timeout_s ?? 60;
    const reports = await connectAll(chosen, { cwd, timeout_ms: timeout_s * 1000 }, call);
    const [only] = reports;
    if (wanted === null || input.connect_only || only?.status !== 'reachable')
      return { agents: reports, checks };
    return { agents: [{ ...only, ...(await probe(wanted, cwd, timeout_s, call)) }], checks };
  },
  text: ({ agents, checks }) =>
    [
      ...checks.map(({ status: state, fix, ...check }) => {
        const text = checkText({ ...check, state, fix: fix ?? undefined }, true);
        return `${state}: ${text}`;
      }),
      ...agents.map(({ agent_id, status, detail }) => `${status}: agent ${agent_id}: ${detail}`),
    ].join('\n'),
});

/** The agents of a folder, and what the checks of its host found. */
async function lookAt(
  cwd: string,
  call: Call,
): Promise<{ agents: AgentCapability[]; checks: z.infer<typeof CheckView>[] }> {
  const { service } = call;
  const settings = await service.settings();
  await using lent = await service.hosts.lend({ cwd });
  const found = [...(await hostChecks(lent.host, call)), await checkFolder('jobs', settings.jobs_dir)];
  return { agents: await agentsOf(lent.host, settings), checks: found.map(viewOf) };
}

/** What a token other than the server's own may see: nothing of other sessions, and no programs are started for it. */
const SHARED_CHECKS = ['settings', 'providers', 'sandbox'] as const;

function hostChecks({ project }: Host, { service, owner }: Call): Promise<Check[]> {
  const { offline, report } = service;
  const context = { paths: project.paths, project: async () => project, offline, verbose: true, report };
  return owner === null ? runChecks(context) : runChecks(context, SHARED_CHECKS);
}

function viewOf({ name, state, detail, fix }: Check): z.infer<typeof CheckView> {
  return { name, status: state, detail, fix: fix ?? null };
}

/** Connects to those of the agents that are external and installed, and says how each of all is. */
async function connectAll(
  agents: readonly AgentCapability[],
  { cwd, timeout_ms }: { cwd: string; timeout_ms: number },
  call: Call,
): Promise<AgentReport[]> {
  const { service, context } = call;
  const wanted = new Set(agents.filter(({ problem }) => problem === null).map(({ engine }) => engine));
  const external = (await externalAgents(await service.hosts.project(cwd))).filter(({ name }) =>
    wanted.has(name),
  );
  const waiting = new Set(external.filter(({ program }) => program !== null).map(({ name }) => name));
  const progress = new Progress(call, `Connecting to ${[...waiting].join(', ') || 'nobody'}`);
  try {
    const connected = await connectAgents(external, {
      environment: service.environment,
      timeout_ms,
      signal: context.mcpReq.signal,
      onStep: ({ name }, step) => {
        if (step === 'done') waiting.delete(name);
        progress.say(
          step === 'done'
            ? `${name} is done; waiting for ${[...waiting].join(', ') || 'nobody'}`
            : `${name} is ${step}`,
        );
      },
    });
    const found = new Map(connected.map((each) => [each.name, each]));
    return agents.map((agent) => reportOf(agent, found.get(agent.engine)));
  } finally {
    progress.stop();
  }
}

const STATUS = {
  ready: 'reachable',
  login_required: 'login_required',
  failed: 'handshake_failed',
  timed_out: 'timed_out',
} as const;

function reportOf(
  { id, problem, engine, installed, install }: AgentCapability,
  external?: ConnectedAgent,
): AgentReport {
  const connection = external?.connection ?? null;
  const unknown = {
    agent_id: id,
    answered: false,
    version: null,
    protocol_version: null,
    model: null,
    models: [],
    efforts: [],
    login: 'unknown' as const,
    login_command: external?.agent.login ?? null,
    install_hint: installed ? null : install,
    duration_s: 0,
  };
  if (connection === null) {
    const status = !installed ? 'not_installed' : problem ? 'unusable' : 'reachable';
    const detail = problem ?? `found, runs ${engine}`;
    return { ...unknown, status, connected: status === 'reachable', detail };
  }
  const { status, version, protocol_version, model, models, efforts, name, detail, duration_ms } = connection;
  return {
    ...unknown,
    status: STATUS[status],
    connected: protocol_version !== null,
    detail: status === 'ready' ? readyWords(name, version, models) : detail,
    version,
    protocol_version,
    model,
    models,
    efforts,
    login: status === 'ready' ? 'none_asked' : status === 'login_required' ? 'required' : 'unknown',
    duration_s: duration_ms / 1000,
  };
}

/** Of an agent that is not started for this caller. */
function unstarted(agent: AgentCapability): AgentReport {
  const report = reportOf(agent);
  if (report.status !== 'reachable' || agent.engine === 'in_process') return report;
  const detail =
    'Installed, not started: the token is not that of the server itself. Delegate to it to see whether it answers.';
  return { ...report, connected: false, detail };
}

function readyWords(name: string | null, version: string | null, models: readonly string[]): string {
  const who = [name, version].filter(Boolean).join(' ') || 'It';
  const offers = models.length > 0 ? `, offers ${models.length} models` : '';
  return `${who} took a session${offers}.`;
}

async function probe(
  agent_id: string,
  working_dir: string,
  timeout_s: number,
  call: Call,
): Promise<Pick<AgentReport, 'status' | 'answered' | 'detail' | 'duration_s'>> {
  const input = {
    cli: agent_id,
    prompt: PROBE,
    working_dir,
    timeout_s,
    safety_mode: 'read_only',
    persist: false,
  } as const;
  const run = await call.service.delegate(input, { ...call, can_ask: false });
  const waited = await waitForRun(run, { ...call, can_ask: false }, { stops: true });
  if (waited.kind !== 'result')
    return { status: 'no_answer', answered: false, detail: 'The check was given up.', duration_s: 0 };
  const { ok, text, error, duration_s, selected_model } = waited.result;
  const detail = ok
    ? `answered on ${selected_model ?? 'its model'}: ${text.slice(0, 80)}`
    : (error?.message ?? '');
  return { status: ok ? 'ok' : 'no_answer', answered: ok, detail, duration_s };
}
