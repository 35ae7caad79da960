import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { detectSandbox, errorInfo, explainGuarantees, type Host } from '@amplifier/host';
import { z } from 'zod';
import { resolveTarget } from '../delegate/resolve-target.js';
import type { Call } from '../wire/call.js';
import { waitForRun } from '../wire/wait-for-run.js';
import { agentsOf } from './capabilities.js';
import { defineTool } from './tool.js';

const Check = z.object({
  name: z.string(),
  status: z.enum(['ok', 'missing', 'broken']).describe('missing is a pity, broken is a fault.'),
  detail: z.string(),
});
type Check = z.infer<typeof Check>;

const AgentReport = z.object({
  agent_id: z.string(),
  status: z.enum(['ok', 'reachable', 'not_installed', 'unusable', 'no_answer']),
  answered: z.boolean(),
  detail: z.string(),
  duration_s: z.number(),
});
type AgentReport = z.infer<typeof AgentReport>;

const PROBE = 'This is a check of the connection. Use no tools. Answer with the single word OK.';

export const doctor = defineTool({
  name: 'doctor',
  title: 'Check the installation',
  description:
    'Check that agents can be delegated to: settings, models, sandbox, jobs folder. With agent, that agent is really asked for one word, which costs a model call; connect_only leaves that out.',
  input: z.strictObject({
    agent: z.string().min(1).nullish().describe('Only this agent, and ask it.'),
    timeout_s: z
      .number()
      .positive()
      .nullish()
      .default(60)
      .describe('Seconds the agent has to answer. Default 60.'),
    connect_only: z.boolean().nullish().default(false).describe('Ask nobody.'),
    working_dir: z.string().min(1).nullish().describe('The folder. Default: that of this server.'),
  }),
  output: z.object({ agents: z.array(AgentReport), checks: z.array(Check) }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run(input, call) {
    const { service } = call;
    const settings = await service.settings();
    const cwd = input.working_dir ?? service.cwd;
    const { agents, checks } = await service.hosts.use({ cwd }, async (host) => ({
      agents: await agentsOf(host, settings),
      checks: [...modelChecks(host), await sandboxCheck(), await jobsCheck(settings.jobs_dir)],
    }));
    const wanted = input.agent
      ? resolveTarget(
          input.agent,
          agents.map(({ id }) => id),
        ).cli
      : null;
    const reports = agents
      .filter(({ id }) => wanted === null || id === wanted)
      .map(
        ({ id, problem, engine, installed }): AgentReport => ({
          agent_id: id,
          status: !installed ? 'not_installed' : problem ? 'unusable' : 'reachable',
          answered: false,
          detail: problem ?? `found, runs ${engine}`,
          duration_s: 0,
        }),
      );
    const [only] = reports;
    if (wanted === null || input.connect_only || only?.status !== 'reachable')
      return { agents: reports, checks };
    return { agents: [await probe(wanted, cwd, input.timeout_s ?? 60, call)], checks };
  },
  text: ({ agents, checks }) =>
    [
      ...checks.map(({ name, status, detail }) => `${status}: ${name}: ${detail}`),
      ...agents.map(({ agent_id, status, detail }) => `${status}: agent ${agent_id}: ${detail}`),
    ].join('\n'),
});

async function probe(
  agent_id: string,
  working_dir: string,
  timeout_s: number,
  call: Call,
): Promise<AgentReport> {
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
    return {
      agent_id,
      status: 'no_answer',
      answered: false,
      detail: 'The check was given up.',
      duration_s: 0,
    };
  const { ok, text, error, duration_s, selected_model } = waited.result;
  const detail = ok
    ? `answered on ${selected_model ?? 'its model'}: ${text.slice(0, 80)}`
    : (error?.message ?? '');
  return { agent_id, status: ok ? 'ok' : 'no_answer', answered: ok, detail, duration_s };
}

function modelChecks(host: Host): Check[] {
  const checks = host.readings.map(
    ({ name, provider, problem }): Check => ({
      name: `provider ${name}`,
      status: provider ? 'ok' : 'missing',
      detail: provider ? `ready, ${provider.defaultModel ?? 'no model of its own choice'}` : (problem ?? ''),
    }),
  );
  if (host.providers.size > 0) return checks;
  return [
    ...checks,
    { name: 'model', status: 'broken', detail: 'No provider can be used. Run: amplifier init' },
  ];
}

async function sandboxCheck(): Promise<Check> {
  const sandbox = await detectSandbox();
  const detail = explainGuarantees(sandbox).split('\n').join('; ');
  return { name: 'sandbox', status: sandbox.guarantees.writes_confined ? 'ok' : 'missing', detail };
}

async function jobsCheck(jobs_dir: string): Promise<Check> {
  try {
    await mkdir(jobs_dir, { recursive: true, mode: 0o700 });
    const file = join(jobs_dir, `.probe-${process.pid}`);
    await writeFile(file, '');
    await rm(file);
    return { name: 'jobs', status: 'ok', detail: `${jobs_dir}, can be written` };
  } catch (error) {
    return { name: 'jobs', status: 'broken', detail: `${jobs_dir}: ${errorInfo(error).message}` };
  }
}
