import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentConnection } from '@amplifier/acp';
import { errorInfo, findOwnProgram, type Report } from '@amplifier/core';
import { detectSandbox, explainGuarantees } from '@amplifier/workspace';
import { probeModules } from '../assembly/probe-modules.js';
import { PYTHON_MODULES } from '../assembly/python-modules.js';
import type { HostPaths } from '../host-paths.js';
import { readProjectProviders } from '../models/read-project-providers.js';
import { listCopies } from '../pinned/unused-copies.js';
import type { Project } from '../project/project.js';
import { backgroundWorker } from '../runs/background-worker.js';
import { openQueue, openStore } from '../store/open-store.js';

const execute = promisify(execFile);

/** One finding of `doctor`. */
export interface Check {
  name: string;
  /** `missing` is a warning; `broken` is an error. */
  state: 'ok' | 'missing' | 'broken';
  /** The first line is the finding; further lines are details. */
  detail: string;
  /** The next step, mostly a command. */
  fix?: string | undefined;
  /** What an external agent reported about itself. */
  connection?: AgentConnection | undefined;
}

export interface DoctorContext {
  paths: HostPaths;
  /** Must return the same project each time. */
  project: () => Promise<Project>;
  offline?: boolean;
  /** Say for each provider why it is not usable, also if none is configured. */
  verbose: boolean;
  report: Report;
}

/** In the order in which they are shown. `store` names sessions of the home; `modules` starts the project's MCP servers. */
const CHECKS = {
  node,
  settings,
  modules,
  providers,
  store,
  'background work': backgroundWork,
  git,
  'trusted modules': trustedModules,
  sandbox,
} satisfies Record<string, (context: DoctorContext) => Promise<Check[]>>;

export type CheckName = keyof typeof CHECKS;

/** Runs the named checks, or all, in parallel. A check that throws is a finding. */
export async function runChecks(
  context: DoctorContext,
  names: readonly CheckName[] = Object.keys(CHECKS) as CheckName[],
): Promise<Check[]> {
  const found = names.map((name) =>
    CHECKS[name](context).catch((error: unknown) => [broken(name, errorInfo(error).message)]),
  );
  return (await Promise.all(found)).flat();
}

/** The text of a check after its sign: the finding, its details if there is a problem or all are wanted, and the next step. */
export function checkText({ name, state, detail, fix }: Check, all: boolean): string {
  const [finding = '', ...details] = detail.split('\n');
  const shown = all || state !== 'ok' ? details : [];
  return [`${name}: ${finding}`, ...shown, ...(fix ? [`fix: ${fix}`] : [])].join('\n    ');
}

function broken(name: string, detail: string, fix?: string): Check {
  return { name, state: 'broken', detail, fix };
}

async function node(): Promise<Check[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19))
    return [{ name: 'node', state: 'ok', detail: process.version }];
  return [broken('node', process.version, 'install Node 20.19 or later')];
}

async function settings({ project }: DoctorContext): Promise<Check[]> {
  try {
    const opened = await project();
    const { bundle, agents } = opened;
    const { agents: listed, problems } = await agents.listAgents();
    const scopes = Object.keys(opened.settings.scopes).join(', ') || 'no settings file; using defaults';
    const folders = agents.resolver.searchPaths.length;
    return [
      { name: 'settings', state: 'ok', detail: scopes },
      { name: 'bundle', state: 'ok', detail: `${bundle.name} (${bundle.parts.length} files)` },
      { name: 'agents', state: 'ok', detail: `${listed.length} in ${folders} folders` },
      // A bad file has no effect on the others.
      ...problems.map(
        ({ message }): Check => ({
          name: 'agents',
          state: 'missing',
          detail: message,
          fix: 'amplifier agent validate',
        }),
      ),
    ];
  } catch (error) {
    return [broken('settings', errorInfo(error).message, 'amplifier config edit')];
  }
}

/** Null if it cannot be opened, which the check `settings` reports. */
function openedProject({ project }: DoctorContext): Promise<Project | null> {
  return project().catch(() => null);
}

async function modules(context: DoctorContext): Promise<Check[]> {
  const project = await openedProject(context);
  if (project === null) return [];
  const problems = await probeModules(project);
  if (problems.length === 0) return [{ name: 'modules', state: 'ok', detail: 'all can be loaded' }];
  return problems.map(({ message, module_id }) => ({
    name: 'modules',
    state: module_id !== undefined && Object.hasOwn(PYTHON_MODULES, module_id) ? 'missing' : 'broken',
    detail: message,
    fix: 'amplifier config edit, or amplifier bundle check for what names it',
  }));
}

async function providers(context: DoctorContext): Promise<Check[]> {
  const project = await openedProject(context);
  if (project === null) return [];
  const readings = await readProjectProviders(project, context.offline);
  // Without configured providers, all are tried in case a key is set.
  const onlyTried = ((await project.plan()).providers ?? []).length === 0 && !context.verbose;
  const checks = readings.map(({ name, provider, problem }): Check => {
    if (provider) {
      const model = provider.defaultModel ? `, ${provider.defaultModel}` : '';
      const detail = `ready${model} (not called; test it with: amplifier provider test ${name})`;
      return { name: `provider ${name}`, state: 'ok', detail };
    }
    const kind = name.replace(/^provider-/, '');
    const detail = onlyTried ? `not set up; run: amplifier provider add ${kind}` : (problem ?? '');
    return { name: `provider ${kind}`, state: 'missing', detail };
  });
  if (readings.some(({ provider }) => provider !== null)) return checks;
  return [...checks, broken('model', 'no provider is usable', 'amplifier init')];
}

async function store({ paths: { sessions, home }, report }: DoctorContext): Promise<Check[]> {
  try {
    await checkWritable(home);
    await using opened = await openStore(sessions, report);
    const orphaned = await opened.orphaned();
    const left = orphaned.map(
      ({ session_id }): Check => ({
        name: 'store',
        state: 'missing',
        detail: `${session_id} was left by a process that died`,
        fix: `amplifier continue ${session_id}`,
      }),
    );
    return [{ name: 'store', state: 'ok', detail: `${home}, can be written` }, ...left];
  } catch (error) {
    const fix = `chmod u+rwx ${home}, or set AMPLIFIER_HOME to a folder you can write`;
    return [broken('store', `${home}: ${errorInfo(error).message}`, fix)];
  }
}

/** Creates the folder if it is missing. Rejects if no file can be written there. */
async function checkWritable(folder: string): Promise<void> {
  const probe = join(folder, `.probe-${process.pid}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(probe, 'x');
  await rm(probe);
}

/** Checks a folder that an entry point writes to. */
export async function checkFolder(name: string, folder: string): Promise<Check> {
  try {
    await checkWritable(folder);
    return { name, state: 'ok', detail: `${folder}, can be written` };
  } catch (error) {
    return broken(name, `${folder}: ${errorInfo(error).message}`, `make ${folder} writable`);
  }
}

async function backgroundWork({ paths, report }: DoctorContext): Promise<Check[]> {
  const name = 'background work';
  await using queue = await openQueue(paths.queue, report);
  const waiting = (await queue.list({ status: 'queued' })).length;
  const worker = await backgroundWorker(paths);
  const finished = await queue.list({ status: 'finished', order: 'newest', limit: 100 });
  const skipped = finished.filter(({ result }) => typeof result?.error_code === 'string');
  const detail = `${waiting} waiting, ${worker ? `process ${worker.pid} works on them` : 'no worker running'}`;
  return [
    waiting > 0 && !worker
      ? { name, state: 'missing', detail, fix: 'amplifier worker' }
      : { name, state: 'ok', detail },
    ...skipped.map(
      ({ session_id, result }): Check => ({
        name,
        state: 'missing',
        detail: `${session_id} could not be run and was skipped (${result?.error_code})`,
        fix: `amplifier session show ${session_id}`,
      }),
    ),
  ];
}

async function git(): Promise<Check[]> {
  const program = await findOwnProgram('git');
  const version = program && (await execute(program, ['--version']).catch(() => null));
  if (version) return [{ name: 'git', state: 'ok', detail: version.stdout.trim() }];
  const detail = 'not found; bundles from git and worktrees need it';
  return [{ name: 'git', state: 'missing', detail, fix: 'install git' }];
}

/** Copies of trusted modules, and those that will be removed. */
async function trustedModules({ paths: { home } }: DoctorContext): Promise<Check[]> {
  const name = 'trusted modules';
  try {
    const { count, unused } = await listCopies(home);
    if (count === 0) return [];
    const copies = `${count} ${count === 1 ? 'copy' : 'copies'} in ${join(home, 'modules')}`;
    const rest =
      unused.length === 0 ? '' : `, ${unused.length} of them unused; removed two weeks after their last use`;
    return [{ name, state: 'ok', detail: `${copies}${rest}` }];
  } catch (error) {
    const detail = `a record in ${join(home, 'trust')} cannot be read, so no copy is removed: ${errorInfo(error).message}`;
    return [broken(name, detail, 'remove that record, then run amplifier trust')];
  }
}

async function sandbox(): Promise<Check[]> {
  const found = await detectSandbox();
  const detail = explainGuarantees(found).replace(/^sandbox: /, '');
  if (found.guarantees.writes_confined) return [{ name: 'sandbox', state: 'ok', detail }];
  return [{ name: 'sandbox', state: 'missing', detail, fix: 'install bubblewrap (apt install bubblewrap)' }];
}
