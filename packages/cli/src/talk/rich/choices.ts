import type { Question } from '@amplifier/host';
import { matchesKey, wrapTextWithAnsi } from '@earendil-works/pi-tui';
import { screenText } from '../../terminal/screen.js';
import { answerForKey } from '../ask-person.js';
import type { Theme } from './theme.js';

/** The answers to a question, one of them chosen. */
export class Choices {
  readonly #options: readonly string[];
  #chosen = 0;

  constructor({ options }: Pick<Question, 'options'>) {
    this.#options = options;
  }

  /** The answer that says no. */
  get no(): string | null {
    return answerForKey({ options: [...this.#options] }, 'n');
  }

  /** What a key means: an answer, `moved` to another one, or `other` when it means nothing here. */
  press(key: string): { answer: string } | 'moved' | 'other' {
    const options = this.#options;
    if (matchesKey(key, 'up') || matchesKey(key, 'down')) {
      const by = matchesKey(key, 'up') ? options.length - 1 : 1;
      this.#chosen = (this.#chosen + by) % options.length;
      return 'moved';
    }
    const answer = matchesKey(key, 'enter')
      ? options[this.#chosen]
      : answerForKey({ options: [...options] }, key);
    return answer ? { answer } : 'other';
  }

  lines(width: number, { bold }: Theme): string[] {
    return this.#options.flatMap((option, index) => {
      const isChosen = index === this.#chosen;
      // What an answer covers is read to its end before it is given.
      const lines = wrapTextWithAnsi(`${index + 1}. ${screenText(option)}`, width - 5);
      return lines.map((line, at) => {
        const shown = at === 0 ? `${isChosen ? '❯' : ' '} ${line}` : `     ${line}`;
        return isChosen ? bold(shown) : shown;
      });
    });
  }
}
