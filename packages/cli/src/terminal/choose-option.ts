import type { Cli } from '../cli.js';
import { answerForKey } from '../talk/ask-person.js';
import { wrap } from './fit.js';
import { control, writeError } from './screen.js';

const UP = ['\x1b[A', '\x1bOA'];
const DOWN = ['\x1b[B', '\x1bOB'];

/** What a person did at a question: an option, or Ctrl-C. Ctrl-D is the option that says no. */
export type Choice = { option: string } | 'interrupt';

/** Can options be chosen by a key here, without a line that is entered? */
export function canChoose(): boolean {
  const { TERM, AMPLIFIER_SCREEN_READER } = process.env;
  return Boolean(process.stdin.isTTY) && TERM !== 'dumb' && !AMPLIFIER_SCREEN_READER;
}

/** Lets a person choose with arrows and Enter, or by one key. Rejects when the signal aborts. What is shown stays, with the answer. */
export function chooseOption(cli: Cli, options: readonly string[], signal: AbortSignal): Promise<Choice> {
  const { stdin } = process;
  let chosen = 0;
  let drawn = 0;
  return new Promise<Choice>((resolve, reject) => {
    const end = (settle: () => void) => {
      stdin.off('data', press);
      stdin.off('end', gone);
      signal.removeEventListener('abort', stopped);
      stdin.setRawMode(false);
      stdin.pause();
      settle();
    };
    const stopped = () => end(() => reject(signal.reason));
    const gone = () => end(() => resolve('interrupt'));
    // Of keys that come together only the first counts: the rest was not meant for the next question.
    const press = (data: Buffer) => {
      const key = data.toString();
      if (key.startsWith('\x03')) return end(() => resolve('interrupt'));
      if (UP.some((up) => key.startsWith(up))) return move(-1);
      if (DOWN.some((down) => key.startsWith(down))) return move(1);
      const no = answerForKey({ options: [...options] }, 'n');
      const option = /^[\r\n]/.test(key)
        ? options[chosen]
        : key.startsWith('\x04')
          ? no
          : answerForKey({ options: [...options] }, key.charAt(0));
      if (!option) return;
      chosen = options.indexOf(option);
      erase();
      draw();
      end(() => resolve({ option }));
    };
    stdin.setRawMode(true);
    stdin.on('data', press);
    stdin.on('end', gone);
    stdin.resume();
    // Only now can a key be pressed that means something.
    draw();
    signal.addEventListener('abort', stopped, { once: true });
    if (signal.aborted) stopped();
  });

  function move(by: number): void {
    chosen = (chosen + options.length + by) % options.length;
    erase();
    draw();
  }

  function draw(): void {
    const width = Math.max(20, (process.stderr.columns || cli.width) - 1);
    const lines = options.flatMap((option, index) =>
      wrap(`${index + 1}. ${option}`, width - 5).map((line, at) => {
        const shown = at === 0 ? `${index === chosen ? '❯' : ' '} ${line}` : `     ${line}`;
        return index === chosen ? cli.color.bold(shown) : shown;
      }),
    );
    writeError(lines.map((line) => `${line}\n`).join(''));
    drawn = lines.length;
  }

  function erase(): void {
    writeError(`${control(`[${drawn}A`)}${control('[0J')}`);
  }
}
