import { type Command, CommanderError } from 'commander';
import { EXIT } from './exit-codes.js';
import type { LoadScript } from './load-script.js';
import { buildProgram } from './program/build-program.js';
import { onOutputUnread, tellReaderGone } from './reader-gone.js';

/** Runs one command line to its exit code. Ends the process itself only if its output is not read. */
export async function main(args: readonly string[], loadScript: LoadScript): Promise<number> {
  const unread = new Promise<void>(onOutputUnread);
  let code: number = EXIT.completed;
  watchPipes();
  const program = buildProgram(loadScript, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    code = await exitCodeOf(error, program);
  }
  void unread.then(() => process.exit(code));
  return code;
}

async function exitCodeOf(error: unknown, program: Command): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.completed : EXIT.usage;
  // Output that cannot be written because the reader has closed the pipe is not reported.
  if (process.exitCode === EXIT.closed_pipe) return EXIT.closed_pipe;
  const { showError } = await import('./output/show-error.js');
  return showError(error, program.opts());
}

/** A reader that went away is no failure of ours: end quietly, whatever was left to say. */
function watchPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exitCode = EXIT.closed_pipe;
      tellReaderGone();
    });
  }
}
