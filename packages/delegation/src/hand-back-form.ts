import { z } from 'zod';
import { SUMMARY_CHARACTERS } from './defaults.js';

/** `whole`: the answer as it is, cut where it is too long. `summary`: the child is asked to write it to fit. */
export const HandBack = z.enum(['whole', 'summary']);
export type HandBack = z.infer<typeof HandBack>;

interface Wish {
  max_result?: number | null | undefined;
  hand_back?: HandBack | null | undefined;
}

/** How many characters of the answer the caller gets; undefined for as many as anybody gets. */
export function resultLimit({ max_result, hand_back }: Wish): number | undefined {
  return max_result ?? (hand_back === 'summary' ? SUMMARY_CHARACTERS : undefined);
}

/** What a child that is to sum up is told with its task; empty for any other. */
export function summaryRequest(wish: Wish): string {
  if (wish.hand_back !== 'summary') return '';
  return `[HAND BACK A SUMMARY]\nYour last message is handed back. Write it in at most ${resultLimit(wish)} characters: what you found or did, what it rests on, what is open. Everything else stays readable in your session.`;
}
