import type { Question } from '@amplifier/host';
import type { Cli } from '../cli.js';

/** How a question is put to a person: who asks comes first. */
export function questionText({ agent, session_id, prompt, options }: Question, color: Cli['color']): string {
  const who = color.bold(agent ?? 'amplifier');
  const choices = options.map((option, index) => `  ${index + 1}. ${option}`);
  return [`\n${who} ${color.dim(`(${session_id})`)} asks: ${prompt}`, ...choices].join('\n');
}

/** What a typed line means as an answer: a number or the beginning of an option; anything where there are no options. */
export function readAnswer({ options }: Question, line: string): string | null {
  const typed = line.trim();
  if (options.length === 0) return typed === '' ? null : typed;
  const byNumber = options[Number(typed) - 1];
  if (/^\d+$/.test(typed)) return byNumber ?? null;
  const exact = options.find((option) => option.toLowerCase() === typed.toLowerCase());
  if (exact) return exact;
  const fitting = options.filter(
    (option) => typed !== '' && option.toLowerCase().startsWith(typed.toLowerCase()),
  );
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}
