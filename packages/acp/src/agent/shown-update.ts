import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { shownText } from '@amplifier/core';

/** The members of an update that an editor shows as they are. Diffs and raw inputs are data, and stay exact. */
const SHOWN = new Set(['text', 'title', 'content', 'entries']);

/** An update whose texts are fit to be shown: editors draw them in terminals, too. */
export function shownUpdate<T extends SessionUpdate>(update: T): T {
  return shown(update) as T;
}

function shown(value: unknown): unknown {
  if (typeof value === 'string') return shownText(value);
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [
    key,
    SHOWN.has(key) ? shown(member) : member,
  ]);
  return Object.fromEntries(entries);
}
