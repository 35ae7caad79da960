import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  backgroundWorker,
  detectSandbox,
  errorInfo,
  explainGuarantees,
  findOwnProgram,
  hostPaths,
  listCopies,
  openQueue,
  openStore,
  PYTHON_MODULES,
  probeModules,
  readProjectProviders,
} from '@amplifier/host';
import type { Options } from '../bind.js';
import type { Cli } from '../cli.js';
import { openCliProject } from '../open-project.js';
import { type Check, codingAgents } from './doctor-agents.js';

const execute = promisify(execFile);

const SIGNS = { ok: '✓', missing: '–', broken: '✗' } as const;

/** Looks at everything a session needs. Exit code 1 when something is broken or no model can be used. */
export async function doctor(cli: Cli, options: Options): Promise<number> {
  if (options.agent !== undefined) return show(cli, await codingAgents(cli, options));
  const checks = (
    await Promise.all([
      node(),
      settingsAndAgents(cli),
      store(cli),
      background(cli),
      daemons(cli),
      git(),
      trustedCode(cli),
      sandbox(cli),
      codingAgents(cli, options),
    ])
  ).flat();
  return show(cli, checks);
}

function show(cli: Cli, checks: readonly Check[]): number {
  if (cli.json) cli.printJson({ checks });
  else
    for (const { name, state, detail, fix } of checks) {
      const paint = state === 'ok' ? cli.color.green : state === 'broken' ? cli.color.red : cli.color.bold;
      cli.print(`${paint(SIGNS[state])} ${name}: ${detail}`);
      if (fix) cli.print(`    fix: ${fix}`);
    }
  return checks.some(({ state }) => state === 'broken') ? 1 : 0;
}

async function node(): Promise<Check[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fine = major > 20 || (major === 20 && minor >= 19);
  return [
    {
      name: 'node',
      state: fine ? 'ok' : 'broken',
      detail: process.version,
      ...(fine ? {} : { fix: 'install Node 20.19 or later' }),
    },
  ];
}

async function settingsAndAgents(cli: Cli): Promise<Check[]> {
  try {
    // What is wrong with an agent is a line of its own below.
    const report: Cli['report'] = (found) =>
      found.level === 'error' ? cli.log.write(found) : cli.report(found);
    const project = await openCliProject({ ...cli, report });
    const { bundle, agents, settings } = project;
    const { agents: listed, problems } = await agents.listAgents();
    const scopes = Object.keys(settings.scopes).join(', ') || 'no settings file; using defaults';
    return [
      { name: 'settings', state: 'ok', detail: scopes },
      { name: 'bundle', state: 'ok', detail: `${bundle.name} (${bundle.parts.length} files)` },
      {
        name: 'agents',
        state: 'ok',
        detail: `${listed.length} in ${agents.resolver.searchPaths.length} folders`,
      },
      ...problems.map(
        ({ message }): Check => ({
          name: 'agents',
          // One bad file takes nothing from the others.
          state: 'missing',
          detail: message,
          fix: 'amplifier agent validate',
        }),
      ),
      ...(await modules(project)),
      ...(await providers(cli, project)),
    ];
  } catch (error) {
    return [
      { name: 'settings', state: 'broken', detail: errorInfo(error).message, fix: 'amplifier config edit' },
    ];
  }
}

async function modules(project: Parameters<typeof probeModules>[0]): Promise<Check[]> {
  const problems = await probeModules(project);
  if (problems.length === 0) return [{ name: 'modules', state: 'ok', detail: 'all can be loaded' }];
  return problems.map(({ message, module_id }) => ({
    name: 'modules',
    state: module_id !== undefined && Object.hasOwn(PYTHON_MODULES, module_id) ? 'missing' : 'broken',
    detail: message,
    fix: 'amplifier config edit, or amplifier bundle check for what names it',
  }));
}

async function providers(cli: Cli, project: Parameters<typeof readProjectProviders>[0]): Promise<Check[]> {
  const readings = await readProjectProviders(project);
  const usable = readings.filter(({ provider }) => provider !== null);
  // Nobody asked for those that are only tried because a key of theirs might be there.
  const onlyTried = ((await project.plan()).providers ?? []).length === 0 && !cli.verbose && !cli.json;
  const checks = readings.map(({ name, provider, problem }): Check => {
    if (provider)
      return {
        name: `provider ${name}`,
        state: 'ok',
        detail: `ready${provider.defaultModel ? `, ${provider.defaultModel}` : ''} (not called; test it with: amplifier provider test ${name})`,
      };
    const kind = name.replace(/^provider-/, '');
    const detail = onlyTried ? `not set up; run: amplifier provider add ${kind}` : (problem ?? '');
    return { name: `provider ${kind}`, state: 'missing', detail };
  });
  if (usable.length > 0) return checks;
  return [
    ...checks,
    {
      name: 'model',
      state: 'broken',
      detail: 'no provider is usable',
      fix: 'amplifier init',
    },
  ];
}

async function store(cli: Cli): Promise<Check[]> {
  const { sessions, home } = hostPaths(cli.cwd);
  const probe = join(home, `.probe-${process.pid}`);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeFile(probe, 'x');
    await rm(probe);
    await using opened = await openStore(sessions, cli.report);
    const orphaned = await opened.orphaned();
    const detail = `${home}, can be written`;
    const left = orphaned.map(
      ({ session_id }): Check => ({
        name: 'store',
        state: 'missing',
        detail: `${session_id} was left by a process that died`,
        fix: `amplifier continue ${session_id}`,
      }),
    );
    return [{ name: 'store', state: 'ok', detail }, ...left];
  } catch (error) {
    return [
      {
        name: 'store',
        state: 'broken',
        detail: `${home}: ${errorInfo(error).message}`,
        fix: `chmod u+rwx ${home}, or set AMPLIFIER_HOME to a folder you can write`,
      },
    ];
  }
}

/** What waits in the background of this folder, and who works on it. */
async function background(cli: Cli): Promise<Check[]> {
  const paths = hostPaths(cli.cwd);
  try {
    await using queue = await openQueue(paths.queue, cli.report);
    const waiting = (await queue.list({ status: 'queued' })).length;
    const worker = await backgroundWorker(paths);
    const set = await queue.list({ status: 'finished', order: 'newest', limit: 100 });
    const aside = set.filter(({ result }) => typeof result?.error_code === 'string');
    const detail = `${waiting} waiting, ${worker ? `process ${worker.pid} works on them` : 'nobody at work'}`;
    const state = waiting > 0 && !worker ? 'missing' : 'ok';
    return [
      {
        name: 'background work',
        state,
        detail,
        ...(state === 'missing' ? { fix: 'amplifier worker' } : {}),
      },
      ...aside.map(
        ({ session_id, result }): Check => ({
          name: 'background work',
          state: 'missing',
          detail: `${session_id} could not be run and was skipped (${result?.error_code})`,
          fix: `amplifier session show ${session_id}`,
        }),
      ),
    ];
  } catch (error) {
    return [{ name: 'background work', state: 'broken', detail: errorInfo(error).message }];
  }
}

/** What the running daemons of this user say of themselves: that of `amplifier serve`, and that of `amplifierd`. */
async function daemons(cli: Cli): Promise<Check[]> {
  const { askHealth, daemonHome, usersHome } = await import('@amplifier/daemon');
  const ask = async (name: string, stop: string, home: Promise<Parameters<typeof askHealth>[0]>) => {
    try {
      const health = await askHealth(await home, process.env);
      if (!health) return [];
      const { running, unready, problems } = health;
      const at = `process ${running.pid} at ${running.url}`;
      const state = unready === null ? 'ok' : 'broken';
      return [
        {
          name,
          state,
          detail: unready === null ? `${at}, ready` : `${at}: ${unready}`,
          ...(unready === null ? {} : { fix: `see its log; stop it with: ${stop}` }),
        },
        ...problems.map((detail) => ({ name, state: 'missing', detail })),
      ] as Check[];
    } catch (error) {
      return [{ name, state: 'broken', detail: errorInfo(error).message }] as Check[];
    }
  };
  const asked = [
    ask('amplifier serve', 'amplifier serve stop', usersHome(process.env, cli.cwd)),
    ask(
      'amplifierd',
      'amplifierd stop',
      Promise.resolve().then(() => daemonHome(process.env)),
    ),
  ];
  return (await Promise.all(asked)).flat();
}

async function git(): Promise<Check[]> {
  const program = await findOwnProgram('git');
  try {
    if (program === null) throw new Error('not found');
    const { stdout } = await execute(program, ['--version']);
    return [{ name: 'git', state: 'ok', detail: stdout.trim() }];
  } catch {
    return [
      {
        name: 'git',
        state: 'missing',
        detail: 'not found; bundles from git and worktrees need it',
        fix: 'install git',
      },
    ];
  }
}

/** Copies of modules that are trusted, and those that wait for their removal. */
async function trustedCode(cli: Cli): Promise<Check[]> {
  const { home } = hostPaths(cli.cwd);
  const name = 'trusted modules';
  try {
    const { count, unused } = await listCopies(home);
    if (count === 0) return [];
    const rest =
      unused.length === 0 ? '' : `, ${unused.length} of them unused; removed two weeks after their last use`;
    return [
      {
        name,
        state: 'ok',
        detail: `${count} ${count === 1 ? 'copy' : 'copies'} in ${join(home, 'modules')}${rest}`,
      },
    ];
  } catch (error) {
    const detail = `a record in ${join(home, 'trust')} cannot be read, so no copy is removed: ${errorInfo(error).message}`;
    return [{ name, state: 'broken', detail, fix: 'remove that record, then run amplifier trust' }];
  }
}

async function sandbox({ verbose }: Cli): Promise<Check[]> {
  const found = await detectSandbox();
  const confined = found.guarantees.writes_confined;
  const [kind = '', ...guarantees] = explainGuarantees(found).split('\n');
  const what = kind.replace(/^sandbox: /, '');
  const detail = [what, ...(verbose || !confined ? guarantees : [])].join('\n    ');
  if (confined) return [{ name: 'sandbox', state: 'ok', detail }];
  return [{ name: 'sandbox', state: 'missing', detail, fix: 'install bubblewrap (apt install bubblewrap)' }];
}
