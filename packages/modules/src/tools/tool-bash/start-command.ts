import type { ModuleEnvironment, ToolContext } from '@amplifier/core';
import {
  commandEnv,
  type ProcessOptions,
  type RunningProcess,
  resolveInside,
  type Sandbox,
  startProcess,
} from '@amplifier/workspace';
import { grantOf, workingDirOf } from '../session-grant.js';
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
  const folder = await resolveInside(grant, 'read', cwd ?? '.', workingDirOf(context));
  if (!folder.allowed) throw new ToolError('NOT_PERMITTED', folder.because);
  return {
    command: [config.shell, '-c', command],
    cwd: folder.path,
    grant,
    sandbox: await sandbox(),
    env: {
      ...commandEnv({ ...process.env, ...environment }, config.pass_env),
      ...QUIET_ENV,
      ...context.coordinator.getCapability('session.command_env'),
    },
    clock: context.coordinator.clock,
    memoryBytes: config.max_output_bytes,
  } satisfies ProcessOptions;
}
