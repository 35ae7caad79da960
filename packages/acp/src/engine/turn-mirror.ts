import type { JsonObject } from '@amplifier/core';
import type { Turn } from '@amplifier/delegation';
import type { AgentToolCall } from '../attempt/turn-fold.js';

type MirroredTurn = Pick<Turn, 'launch' | 'log' | 'observe'>;

/** Puts what an agent does where everybody looks: into the session's log, and to whoever watches from above. */
export class TurnMirror {
  #turn: MirroredTurn;
  #lineage: JsonObject;
  #written: Promise<unknown> = Promise.resolve();
  #failure: { error: unknown } | null = null;

  constructor(turn: MirroredTurn) {
    const { launch } = turn;
    const { session_id, parent_id, root_id, depth, tool_call_id, parallel_group_id } = launch;
    this.#turn = turn;
    this.#lineage = {
      session_id,
      parent_id,
      root_id,
      depth,
      agent: launch.agent.name,
      tool_call_id,
      parallel_group_id,
    };
  }

  text(text: string): void {
    this.#turn.log.say('text', text);
    this.emit('content_block:delta', { delta: { type: 'text', index: 0, text } });
  }

  thought(text: string): void {
    this.#turn.log.say('reasoning', text);
    this.emit('thinking:delta', { text });
  }

  toolStarted(call: AgentToolCall, said: string): void {
    const data = { tool_name: call.name, tool_call_id: call.id, parallel_group_id: null };
    this.keep(
      this.#turn.log.appendMessages([
        {
          role: 'assistant',
          content: said,
          tool_calls: [{ id: call.id, tool: call.name, arguments: call.input }],
        },
      ]),
    );
    this.note('tool:pre', data);
    this.emit('tool:pre', { ...data, tool_input: { ...call.input, title: call.title, kind: call.kind } });
  }

  toolEnded(call: AgentToolCall): void {
    const data = { tool_name: call.name, tool_call_id: call.id, parallel_group_id: null };
    const success = call.status === 'completed';
    this.keep(
      this.#turn.log.appendMessages([
        { role: 'tool', name: call.name, tool_call_id: call.id, content: call.output || call.status },
      ]),
    );
    this.note('tool:post', { ...data, success });
    this.emit('tool:post', { ...data, tool_input: call.input, result: { success, output: call.output } });
  }

  /** The last word of the turn. */
  concluded(text: string, finished: boolean): void {
    if (text === '') return;
    const metadata = finished ? {} : { metadata: { reason: 'cancelled' } };
    this.keep(this.#turn.log.appendMessages([{ role: 'assistant', content: text, ...metadata }]));
  }

  note(name: string, data: JsonObject): void {
    this.keep(this.#turn.log.appendEvents([{ name, data }]));
  }

  emit(name: string, data: JsonObject): void {
    const { session_id, parent_id } = this.#turn.launch;
    this.#turn.observe?.(name, { ...data, session_id, parent_id, lineage: this.#lineage });
  }

  /** Throws when something could not be written: then the turn has no record. */
  check(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Resolves when everything is written. Rejects when something could not be. */
  async flush(): Promise<void> {
    await this.#written;
  }

  /** `flush` waits for it, too. */
  keep(writing: Promise<unknown>): void {
    const before = this.#written;
    this.#written = writing.then(() => before);
    this.#written.catch((error: unknown) => {
      this.#failure = { error };
    });
  }
}
