import { CommanderError } from 'commander';
import { EXIT } from './exit-codes.js';
import type { LoadScript } from './load-script.js';
import { buildProgram } from './program.js';
import { onOutputUnread, tellReaderGone } from './reader-gone.js';

/** Runs one command line to its exit code. Only output that is not read makes it end the process itself. */
export async function main(args: readonly string[], loadScript: LoadScript): Promise<number> {
  const unread = new Promise<void>(onOutputUnread);
  const code = await runProgram(args, loadScript);
  void unread.then(() => process.exit(code));
  return code;
}

async function runProgram(args: readonly string[], loadScript: LoadScript): Promise<number> {
  let code: number = EXIT.completed;
  watchPipes();
  const program = buildProgram(loadScript, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.completed : EXIT.usage;
    // What could not be written because the reader went away is told to nobody.
    if (process.exitCode === EXIT.closed_pipe) return EXIT.closed_pipe;
    const { showError } = await import('./show-error.js');
    return showError(error, program.opts());
  }
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
