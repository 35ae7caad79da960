import {
  type ChatResponse,
  type Message,
  NO_USAGE,
  type Provider,
  type TurnRuntime,
  type Usage,
} from '@amplifier/core';
import type { LoopConfig } from './loop-config.js';

/** A provider that can be asked. */
export interface Candidate {
  /** The name it is mounted under. */
  mounted_as: string;
  provider: Provider;
  /** As events name it. */
  name: { provider: string; model: string };
}

/** Text that goes with the next request only. */
export interface Injection {
  role: 'system' | 'user' | 'assistant';
  content: string;
  append_to_last_tool_result: boolean;
}

/** What one turn knows of itself while it runs. */
export interface Turn {
  readonly runtime: TurnRuntime;
  readonly config: LoopConfig;
  readonly streaming: boolean;
  /** Model calls so far. */
  iterations: number;
  /** The last thing the model said. */
  response: string;
  /** What the running model call has streamed so far. */
  partial: string;
  /** Has the running model call shown anything to anybody? */
  shown: boolean;
  /** Estimated size of the last request. */
  sent_tokens: number;
  usage: Usage;
  /** The model that answered. The turn stays with it. */
  candidate: Candidate | null;
  model: string | null;
  injections: Injection[];
  /** Ids of all tool calls in the history: a result is found by its call's id, also in the session's log. */
  readonly call_ids: Set<string>;
}

type TurnReason = 'max_iterations' | 'empty_response' | 'content_filter' | 'length' | 'cancelled' | 'error';

export interface TurnEnd {
  response: string;
  status: 'success' | 'incomplete' | 'cancelled';
  reason: TurnReason | null;
}

export function newTurn(runtime: TurnRuntime, config: LoopConfig, streaming: boolean): Turn {
  return {
    runtime,
    config,
    streaming,
    iterations: 0,
    response: '',
    partial: '',
    shown: false,
    sent_tokens: 0,
    usage: NO_USAGE,
    candidate: null,
    model: null,
    injections: [],
    call_ids: new Set(),
  };
}

/** An answer as the history keeps it. */
export function answerMessage(
  { content, tool_calls = [] }: ChatResponse,
  metadata?: Message['metadata'],
): Message {
  const message: Message = { role: 'assistant', content };
  if (tool_calls.length > 0)
    message.tool_calls = tool_calls.map(({ id, name, arguments: input }) => ({
      id,
      tool: name,
      arguments: input,
    }));
  if (metadata) message.metadata = metadata;
  return message;
}
