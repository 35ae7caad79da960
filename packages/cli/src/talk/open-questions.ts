import type { Question } from '@amplifier/host';

/** A question as a person sees it: once, however many sessions wait for the answer. */
export interface OpenQuestion {
  question: Question;
  /** Those that ask for the very same thing. */
  others: Question[];
}

const LASTING = /^allow always\b/i;

/** The questions of all sessions of a turn, the oldest first. */
export class OpenQuestions {
  readonly #open: OpenQuestion[] = [];
  /** Answers that last, by what was asked: sessions may put the same question before they hear of the answer. */
  readonly #lasting = new Map<string, string>();

  get first(): OpenQuestion | null {
    return this.#open[0] ?? null;
  }

  /** Returns the lasting answer that was given to the very same question; null when the person has to be asked. */
  add(question: Question): string | null {
    const known = this.#lasting.get(callOf(question) ?? '');
    if (known !== undefined) return known;
    const same = this.#open.find((open) => sameThing(open.question, question));
    if (same) same.others.push(question);
    else this.#open.push({ question, others: [] });
    return null;
  }

  /** Takes the first away, with all that wait for the same answer. */
  take(answer: string): Question[] {
    const open = this.#open.shift();
    if (!open) return [];
    const call = callOf(open.question);
    if (call !== null && LASTING.test(answer)) this.#lasting.set(call, answer);
    return [open.question, ...open.others];
  }

  clear(): void {
    this.#open.length = 0;
  }
}

/** Two approvals are one when the same tool is to be used in the same way, and the same answers are offered. */
function sameThing(a: Question, b: Question): boolean {
  return a.kind === 'approval' && b.kind === 'approval' && keyOf(a) !== null && keyOf(a) === keyOf(b);
}

/** What would be done, and what it would change. */
function keyOf(question: Question): string | null {
  const call = callOf(question);
  return call && JSON.stringify([call, question.subject?.preview]);
}

/** The whole call, and the answers that are offered. */
function callOf({ kind, subject, options }: Question): string | null {
  if (kind !== 'approval' || typeof subject?.digest !== 'string') return null;
  return JSON.stringify([subject.digest, options]);
}
