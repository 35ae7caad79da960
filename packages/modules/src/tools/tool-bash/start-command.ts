import { homedir } from 'node:os';
import { delimiter } from 'node:path';
import type { ModuleEnvironment, ToolContext } from '@amplifier/core';
import {
  commandEnv,
  type Isolation,
  isWithin,
  type Overlay,
  type ProcessOptions,
  type RunningProcess,
  resolveInside,
  type Sandbox,
  startProcess,
} from '@amplifier/workspace';
import { grantOf, placeNamed, workingDirOf } from '../session-grant.js';
import { ToolError } from '../tool-error.js';
import type { BashConfig } from './bash-config.js';

/** Nobody sits at the terminal: nothing may wait for a key or a password. */
const QUIET_ENV = { GIT_TERMINAL_PROMPT: '0', PAGER: 'cat', GIT_PAGER: 'cat', TERM: 'dumb' };

/** What every command of a session is started with. */
export interface Shell {
  config: BashConfig;
  /** Where the variables of `pass_env` are looked for. */
  environment: ModuleEnvironment;
  sandbox: () => Promise<Sandbox>;
}

/** Starts a shell line where the session may work, under its grant, without the host's secrets in its environment. */
export async function startCommand(
  shell: Shell,
  context: ToolContext,
  command: string,
  cwd: string | undefined,
  options: Partial<ProcessOptions>,
): Promise<RunningProcess> {
  return startProcess({ ...(await shellLine(shell, context, command, cwd)), ...options });
}

/** How a shell line of the session is started, by whoever does. */
export async function shellLine(
  { config, environment, sandbox }: Shell,
  context: ToolContext,
  command: string,
  cwd: string | undefined,
) {
  if (command.includes('\0'))
    throw new ToolError('INVALID_INPUT', 'The command contains a NUL byte, which no command can.');
  const grant = grantOf(context);
  const place = placeNamed(context, 'read', cwd ?? '.');
  const folder = await resolveInside(grant, 'read', place, workingDirOf(context));
  if (!folder.allowed) throw new ToolError('NOT_PERMITTED', folder.because);
  const isolation = context.coordinator.getCapability('session.isolation');
  const env = {
    ...commandEnv({ ...process.env, ...environment }, config.pass_env),
    ...QUIET_ENV,
    ...isolation?.environment,
  };
  const holder = await sandbox();
  return {
    command: [config.shell, '-c', command],
    cwd: folder.path,
    visible: [workingDirOf(context)],
    grant,
    sandbox: holder,
    overlays: isolation && holder.showsOverlays ? await shownOver(isolation, env) : [],
    env,
    clock: context.coordinator.clock,
    memoryBytes: config.max_output_bytes,
  } satisfies ProcessOptions;
}

/** The session's tree where the user's own lies, so that a path named there leads here; nothing where programs or the home would be covered. */
async function shownOver(isolation: Isolation, env: NodeJS.ProcessEnv): Promise<Overlay[]> {
  const overlays = await isolation.overlays();
  const needed = [isolation.tree, homedir(), ...(env.PATH ?? '').split(delimiter)];
  const isCovering = overlays.some(
    ({ from, at }) => from === isolation.tree && needed.some((path) => path !== '' && isWithin(at, path)),
  );
  return isCovering ? [] : overlays;
}
