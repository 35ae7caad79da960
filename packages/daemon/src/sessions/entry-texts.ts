import type { SessionSummary } from '@amplifier/sessions';
import { LISTED_SESSIONS } from '../defaults.js';
import { entryOf } from './session-schema.js';

/** Entries of listings as JSON. Most of a page is as it was when somebody last asked for it, and comparing is cheap. */
export class EntryTexts {
  readonly #known = new Map<string, { summary: SessionSummary; text: string }>();

  /** A page as the JSON of a list. */
  render(summaries: readonly SessionSummary[]): string {
    return `[${summaries.map((summary) => this.#text(summary)).join(',')}]`;
  }

  #text(summary: SessionSummary): string {
    const { session_id } = summary;
    const known = this.#known.get(session_id);
    if (known && isSame(known.summary, summary)) return known.text;
    const text = JSON.stringify(entryOf(summary));
    this.#known.delete(session_id);
    this.#known.set(session_id, { summary, text });
    const [oldest] = this.#known.keys();
    if (this.#known.size > LISTED_SESSIONS && oldest !== undefined) this.#known.delete(oldest);
    return text;
  }
}

function isSame(a: SessionSummary, b: SessionSummary): boolean {
  for (const key in a) if (a[key as keyof SessionSummary] !== b[key as keyof SessionSummary]) return false;
  return true;
}
