import { createInterface } from 'node:readline/promises';

/** Asks at the terminal. Anything but a clear yes is a no. */
export async function askYesNo(question: string): Promise<boolean> {
  const keyboard = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  try {
    // Ctrl-C at a question ends the program, as it does before any turn.
    keyboard.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    return /^y(es)?$/i.test((await keyboard.question(question)).trim());
  } finally {
    keyboard.close();
  }
}
