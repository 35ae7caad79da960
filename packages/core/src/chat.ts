import { z } from 'zod';
import { ContentBlock, Message } from './messages.js';
import { Usage } from './usage.js';

/** A tool as it is described to a model. */
export const ToolSpec = z.object({
  name: z.string(),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()),
});
export type ToolSpec = z.infer<typeof ToolSpec>;

/** A model's wish to run a tool. */
export const ToolCall = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
});
export type ToolCall = z.infer<typeof ToolCall>;

export const ResponseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json') }),
  z.object({
    type: z.literal('json_schema'),
    name: z.string().optional(),
    schema: z.record(z.string(), z.unknown()),
  }),
]);
export type ResponseFormat = z.infer<typeof ResponseFormat>;

export const ChatRequest = z.object({
  messages: z.array(Message),
  tools: z.array(ToolSpec).optional(),
  tool_choice: z.union([z.enum(['auto', 'none', 'required']), z.object({ name: z.string() })]).optional(),
  response_format: ResponseFormat.optional(),
  model: z.string().optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  max_output_tokens: z.number().int().positive().optional(),
  reasoning_effort: z.string().optional(),
  stop: z.array(z.string()).optional(),
  /** Seconds the provider may take for the whole call. */
  timeout: z.number().positive().optional(),
  conversation_id: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

export const FinishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'error', 'other']);
export type FinishReason = z.infer<typeof FinishReason>;

export const ChatResponse = z.object({
  content: z.array(ContentBlock),
  tool_calls: z.array(ToolCall).optional(),
  usage: Usage.optional(),
  finish_reason: FinishReason.optional(),
  /** The model that really answered, when the provider says so. */
  model: z.string().optional(),
  /** What the provider could not honour, in words. */
  degradation: z.array(z.string()).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type ChatResponse = z.infer<typeof ChatResponse>;

/** One step of a streamed answer. Deltas are for eyes only: the response that follows holds all they said. */
export type StreamDelta =
  | { type: 'text'; index: number; text: string }
  | { type: 'thinking'; index: number; text: string }
  | { type: 'tool_call_start'; index: number; id: string; name: string }
  | { type: 'tool_call_arguments'; index: number; text: string };
