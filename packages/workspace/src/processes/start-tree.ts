import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { type Clock, errorInfo, systemClock, systemLiveness } from '@amplifier/core';
import { KILL_GRACE_MS, OUTSIDE_PROJECTS } from '../defaults.js';
import { checkGrant } from '../grant/check-grant.js';
import type { Grant } from '../grant/grant.js';
import { realGrant } from '../grant/resolve-inside.js';
import { findDenied } from '../sandbox/find-denied.js';
import type { Overlay } from '../sandbox/overlay.js';
import type { ConfinedCommand, Sandbox } from '../sandbox/sandbox.js';
import { errnoOf, WorkspaceError } from '../workspace-error.js';
import { commandEnv } from './command-env.js';
import { lockFolders } from './path-lock.js';
import { findProcess, type ProcessEntry } from './process-table.js';
import { askToEnd, killTree, OWNER_VARIABLE, type ProcessTree, TREE_VARIABLE } from './process-tree.js';
import { startSlot } from './start-slots.js';

export interface StartOptions {
  /** The program and its arguments. No shell is involved: for a shell line, give `['bash', '-c', line]`. */
  command: readonly [string, ...string[]];
  /** Absolute and real. Null: a folder that belongs to no project, where programs find no packages or settings of one. */
  cwd: string | null;
  grant: Grant;
  sandbox: Sandbox;
  /** Readable paths that a confined command must see although they lie in a temporary folder. */
  visible?: readonly string[] | undefined;
  /** Does it run beside other work for as long as that takes, as a server does? */
  staysOn?: boolean | undefined;
  /** What a confined command sees at another place than it lies. */
  overlays?: readonly Overlay[] | undefined;
  /** All of the command's environment. Default: `commandEnv()`, what programs need and no secrets. */
  env?: Record<string, string> | undefined;
  /** Nothing is started if it has aborted. `startProcess` also ends the tree when it aborts later. */
  signal?: AbortSignal | undefined;
  /** Between the request to end and the kill. */
  killGraceMs?: number | undefined;
  clock?: Clock | undefined;
}

export interface TreeEnd {
  /** Null when a signal ended it. */
  exit_code: number | null;
  signal: NodeJS.Signals | null;
  /** Processes it had left behind, which were killed. */
  leftovers_killed: number;
  /** Processes that even a kill did not end in time, by pid. Normally empty. */
  survivors: number[];
  /** What it had put where it would act later, and what was done about it, one sentence each. */
  held_back: readonly string[];
}

/** A started command with all its descendants. Its three pipes are the caller's to use. */
export interface RunningTree {
  /** Unique, and usable as a file name. */
  readonly id: string;
  readonly pid: number;
  readonly stdin: NonNullable<ChildProcess['stdin']>;
  readonly stdout: NonNullable<ChildProcess['stdout']>;
  readonly stderr: NonNullable<ChildProcess['stderr']>;
  /** What the grant asks for and does not hold for this command, one sentence each. */
  readonly unenforced: readonly string[];
  /** Resolves when the command has ended and everything it left behind is gone. Never rejects. */
  readonly ended: Promise<TreeEnd>;
  /** Asks every process of the tree to end, and kills all that are left after the grace. Resolves when they are gone. */
  end(): Promise<void>;
  /** Kills every process of the tree now. Resolves when they are gone. */
  kill(): Promise<void>;
}

/** How a command under a grant is to be started. */
export interface PlannedCommand {
  /** Marks every process of the command. */
  id: string;
  confined: ConfinedCommand;
  /** What it is to be started with. */
  env: Record<string, string>;
  /** Kills every process of it, whoever started it, and says how many of them the sandbox does not account for. */
  kill(clock: Clock): Promise<number>;
}

/** Nobody: a command that somebody else started is known by its mark alone. */
const NO_ROOT: ProcessEntry = { pid: -1, ppid: -1, session: -1, name: '', start_time: 0 };

/** Works out how to start a command, for us or for somebody who starts it for us. Starts nothing; throws as `startTree` does. */
export async function planCommand(options: StartOptions): Promise<PlannedCommand> {
  const {
    command,
    cwd,
    grant,
    sandbox,
    visible = [],
    overlays = [],
    env = commandEnv(),
    staysOn = false,
  } = options;
  const allowed = checkGrant(grant, { kind: 'exec', confined: sandbox.name !== 'none' });
  if (!allowed.allowed) throw new WorkspaceError(allowed.because, { code: 'EXEC_DENIED' });
  // A denied name may have become a link since the grant was made.
  const real = await findDenied(await realGrant(grant), sandbox);
  const isConfined = sandbox.guarantees.writes_confined;
  const unlock = await lockFolders(isConfined ? real.write.allow : ['/'], options.signal);
  const confined = await sandbox
    .confine({ command, cwd, env, grant: real, visible, overlays, staysOn })
    .catch((error) => {
      unlock();
      throw error;
    });
  const outer = process.env[TREE_VARIABLE];
  const id = outer === undefined ? randomUUID() : `${outer}/${randomUUID()}`;
  const marks = { [TREE_VARIABLE]: id, [OWNER_VARIABLE]: JSON.stringify(systemLiveness.self) };
  return {
    id,
    confined: { ...confined, release: () => confined.release().finally(unlock) },
    env: { ...confined.env, ...marks },
    async kill(clock) {
      const { killed } = await killTree({ id, root: NO_ROOT }, clock);
      return killed.filter(({ name }) => !confined.isGuard(name)).length;
    },
  };
}

/**
 * Starts a command under a grant. Throws `WorkspaceError` when the grant forbids it or it cannot be started. Must be called
 * on a thread that lives as long as the command: the sandbox dies with the thread that started it.
 */
export async function startTree(options: StartOptions): Promise<RunningTree> {
  const leaveSlot = await startSlot();
  try {
    const tree = await startNow(options);
    tree.ended.then(leaveSlot);
    return tree;
  } catch (error) {
    leaveSlot();
    throw error;
  }
}

async function startNow(options: StartOptions): Promise<RunningTree> {
  const { clock = systemClock, signal } = options;
  const cwd = options.cwd ?? OUTSIDE_PROJECTS;
  if (signal?.aborted)
    throw new WorkspaceError(`${options.command[0]} was not started, because it was cancelled.`, {
      code: 'CANCELLED',
    });
  const { id, confined, env } = await planCommand(options);
  const [program, ...args] = confined.argv;
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: 'pipe',
    // A session of its own: no terminal to talk to, and one more way to recognise its processes.
    detached: true,
  });
  await started(child, options.command[0], cwd).catch(async (error) => {
    await confined.release();
    throw error;
  });
  const pid = child.pid as number;
  const root: ProcessEntry = findProcess(pid) ?? {
    pid,
    ppid: process.pid,
    session: pid,
    name: '',
    // Over before we could look: its pid stays taken as the session of whatever it left.
    start_time: 0,
  };
  return follow(child, { id, root }, confined, clock, options.killGraceMs ?? KILL_GRACE_MS);
}

function follow(
  child: ChildProcess,
  tree: ProcessTree,
  confined: ConfinedCommand,
  clock: Clock,
  killGraceMs: number,
): RunningTree {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('The command was started without pipes.');
  // A command may end before it has read its input; that is no failure of ours.
  stdin.on('error', () => {});
  const ended = new Promise<TreeEnd>((resolve) => {
    child.once('exit', async (exit_code, signal) => {
      // In a sandbox too: bubblewrap reports the end a moment before the kernel has taken the last process down.
      // Where nobody can look, as without a file handle to spare, the command itself is named as what may be left.
      const { killed, left } = await killTree(tree, clock).catch(() => ({ killed: [], left: [tree.root] }));
      const held_back = await confined.release();
      // The sandbox's own helpers may take a moment longer than the command; nobody left those running.
      const leftovers_killed = killed.filter(({ name }) => !confined.isGuard(name)).length;
      resolve({ exit_code, signal, leftovers_killed, survivors: left.map(({ pid }) => pid), held_back });
    });
  });
  const kill = async () => {
    await killTree(tree, clock);
    await ended;
  };
  const end = () =>
    new Promise<void>((resolve, reject) => {
      const cancel = clock.after(killGraceMs, () => kill().catch(reject));
      ended.then(() => {
        cancel();
        resolve();
      });
      askToEnd(tree, ({ name }) => confined.isGuard(name)).catch(reject);
    });
  return {
    id: tree.id.slice(-36),
    pid: tree.root.pid,
    stdin,
    stdout,
    stderr,
    unenforced: confined.unenforced,
    ended,
    end,
    kill,
  };
}

function started(child: ChildProcess, program: string, cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', async (error) => reject(await explainSpawnError(error, program, cwd)));
  });
}

async function explainSpawnError(error: Error, program: string, cwd: string): Promise<WorkspaceError> {
  const folder = await stat(cwd).catch(() => null);
  if (!folder?.isDirectory()) {
    return new WorkspaceError(`The folder ${cwd} does not exist, so ${program} was not started in it.`, {
      code: 'FOLDER_NOT_FOUND',
      cause: error,
    });
  }
  const missing = errnoOf(error) === 'ENOENT' || errnoOf(error) === 'EACCES';
  return new WorkspaceError(`${program} could not be started: ${errorInfo(error).message}.`, {
    code: missing ? 'COMMAND_NOT_FOUND' : 'SPAWN_FAILED',
    cause: error,
  });
}
