import { type Message, type MessageGroup, messageTokens, textOf } from '@amplifier/core';
import {
  COMPACTION_TARGET,
  KEEP_RECENT_GROUPS,
  SHORTENED_RESULT_CHARACTERS,
  SHORTENED_TEXT_CHARACTERS,
} from '../defaults.js';

/** How much of a history is left out of the view. It only ever moves forward, so that requests share their beginning. */
export interface ViewState {
  /** Groups before this one are left out, but for the pinned ones. */
  drop_before: number;
  /** Tool results in groups before this one are shortened. */
  shorten_before: number;
}

export const WHOLE_VIEW: ViewState = { drop_before: 0, shorten_before: 0 };

export interface View {
  messages: Message[];
  state: ViewState;
  tokens: number;
}

/**
 * What to send of a history that may be too long. The first and the last user message are always there; groups are
 * whole or absent. When the view of last time still fits, it is kept.
 */
export function compactView(groups: readonly MessageGroup[], budget: number, state: ViewState): View {
  if (state.drop_before === 0 && state.shorten_before === 0) {
    const messages = groups.flat();
    const tokens = size(messages);
    if (tokens <= budget) return { messages, state, tokens };
  }
  const scale = new Scale(groups, state);
  if (scale.tokens > budget) {
    const target = budget * COMPACTION_TARGET;
    const old = Math.max(0, groups.length - KEEP_RECENT_GROUPS);
    scale.shorten(old, target);
    scale.drop(old, target);
    scale.shorten(groups.length, budget);
    scale.drop(groups.length - 1, budget);
  }
  const { tokens, pinned } = scale;
  const next = scale.state;
  const messages = render(groups, next, pinned);
  return tokens <= budget ? { messages, state: next, tokens } : shortenAll(messages, next, budget);
}

/** Weighs a view while its edges move, one group at a time. */
class Scale {
  readonly pinned: ReadonlySet<number>;
  #groups: readonly MessageGroup[];
  #dropBefore: number;
  #shortenBefore: number;
  tokens = 0;

  constructor(groups: readonly MessageGroup[], { drop_before, shorten_before }: ViewState) {
    this.#groups = groups;
    this.#dropBefore = drop_before;
    this.#shortenBefore = shorten_before;
    this.pinned = pinnedGroups(groups);
    groups.forEach((_, index) => {
      if (!this.#isDropped(index)) this.tokens += this.#weight(index);
    });
  }

  get state(): ViewState {
    return { drop_before: this.#dropBefore, shorten_before: this.#shortenBefore };
  }

  shorten(end: number, target: number): void {
    for (; this.#shortenBefore < end && this.tokens > target; this.#shortenBefore++) {
      const index = this.#shortenBefore;
      if (this.#isDropped(index)) continue;
      this.tokens +=
        size(shortenResults(this.#group(index), SHORTENED_RESULT_CHARACTERS)) - this.#weight(index);
    }
  }

  drop(end: number, target: number): void {
    for (; this.#dropBefore < end && this.tokens > target; this.#dropBefore++) {
      if (!this.pinned.has(this.#dropBefore)) this.tokens -= this.#weight(this.#dropBefore);
    }
  }

  #isDropped(index: number): boolean {
    return index < this.#dropBefore && !this.pinned.has(index);
  }

  #weight(index: number): number {
    const group = this.#group(index);
    return size(index < this.#shortenBefore ? shortenResults(group, SHORTENED_RESULT_CHARACTERS) : group);
  }

  #group(index: number): MessageGroup {
    return this.#groups[index] as MessageGroup;
  }
}

function pinnedGroups(groups: readonly MessageGroup[]): ReadonlySet<number> {
  const isUser = ([first]: MessageGroup) => first.role === 'user' && first.metadata?.source !== 'hook';
  return new Set([groups.findIndex(isUser), groups.findLastIndex(isUser)]);
}

function render(
  groups: readonly MessageGroup[],
  { drop_before, shorten_before }: ViewState,
  pinned: ReadonlySet<number>,
): Message[] {
  const messages: Message[] = [];
  let dropped = 0;
  let noteAt = -1;
  groups.forEach((group, index) => {
    if (index < drop_before && !pinned.has(index)) {
      if (noteAt < 0) noteAt = messages.length;
      dropped += group.length;
      return;
    }
    messages.push(...(index < shorten_before ? shortenResults(group, SHORTENED_RESULT_CHARACTERS) : group));
  });
  if (dropped > 0) messages.splice(noteAt, 0, leftOutNote(dropped));
  return messages;
}

function leftOutNote(count: number): Message {
  return {
    role: 'system',
    content: `${count} earlier messages are left out here to save room. They are kept in the session's log; ask for what you miss or look it up again.`,
    metadata: { synthetic: true },
  };
}

/** The last resort: every long text is cut, the newest message last of all. */
function shortenAll(messages: readonly Message[], state: ViewState, budget: number): View {
  let limit = SHORTENED_TEXT_CHARACTERS;
  let shortened = [...messages];
  let tokens = size(shortened);
  while (tokens > budget && limit >= 100) {
    const cut = limit;
    shortened = messages.map((message) => shorten(message, cut));
    tokens = size(shortened);
    limit = Math.floor(limit / 2);
  }
  return { messages: shortened, state, tokens };
}

function shortenResults(group: readonly Message[], limit: number): Message[] {
  return group.map((message) => (message.role === 'tool' ? shorten(message, limit) : message));
}

const shortForms = new WeakMap<Message, Map<number, Message>>();

/** The same message always gives the same short form, object and all. */
function shorten(message: Message, limit: number): Message {
  const text = textOf(message.content);
  if (text.length <= limit * 1.25 && typeof message.content === 'string') return message;
  const known = shortForms.get(message) ?? new Map<number, Message>();
  shortForms.set(message, known);
  const short = known.get(limit) ?? cutMessage(message, text, limit);
  known.set(limit, short);
  return short;
}

function cutMessage(message: Message, text: string, limit: number): Message {
  const content = text.length <= limit * 1.25 ? text : cut(text, limit);
  if (typeof message.content === 'string' || message.role === 'tool') return { ...message, content };
  // Blocks beside text stay: calls must keep their ids, thinking its signature.
  const others = message.content.filter((block) => block.type !== 'text');
  return {
    ...message,
    content: [...(content === '' ? [] : [{ type: 'text' as const, text: content }]), ...others],
  };
}

function cut(text: string, limit: number): string {
  const head = text.slice(0, Math.ceil(limit * 0.75)).toWellFormed();
  const tail = text.slice(-Math.floor(limit * 0.25)).toWellFormed();
  return `${head}\n[… ${text.length - limit} characters left out …]\n${tail}`;
}

export function size(messages: readonly Message[]): number {
  let tokens = 0;
  for (const message of messages) tokens += messageTokens(message);
  return tokens;
}
