import {
  type Check,
  checkCodingAgents,
  checkText,
  errorInfo,
  hostPaths,
  type Project,
  runChecks,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { openCliProject } from '../../open/open-project.js';
import { seconds } from '../../options/session-options.js';
import type { Options } from '../../program/bind.js';
import { UsageError } from '../../usage-error.js';

const SIGNS = { ok: '✓', missing: '–', broken: '✗' } as const;

/** Long enough for an agent that starts slowly; most have a tighter limit. */
const CONNECT_SECONDS = 30;

/** Checks everything that a session needs. Exit code 1 if something is broken or no model can be used. */
export async function doctor(cli: Cli, options: Options): Promise<number> {
  if (options.agent !== undefined)
    return show(cli, await codingAgents(cli, () => openCliProject(cli), options));
  // A broken agent file is a finding; it is not reported a second time.
  const report: Cli['report'] = (found) =>
    found.level === 'error' ? cli.log.write(found) : cli.report(found);
  const opened = openCliProject({ ...cli, report });
  const project = () => opened;
  const context = {
    paths: hostPaths(cli.cwd),
    project,
    verbose: cli.verbose || cli.json,
    report: cli.report,
  };
  const checks = [runChecks(context), daemons(cli), codingAgents(cli, project, options)];
  return show(cli, (await Promise.all(checks)).flat());
}

function show(cli: Cli, checks: readonly Check[]): number {
  if (cli.json) cli.printJson({ checks });
  else
    for (const check of checks) {
      const { state } = check;
      const paint = state === 'ok' ? cli.color.green : state === 'broken' ? cli.color.red : cli.color.bold;
      cli.print(`${paint(SIGNS[state])} ${checkText(check, cli.verbose)}`);
    }
  return checks.some(({ state }) => state === 'broken') ? 1 : 0;
}

async function codingAgents(cli: Cli, project: () => Promise<Project>, options: Options): Promise<Check[]> {
  const limit = options.timeout === undefined ? null : seconds('--timeout', options.timeout);
  const agent = typeof options.agent === 'string' ? options.agent.replace(/^acp:/, '') : undefined;
  const checks = await checkCodingAgents(project, {
    agent,
    connect:
      options.connect === false
        ? null
        : (installed) => {
            const waiting = new Set(installed.map(({ agent: { id } }) => id));
            if (waiting.size > 0) cli.say(`Connecting to ${[...waiting].join(', ')} …`);
            return {
              environment: process.env,
              timeout_ms: (limit ?? CONNECT_SECONDS) * 1000,
              onStep: ({ agent: { id } }, step) => {
                if (step !== 'done') return cli.verbose ? cli.say(`${id}: ${step}`) : undefined;
                waiting.delete(id);
                if (waiting.size > 0) cli.say(`${id} is done; waiting for ${[...waiting].join(', ')} …`);
              },
            };
          },
  });
  if (checks.length === 0)
    throw new UsageError(`No external agent is called '${agent}'. List them with: amplifier agent list`);
  return checks;
}

/** The daemons of this user that are running. */
async function daemons({ cwd }: Cli): Promise<Check[]> {
  const { askHealth, daemonChecks, daemonHome, usersHome } = await import('@amplifier/daemon');
  const homes = [
    ['amplifier serve', async () => usersHome(process.env, cwd)],
    ['amplifierd', async () => daemonHome(process.env)],
  ] as const;
  const found = homes.map(async ([name, home]): Promise<Check[]> => {
    try {
      const health = await askHealth(await home(), process.env);
      if (!health) return [];
      const { pid, url } = health.running;
      return daemonChecks(name, `process ${pid} at ${url}`, health);
    } catch (error) {
      return [{ name, state: 'broken', detail: errorInfo(error).message }];
    }
  });
  return (await Promise.all(found)).flat();
}
