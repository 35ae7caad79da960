import type { ContentBlock, LiveItem } from '@amplifier/core';
import type { TranscriptLine } from '@amplifier/sessions';
import type { AgUiEvent } from './ag-ui-events.js';

/** A message that has begun and not ended: how much of its text was told. */
interface OpenText {
  session_id: string;
  told: string;
}

/**
 * Messages of a tree as AG-UI events. Text is told while it is written; what is stored then tells the rest of it, so that every
 * message is told whole and once, whatever was heard of it before.
 */
export class TellMessages {
  readonly #top: string;
  readonly #emit: (event: AgUiEvent) => void;
  readonly #open = new Map<string, OpenText>();

  constructor(top: string, emit: (event: AgUiEvent) => void) {
    this.#top = top;
    this.#emit = emit;
  }

  /** Text while it is written. What it amounts to is told when it is stored. */
  said(item: LiveItem): void {
    if (item.kind === 'end' || item.part !== 'text') return;
    const { message_id, session_id } = item;
    const known = this.#open.get(message_id)?.told ?? '';
    const piece =
      item.kind === 'snapshot'
        ? item.text.slice(known.length)
        : item.offset <= known.length
          ? item.delta.slice(known.length - item.offset)
          : '';
    if (piece !== '') this.#say(message_id, session_id, piece);
  }

  /** A message that was stored. */
  stored(session_id: string, line: TranscriptLine): void {
    if (line.role === 'assistant') {
      const text = textOf(line.content);
      const told = this.#open.get(line.id)?.told ?? '';
      const rest = text.startsWith(told) ? text.slice(told.length) : '';
      if (rest !== '') this.#say(line.id, session_id, rest);
      this.#end(line.id);
      for (const { id, name, input } of callsOf(line)) this.#call(session_id, line.id, { id, name, input });
    }
    if (line.role === 'tool' && line.tool_call_id !== undefined)
      this.#emit({
        type: 'TOOL_CALL_RESULT',
        messageId: line.id,
        toolCallId: `${session_id}/${line.tool_call_id}`,
        content: textOf(line.content),
        role: 'tool',
        ...this.#by(session_id),
      });
  }

  /** Nothing more is told of what was begun. */
  close(): void {
    for (const id of this.#open.keys()) this.#end(id);
  }

  #say(id: string, session_id: string, delta: string): void {
    const by = this.#by(session_id);
    const open = this.#open.get(id);
    if (!open) this.#emit({ type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant', ...by });
    this.#emit({ type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta, ...by });
    this.#open.set(id, { session_id, told: (open?.told ?? '') + delta });
  }

  #end(id: string): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    this.#emit({ type: 'TEXT_MESSAGE_END', messageId: id, ...this.#by(open.session_id) });
  }

  /** Calls of different sessions may have the same id. */
  #call(session_id: string, message_id: string, call: { id: string; name: string; input: unknown }): void {
    const toolCallId = `${session_id}/${call.id}`;
    const by = this.#by(session_id);
    const parent = { parentMessageId: message_id };
    this.#emit({ type: 'TOOL_CALL_START', toolCallId, toolCallName: call.name, ...parent, ...by });
    this.#emit({ type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(call.input ?? {}), ...by });
    this.#emit({ type: 'TOOL_CALL_END', toolCallId, ...by });
  }

  #by(session_id: string): { subagentRunId?: string } {
    return session_id === this.#top ? {} : { subagentRunId: session_id };
  }
}

function textOf(content: TranscriptLine['content']): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block: ContentBlock) => (block.type === 'text' ? [block.text] : [])).join('');
}

function callsOf({ tool_calls, content }: TranscriptLine): { id: string; name: string; input: unknown }[] {
  if (tool_calls && tool_calls.length > 0)
    return tool_calls.map(({ id, tool, arguments: input }) => ({ id, name: tool, input }));
  const blocks = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) =>
    block.type === 'tool_call' ? [{ id: block.id, name: block.name, input: block.input }] : [],
  );
}
