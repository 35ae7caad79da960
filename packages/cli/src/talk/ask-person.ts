import { previewLines, type Question } from '@amplifier/host';
import type { Cli } from '../cli.js';

/** How a question is put to a person: who asks comes first, by its id once, and then what would be done. */
export function questionText(question: Question, color: Cli['color']): string {
  const { agent, session_id, prompt, options } = question;
  const who = color.bold(agent ?? 'amplifier');
  const asked = prompt.includes(session_id)
    ? color.bold(prompt)
    : `${who} ${color.dim(`(${session_id})`)} asks: ${prompt}`;
  const choices = options.map((option, index) => `  ${index + 1}. ${option}`);
  return [`\n${asked}`, ...previewLines(question.subject, color), ...choices].join('\n');
}

/** What a typed line means as an answer: a number or the beginning of an option; anything where there are no options. */
export function readAnswer({ options }: Question, line: string): string | null {
  const typed = line.trim();
  if (options.length === 0) return typed === '' ? null : typed;
  const byNumber = options[Number(typed) - 1];
  if (/^\d+$/.test(typed)) return byNumber ?? null;
  const byLetter = /^[yna]$/i.test(typed) ? answerForKey({ options }, typed) : null;
  if (byLetter) return byLetter;
  const exact = options.find((option) => option.toLowerCase() === typed.toLowerCase());
  if (exact) return exact;
  const fitting = options.filter(
    (option) => typed !== '' && option.toLowerCase().startsWith(typed.toLowerCase()),
  );
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

const MEANT: Record<string, RegExp> = { y: /^(allow once|allow|yes)\b/i, n: /^(deny|no)\b/i, a: /always/i };

/** The option that one key means: its number, y for yes this once, n for no, a for always. */
export function answerForKey({ options }: Pick<Question, 'options'>, key: string): string | null {
  if (/^[1-9]$/.test(key)) return options[Number(key) - 1] ?? null;
  const meant = MEANT[key.toLowerCase()];
  return options.find((option) => meant?.test(option)) ?? null;
}
