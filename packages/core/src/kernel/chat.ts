import type { JsonObject } from '../data/json.js';
import type { Usage } from '../data/usage.js';
import type { ContentBlock, Message } from './messages.js';

/** A tool as it is described to a model. */
export interface ToolSpec {
  name: string;
  description?: string | undefined;
  parameters: JsonObject;
}

/** A model's wish to run a tool. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: JsonObject;
}

export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json' }
  | { type: 'json_schema'; name?: string | undefined; schema: JsonObject };

export interface ChatRequest {
  messages: Message[];
  tools?: ToolSpec[] | undefined;
  tool_choice?: 'auto' | 'none' | 'required' | { name: string } | undefined;
  response_format?: ResponseFormat | undefined;
  model?: string | undefined;
  temperature?: number | undefined;
  top_p?: number | undefined;
  max_output_tokens?: number | undefined;
  reasoning_effort?: string | undefined;
  stop?: string[] | undefined;
  /** Seconds the provider may take for the whole call. */
  timeout?: number | undefined;
  conversation_id?: string | undefined;
  metadata?: JsonObject | undefined;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error' | 'other';

export interface ChatResponse {
  content: ContentBlock[];
  tool_calls?: ToolCall[] | undefined;
  usage?: Usage | undefined;
  finish_reason?: FinishReason | undefined;
  /** The model that really answered, when the provider says so. */
  model?: string | undefined;
  /** What the provider could not honour, in words. */
  degradation?: string[] | undefined;
  metadata?: JsonObject | undefined;
}

/** One step of a streamed answer. Deltas are for eyes only: the response that follows holds all they said. */
export type StreamDelta =
  | { type: 'text'; index: number; text: string }
  | { type: 'thinking'; index: number; text: string }
  | { type: 'tool_call_start'; index: number; id: string; name: string }
  | { type: 'tool_call_arguments'; index: number; text: string };
