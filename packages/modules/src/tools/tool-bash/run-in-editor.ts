import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, ToolContext } from '@amplifier/core';
import { type CollectedOutput, type ProcessEnd, planCommand } from '@amplifier/workspace';
import type { OutputFolder } from './output-folder.js';
import { limitProcesses } from './process-limit.js';
import { type Shell, shellLine } from './start-command.js';

/** Says which process it is, and becomes the command. */
const STARTER = 'echo $$ >"$1"; shift; exec "$@"';
const PID_INTERVAL_MS = 20;
const KILL_AGAIN_MS = 100;
const KILLED_MS = 5000;

const NOTHING: CollectedOutput = {
  ...{ text: '', bytes: 0, truncated: false },
  ...{ spill_path: null, spill_bytes: 0, spill_error: null },
};

/**
 * Runs a shell line in the terminal of the user's editor, where they see it. It is the same command as without one: in the
 * session's sandbox, with its environment and its limits. Null where there is no such terminal, the editor does not take the
 * command, or no sandbox would end with it all that it started.
 */
export async function runInEditor(
  shell: Shell,
  context: ToolContext,
  { command, cwd, timeout }: { command: string; cwd: string | undefined; timeout: number },
  outputs: OutputFolder,
): Promise<{ end: ProcessEnd; tooMany: boolean } | null> {
  const terminal = context.coordinator.getCapability('session.editor_terminal');
  if (!terminal) return null;
  const line = await shellLine(shell, context, command, cwd);
  if (!line.sandbox.guarantees.processes_contained) return null;
  const planned = await planCommand(line);
  const { id, env, confined } = planned;
  const pidFile = join(await outputs.path(), `${id.slice(-36)}.pid`);
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const { clock, memoryBytes } = line;
  const started = clock.now();
  const run = await terminal.start({
    tool_call_id: context.tool_call_id,
    program: '/bin/sh',
    // The editor's own environment stays with the editor.
    args: ['-c', STARTER, 'sh', pidFile, '/usr/bin/env', '-i', ...variables, ...confined.argv],
    cwd: line.cwd,
    output_bytes: memoryBytes,
  });
  if (!run) {
    await confined.release();
    return null;
  }
  let giveUp = () => {};
  const untold = new Promise<Awaited<typeof run.ended>>((resolve) => {
    giveUp = () => resolve({ exit_code: null, signal: 'SIGKILL', output: '', truncated: false });
  });
  let ended: ProcessEnd['ended'] = 'exited';
  let tooMany = false;
  let over = false;
  let released: Promise<readonly string[]> | null = null;
  const release = () => {
    released ??= confined.release();
    return released;
  };
  // What runs carries our mark, so it is found whatever the editor did; again, because it may just be starting.
  const killMarked = async (): Promise<void> => {
    await planned.kill(clock);
    if (!over) clock.after(KILL_AGAIN_MS, killMarked);
  };
  const stop = (why: ProcessEnd['ended']) => {
    if (ended === 'exited') ended = why;
    void run.kill().then(killMarked);
    // An editor that does not tell the end of what it was asked to kill is not waited for.
    clock.after(KILLED_MS, giveUp);
  };
  const cancelTimeout = clock.after(timeout * 1000, () => stop('timeout'));
  const onAbort = () => stop('cancelled');
  context.signal.addEventListener('abort', onAbort, { once: true });
  if (context.signal.aborted) onAbort();
  const stopCounting = countOnceKnown(pidFile, shell.config.max_processes, clock, () => {
    tooMany = true;
    stop('killed');
  });
  try {
    const { exit_code, signal, output, truncated } = await Promise.race([run.ended, untold]);
    const text = truncated ? `[the beginning is not shown]\n${output}` : output;
    const stdout = { ...NOTHING, text, bytes: Buffer.byteLength(output), truncated };
    const duration_ms = clock.now() - started;
    const leftovers_killed = await planned.kill(clock);
    const held_back = await release();
    const how = { exit_code, signal: signal as NodeJS.Signals | null };
    const end = { ...how, leftovers_killed, survivors: [], held_back };
    const { unenforced } = confined;
    return { end: { ...end, ended, stdout, stderr: NOTHING, duration_ms, unenforced }, tooMany };
  } finally {
    over = true;
    await release();
    cancelTimeout();
    stopCounting();
    context.signal.removeEventListener('abort', onAbort);
  }
}

/** The command is counted as soon as it has said which process it is. */
function countOnceKnown(pidFile: string, limit: number, clock: Clock, onExceeded: () => void): () => void {
  let stop = () => {};
  let stopped = false;
  const look = async () => {
    const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
    if (stopped) return;
    stop = pid > 0 ? limitProcesses(pid, limit, clock, onExceeded) : clock.after(PID_INTERVAL_MS, look);
  };
  void look();
  return () => {
    stopped = true;
    stop();
  };
}
