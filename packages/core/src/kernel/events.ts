import type { JsonObject } from '../data/json.js';
import type { ChatRequest, ChatResponse, StreamDelta } from './chat.js';
import type { ErrorInfo } from './errors/amplifier-error.js';
import type { ToolResult } from './tool-result.js';

/** The canonical events. A module may emit names of its own; these are the ones every listener can count on. */
export const EVENTS = {
  SESSION_START: 'session:start',
  SESSION_END: 'session:end',
  SESSION_FORK: 'session:fork',
  SESSION_RESUME: 'session:resume',
  SESSION_CONFIG: 'session:config',
  PROMPT_SUBMIT: 'prompt:submit',
  PROMPT_COMPLETE: 'prompt:complete',
  PLAN_START: 'plan:start',
  PLAN_END: 'plan:end',
  PROVIDER_REQUEST: 'provider:request',
  PROVIDER_RESPONSE: 'provider:response',
  PROVIDER_RETRY: 'provider:retry',
  PROVIDER_WAIT: 'provider:wait',
  PROVIDER_ERROR: 'provider:error',
  PROVIDER_FALLBACK: 'provider:fallback',
  PROVIDER_THROTTLE: 'provider:throttle',
  PROVIDER_TOOL_SEQUENCE_REPAIRED: 'provider:tool_sequence_repaired',
  PROVIDER_RESOLVE: 'provider:resolve',
  LLM_REQUEST: 'llm:request',
  LLM_RESPONSE: 'llm:response',
  CONTENT_BLOCK_START: 'content_block:start',
  CONTENT_BLOCK_DELTA: 'content_block:delta',
  CONTENT_BLOCK_END: 'content_block:end',
  THINKING_DELTA: 'thinking:delta',
  THINKING_FINAL: 'thinking:final',
  TOOL_PRE: 'tool:pre',
  TOOL_POST: 'tool:post',
  TOOL_ERROR: 'tool:error',
  CONTEXT_PRE_COMPACT: 'context:pre_compact',
  CONTEXT_POST_COMPACT: 'context:post_compact',
  CONTEXT_COMPACTION: 'context:compaction',
  CONTEXT_INCLUDE: 'context:include',
  ORCHESTRATOR_COMPLETE: 'orchestrator:complete',
  EXECUTION_START: 'execution:start',
  EXECUTION_END: 'execution:end',
  USER_NOTIFICATION: 'user:notification',
  ARTIFACT_WRITE: 'artifact:write',
  ARTIFACT_READ: 'artifact:read',
  POLICY_VIOLATION: 'policy:violation',
  APPROVAL_REQUIRED: 'approval:required',
  APPROVAL_GRANTED: 'approval:granted',
  APPROVAL_DENIED: 'approval:denied',
  CANCEL_REQUESTED: 'cancel:requested',
  CANCEL_COMPLETED: 'cancel:completed',
  MODULE_ON_SESSION_READY_FAILED: 'module:on_session_ready_failed',
} as const;

export type CanonicalEvent = (typeof EVENTS)[keyof typeof EVENTS];

/** What the kernel adds to each event that somebody listens to. */
export interface EventStamp {
  session_id: string;
  parent_id: string | null;
  timestamp: string;
}

export interface ToolEvent extends JsonObject {
  tool_name: string;
  tool_call_id: string;
  tool_input: JsonObject;
  parallel_group_id: string | null;
}

interface ApprovalEvent extends JsonObject {
  prompt: string;
  event: string;
  hook_name: string;
  /** From the asker's `approval_subject`, else null. Questions about different calls may have the same prompt. */
  question_id: unknown;
}

/** Payloads of the events whose shape is part of a contract. All others are plain objects. */
export interface EventPayloads {
  'session:start': { metadata?: JsonObject };
  'session:resume': { metadata?: JsonObject };
  'session:end': { status: string };
  'session:fork': { parent: string; session_id: string; metadata?: JsonObject; raw?: JsonObject };
  'session:config': { raw: JsonObject };
  'execution:start': { prompt: string };
  'execution:end': { response: string; status: 'completed' | 'cancelled' | 'error' };
  'orchestrator:complete': {
    orchestrator: string;
    turn_count: number;
    status: 'success' | 'incomplete' | 'cancelled';
    metadata?: JsonObject;
  };
  'provider:request': { provider: string; model?: string | undefined; iteration: number };
  'provider:response': { provider: string; model?: string | undefined; response: ChatResponse };
  'provider:error': { provider: string; model?: string | undefined; error: ErrorInfo };
  /** The call waits its turn: for so many seconds, or, with null, until others have ended. */
  'provider:wait': { provider: string; model: string; delay: number | null; reason: string };
  'provider:retry': { provider: string; attempt: number; delay: number; error: ErrorInfo };
  'llm:request': { provider: string; model?: string | undefined; request: ChatRequest };
  'llm:response': { provider: string; model?: string | undefined; usage: ChatResponse['usage'] | null };
  'content_block:delta': { delta: StreamDelta };
  'tool:pre': ToolEvent;
  'tool:post': ToolEvent & { result: ToolResult };
  'tool:error': ToolEvent & { error: ErrorInfo };
  'approval:required': ApprovalEvent & { options: string[]; timeout: number; default: 'allow' | 'deny' };
  'approval:granted': ApprovalEvent & { answer: string };
  'approval:denied': ApprovalEvent & { reason: string };
  'cancel:requested': { level: 'graceful' | 'immediate'; running_tools: string[] };
  'cancel:completed': { was_immediate: boolean; error?: ErrorInfo };
  'module:on_session_ready_failed': { module_id: string; error: ErrorInfo };
}

/** The payload type of an event name: its contract where there is one, any object otherwise. */
export type PayloadOf<Name extends string> = Name extends keyof EventPayloads
  ? EventPayloads[Name]
  : JsonObject;
