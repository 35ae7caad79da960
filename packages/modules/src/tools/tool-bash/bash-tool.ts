import { type Coordinator, errorInfo, Memo, type Tool, type ToolContext } from '@amplifier/core';
import type { ProcessEnd } from '@amplifier/workspace';
import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import { ToolError } from '../tool-error.js';
import type { BackgroundProcesses } from './background-processes.js';
import type { BashConfig } from './bash-config.js';
import type { OutputFolder } from './output-folder.js';
import { limitProcesses } from './process-limit.js';
import { runInEditor } from './run-in-editor.js';
import { type Shell, startCommand } from './start-command.js';

type InputOptions = Pick<BashConfig, 'timeout' | 'max_timeout'>;

const Input = (config: InputOptions) =>
  z.object({
    command: z.string().min(1).describe('A line for the shell'),
    timeout: z
      .number()
      .positive()
      .max(config.max_timeout)
      .optional()
      .describe(
        `Seconds until it is ended; ${config.timeout} when left out. In the background: never when left out`,
      ),
    cwd: z.string().optional().describe('The folder to run in; the working folder when left out'),
    run_in_background: z
      .boolean()
      .default(false)
      .describe('Return at once. Read its output and end it with bash_process'),
  });
type Input = z.output<ReturnType<typeof Input>>;

/** By the limits that are in them. A tool is made for each turn, and its JSON Schema is derived once per schema. */
const inputs = new Memo<ReturnType<typeof Input>>();

export function bashTool(shell: Shell, background: BackgroundProcesses, outputs: OutputFolder): Tool {
  const { timeout, max_timeout } = shell.config;
  return defineTool({
    name: 'bash',
    description:
      'Run a command in a shell. Each call starts in a fresh shell; processes left behind are ended when it returns. Nobody can answer prompts.',
    input: inputs.get(`${timeout} ${max_timeout}`, () => Input({ timeout, max_timeout })),
    run: (input, context) =>
      input.run_in_background
        ? runInBackground(shell, background, input, context)
        : runAndWait(shell, outputs, input, context),
  });
}

async function runAndWait(shell: Shell, outputs: OutputFolder, input: Input, context: ToolContext) {
  const { config } = shell;
  const timeout = input.timeout ?? config.timeout;
  const line = { command: input.command, cwd: input.cwd, timeout };
  const { end, tooMany } = await keepChanges(
    context.coordinator,
    async () => (await runInEditor(shell, context, line, outputs)) ?? runHere(shell, context, line, outputs),
  );
  const output = outputOf(end);
  if (tooMany) {
    const message = `The command was ended: it started more than ${config.max_processes} processes.`;
    throw new ToolError('LIMIT_REACHED', message, { output: { ...output, note: message } });
  }
  if (end.ended === 'exited' && end.exit_code === 0) return output;
  throw failure(end, timeout, output);
}

async function runHere(
  shell: Shell,
  context: ToolContext,
  { command, cwd, timeout }: { command: string; cwd: string | undefined; timeout: number },
  outputs: OutputFolder,
) {
  const running = await startCommand(shell, context, command, cwd, {
    timeoutMs: timeout * 1000,
    signal: context.signal,
    spillFolder: await outputs.path(),
  });
  let tooMany = false;
  const { clock } = context.coordinator;
  const stopCounting = limitProcesses(running.pid, shell.config.max_processes, clock, () => {
    tooMany = true;
    void running.stop('now');
  });
  const end = await running.done;
  stopCounting();
  return { end, tooMany };
}

async function runInBackground(
  shell: Shell,
  background: BackgroundProcesses,
  { command, cwd, timeout }: Input,
  context: ToolContext,
) {
  const process = await background.start(command, (onOutput) =>
    startCommand(shell, context, command, cwd, {
      onOutput,
      memoryBytes: 1,
      staysOn: true,
      timeoutMs: timeout === undefined ? null : timeout * 1000,
    }),
  );
  const { clock } = context.coordinator;
  const stopCounting = limitProcesses(
    process.pid,
    shell.config.max_processes,
    clock,
    () => void process.running.stop('now'),
  );
  void process.running.done.then(stopCounting);
  return {
    id: process.id,
    pid: process.pid,
    note: 'Runs in the background. Use bash_process to read its output or to end it.',
  };
}

function outputOf(end: ProcessEnd) {
  const { exit_code, signal, stdout, stderr, duration_ms, leftovers_killed, held_back } = end;
  const spilled = [stdout, stderr].flatMap(({ spill_path }) => spill_path ?? []);
  return {
    exit_code,
    ...(signal === null ? {} : { signal }),
    stdout: stdout.text,
    stderr: stderr.text,
    duration_ms,
    ...(held_back.length === 0 ? {} : { held_back }),
    ...(spilled.length === 0 ? {} : { full_output: spilled }),
    ...(leftovers_killed === 0
      ? {}
      : {
          note: `${leftovers_killed === 1 ? '1 process it left running was' : `${leftovers_killed} processes it left running were`} ended. Use run_in_background for what should go on.`,
        }),
  };
}

function failure(end: ProcessEnd, timeout: number, output: object): ToolError {
  if (end.ended === 'timeout') {
    const message = `The command took longer than ${timeout} s and was ended with all it had started.`;
    return new ToolError('TIMEOUT', message, { output: { ...output, note: message } });
  }
  if (end.ended === 'cancelled')
    return new ToolError('CANCELLED', 'The command was ended because the session was cancelled.', { output });
  const how = end.signal === null ? `exit code ${end.exit_code}` : `signal ${end.signal}`;
  return new ToolError('COMMAND_FAILED', `The command ended with ${how}.`, { output });
}

/** Runs a command and records what it changed. The command runs also if the changes cannot be recorded. */
async function keepChanges<T>(
  coordinator: Pick<Coordinator, 'getCapability' | 'report'>,
  run: () => Promise<T>,
): Promise<T> {
  const changes = coordinator.getCapability('session.changes');
  if (!changes) return run();
  const told = (error: unknown) => {
    const message = `What commands change cannot be undone later: ${errorInfo(error).message}`;
    coordinator.report({ level: 'warning', code: 'UNDO_UNAVAILABLE', message });
    return null;
  };
  const ended = await changes.watchCommand().catch(told);
  try {
    return await run();
  } finally {
    await ended?.().catch(told);
  }
}
