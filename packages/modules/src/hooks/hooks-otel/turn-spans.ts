import type { ChatResponse, ErrorInfo, JsonObject, ToolResult } from '@amplifier/core';
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

export interface SpanOwner {
  agent: string | null;
  session_id: string;
  parent_id: string | null;
  traceparent: string | null;
  capture_content: boolean;
  now(): number;
}

/** The open spans of one session: at most one turn, one model call in it, and any number of tool calls. */
export class TurnSpans {
  #tracer: Tracer;
  #owner: SpanOwner;
  #turn: Span | undefined;
  #chat: Span | undefined;
  #tools = new Map<string, Span>();

  constructor(tracer: Tracer, owner: SpanOwner) {
    this.#tracer = tracer;
    this.#owner = owner;
  }

  startTurn({ prompt }: JsonObject): void {
    const { agent, traceparent, capture_content } = this.#owner;
    const parent = traceparent === null ? null : readTraceparent(traceparent);
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    this.#turn = this.#start(
      agent === null ? 'invoke_agent' : `invoke_agent ${agent}`,
      SpanKind.INTERNAL,
      context,
      {
        'gen_ai.operation.name': 'invoke_agent',
        ...(capture_content
          ? { 'gen_ai.input.messages': JSON.stringify([{ role: 'user', content: prompt }]) }
          : {}),
      },
    );
  }

  startChat({ provider, model, iteration }: JsonObject): void {
    this.#chat?.end(this.#owner.now());
    this.#chat = this.#start(model ? `chat ${model}` : 'chat', SpanKind.CLIENT, this.#inTurn(), {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': String(provider),
      ...(model ? { 'gen_ai.request.model': String(model) } : {}),
      'amplifier.iteration': Number(iteration),
    });
  }

  endChat(data: JsonObject): void {
    this.#chat?.setAttributes(responseAttributes(data.response as ChatResponse));
    this.#endChat();
  }

  failChat({ error }: JsonObject): void {
    if (this.#chat) fail(this.#chat, error as ErrorInfo);
    this.#endChat();
  }

  noteRetry({ attempt, delay, error }: JsonObject): void {
    const { type, message } = error as ErrorInfo;
    const attributes = { attempt: Number(attempt), delay_s: Number(delay), 'error.type': type, message };
    this.#chat?.addEvent('retry', attributes, this.#owner.now());
  }

  startTool({ tool_name, tool_call_id, tool_input }: JsonObject): void {
    const input = this.#owner.capture_content
      ? { 'gen_ai.tool.call.arguments': JSON.stringify(tool_input) }
      : {};
    const span = this.#start(`execute_tool ${tool_name}`, SpanKind.INTERNAL, this.#inTurn(), {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': String(tool_name),
      'gen_ai.tool.call.id': String(tool_call_id),
      'gen_ai.tool.type': 'function',
      ...input,
    });
    this.#tools.set(String(tool_call_id), span);
  }

  endTool({ tool_call_id, result }: JsonObject): void {
    const { success, error } = result as ToolResult;
    const span = this.#tools.get(String(tool_call_id));
    if (span && !success) fail(span, { type: error?.code ?? 'tool_failed', message: error?.message ?? '' });
    this.#endTool(String(tool_call_id));
  }

  failTool({ tool_call_id, error }: JsonObject): void {
    const span = this.#tools.get(String(tool_call_id));
    if (span) fail(span, error as ErrorInfo);
    this.#endTool(String(tool_call_id));
  }

  /** The turn is over: nothing stays open, also of what never got its own ending. */
  endAll(status: string): void {
    for (const id of [...this.#tools.keys()]) this.#endTool(id);
    this.#endChat();
    if (status !== 'completed' && this.#turn)
      fail(this.#turn, { type: status, message: `The turn ended: ${status}.` });
    this.#turn?.end(this.#owner.now());
    this.#turn = undefined;
  }

  traceparent(toolCallId?: string): string | null {
    const span = (toolCallId === undefined ? undefined : this.#tools.get(toolCallId)) ?? this.#turn;
    const context = span?.spanContext();
    return context && isSpanContextValid(context) ? formatTraceparent(context) : null;
  }

  #start(name: string, kind: SpanKind, context: Context, attributes: Attributes): Span {
    const { agent, session_id, parent_id, now } = this.#owner;
    const whose: Attributes = { 'gen_ai.conversation.id': session_id };
    if (agent !== null) whose['gen_ai.agent.name'] = agent;
    if (parent_id !== null) whose['amplifier.parent_session.id'] = parent_id;
    return this.#tracer.startSpan(
      name,
      { kind, startTime: now(), attributes: { ...whose, ...attributes } },
      context,
    );
  }

  #inTurn(): Context {
    return this.#turn ? trace.setSpan(ROOT_CONTEXT, this.#turn) : ROOT_CONTEXT;
  }

  #endChat(): void {
    this.#chat?.end(this.#owner.now());
    this.#chat = undefined;
  }

  #endTool(id: string): void {
    this.#tools.get(id)?.end(this.#owner.now());
    this.#tools.delete(id);
  }
}

function responseAttributes({ usage, finish_reason, model }: ChatResponse): Attributes {
  const attributes: Attributes = {};
  if (model !== undefined) attributes['gen_ai.response.model'] = model;
  if (finish_reason !== undefined) attributes['gen_ai.response.finish_reasons'] = [finish_reason];
  if (!usage) return attributes;
  attributes['gen_ai.usage.input_tokens'] = usage.input_tokens;
  attributes['gen_ai.usage.output_tokens'] = usage.output_tokens;
  if (usage.cache_read_tokens !== undefined)
    attributes['gen_ai.usage.cache_read.input_tokens'] = usage.cache_read_tokens;
  if (usage.cache_write_tokens !== undefined)
    attributes['gen_ai.usage.cache_creation.input_tokens'] = usage.cache_write_tokens;
  if (usage.cost_usd !== null) attributes['amplifier.cost_usd'] = usage.cost_usd;
  return attributes;
}

function fail(span: Span, { type, code, message }: ErrorInfo): void {
  span.setAttribute('error.type', code ?? type);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const ZEROS = /^0+$/;

/** Reads a W3C `traceparent`; null for one that is not. */
function readTraceparent(header: string): SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header) ?? [];
  if (!traceId || !spanId || !flags || ZEROS.test(traceId) || ZEROS.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
