import { posix } from 'node:path';
import { afterOptions, programName } from '../../shell/command-runners.js';
import type { ShellCommands } from '../../shell/load-shell-parser.js';
import { SEVERAL, UNKNOWN } from '../../shell/unknown-text.js';

/** The commands of a line as rules are compared with them. */
export interface CommandTexts extends Pick<ShellCommands, 'hidden' | 'plain'> {
  /** The line itself, and each command in it: by its full and its bare name, with and without options before its first operand. */
  texts: readonly string[];
  /** Those of the texts with unknown parts, also without the words that may be none. */
  possible: readonly string[];
}

/** Options are left out in many ways, so the texts may be many times as long as the line. */
const MAX_TEXTS = 1024 * 1024;

export function commandTexts(line: string, { commands, hidden, plain }: ShellCommands): CommandTexts {
  const texts = new Set([line.trim().replace(/[ \t]+/g, ' ')]);
  let room = MAX_TEXTS;
  for (const [name = '', ...rest] of commands) {
    for (const tail of tails(rest)) {
      for (const each of new Set([name, posix.normalize(name), programName(name)])) {
        const text = [each, ...tail].join(' ');
        room -= text.length + 1;
        if (room < 0) return { texts: [...texts], possible: [], hidden: 'it is too long', plain: null };
        texts.add(text);
      }
    }
  }
  const possible = [...texts].filter((text) => text.includes(UNKNOWN));
  const shorter = possible.map((text) => text.replaceAll(` ${SEVERAL}`, ''));
  return { texts: [...texts], possible: [...new Set([...possible, ...shorter])], hidden, plain };
}

/** `git -C x push` is `git push`, too. */
function* tails(args: readonly string[]): Generator<readonly string[]> {
  yield args;
  if (args[0]?.startsWith('-')) yield* afterOptions(args);
}
