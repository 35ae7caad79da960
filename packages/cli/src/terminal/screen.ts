import { randomBytes } from 'node:crypto';
import { shownJson, shownText } from '@amplifier/host';

const OWN_MARK = Symbol.for('amplifier.own-sequences');

/**
 * All that this program writes to a terminal goes through here. Sequences of our own begin with a word that nobody outside this
 * process knows; whatever else looks like one came from a model, a tool or a file, and is made visible.
 */
const OWN = ownMark();
const OWN_SEQUENCE = new RegExp(`${OWN}(\\[[?\\d;]*[A-Za-z])`);

/** One for the process: this file is in several bundles, and what one of them writes another must know. */
function ownMark(): string {
  const shared = globalThis as { [OWN_MARK]?: string };
  shared[OWN_MARK] ??= `\u001b${randomBytes(6).toString('hex')}`;
  return shared[OWN_MARK];
}

/** A control sequence of ours, such as `[2K`. */
export function control(sequence: string): string {
  return `${OWN}${sequence}`;
}

/** The text as a terminal may have it. */
export function screenText(text: string): string {
  if (!text.includes(OWN)) return shownText(text);
  // Every second part is the tail of a sequence of ours.
  return text
    .split(OWN_SEQUENCE)
    .map((part, index) => (index % 2 === 0 ? shownText(part) : `\u001b${part}`))
    .join('');
}

export function writeOut(text: string): void {
  process.stdout.write(screenText(text));
}

/** Lines of the Markdown renderer. The sequences in them are its own: those of the text were made visible before. */
export function writeRendered(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

export function writeError(text: string): void {
  process.stderr.write(screenText(text));
}

/** One JSON document for programs; `indent` for people who look at it. */
export function writeJson(value: unknown, indent = 0): void {
  process.stdout.write(`${shownJson(JSON.stringify(value, null, indent))}\n`);
}

const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  cyan: [36, 39],
} as const;

export type Colors = Record<keyof typeof STYLES, (text: string) => string>;

export function colors(enabled: boolean): Colors {
  const paint = ([open, close]: readonly [number, number]) =>
    enabled
      ? (text: string) => `${control(`[${open}m`)}${text}${control(`[${close}m`)}`
      : (text: string) => text;
  return Object.fromEntries(Object.entries(STYLES).map(([name, codes]) => [name, paint(codes)])) as Colors;
}
