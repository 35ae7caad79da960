/**
 * The single commands of a shell line, or null where nobody can say what they are without running it: substitutions, redirections,
 * groups, and quotes that do not end. Only what is understood here may be covered by a rule that allows.
 */
export function plainCommands(line: string): string[] | null {
  const parts: string[] = [];
  let part = '';
  let quote: '"' | "'" | null = null;
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string;
    if (quote === "'") {
      if (character === "'") quote = null;
      part += character;
    } else if (character === '\\') {
      if (at + 1 >= line.length || line[at + 1] === '\n') return null;
      part += character + line[++at];
    } else if (character === '`' || (character === '$' && /[({'"]/.test(line[at + 1] ?? ''))) {
      return null;
    } else if (quote === '"') {
      if (character === '"') quote = null;
      part += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      part += character;
    } else if (
      /[<>(){}\r]/.test(character) ||
      (character === '#' && (part === '' || /\s/.test(line[at - 1] ?? '')))
    ) {
      return null;
    } else if (/[;&|\n]/.test(character)) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  if (quote !== null) return null;
  return [...parts, part].map((each) => each.trim()).filter((each) => each !== '');
}

/** Programs that run what is written behind them. */
const RUNS_ANOTHER =
  /(?:^|[\s/;&|(`])(?:(?:ba|da|z|k|fi)?sh|eval|exec|command|builtin|env|sudo|doas|su|xargs|find|nohup|nice|time|timeout|watch|then|do|else|!)\s/;
/** Longer lines are looked at in these many places. */
const MAX_STARTS = 2_000;
/** No system takes a longer one. */
const MAX_LINE = 128 * 1024;
/** What is found in a line that runs a great many things may be many times as long as itself. */
const MAX_FOUND = 1024 * 1024;

/**
 * Every text inside a shell line that might be run as a command, and some that will not be: for rules that forbid or ask. Errs on
 * the side of finding too much. What cannot be written down here (a name in a variable, a script) only the sandbox can hold. Throws
 * for a line that nobody could look through.
 */
export function possibleCommands(line: string): string[] {
  let room = MAX_FOUND;
  if (line.length > MAX_LINE) throw tooLong();
  const pieces = line.split(/[;&|\n\r`(){}]|\$\(|<\(|>\(/);
  const found = new Set<string>([line.trim()]);
  for (const piece of pieces.slice(0, MAX_STARTS)) {
    add(piece);
    add(bare(piece));
    if (RUNS_ANOTHER.test(`${piece} `)) for (const rest of fromEachWord(bare(piece))) add(rest);
  }
  return [...found];

  function add(text: string): void {
    const command = text.trim().replace(/^(?:[A-Za-z_]\w*=\S*\s+)+/, '');
    if (command === '') return;
    room -= 2 * command.length;
    if (room < 0) throw tooLong();
    found.add(command);
    // A program may be named by its place.
    found.add(command.replace(/^\S*\/(?=[^\s/]+)/, ''));
  }
}

function tooLong(): RangeError {
  return new RangeError(
    'The command is too long to be looked through; put it into a script, or do less at once.',
  );
}

/** Quotes and backslashes change nothing about what is run. */
function bare(text: string): string {
  return text.replace(/["'\\]/g, '');
}

function fromEachWord(text: string): string[] {
  const words = text.trim().split(/\s+/).slice(0, 100);
  return words.map((_, at) => words.slice(at).join(' '));
}
