import type { Tool } from '@amplifier/core';
import { mountedSession } from '@amplifier/testkit';
import {
  type Attributes,
  type Context,
  type Span,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import module from './index.js';

interface RecordedSpan {
  name: string;
  id: string;
  trace: string;
  parent: string | null;
  attributes: Attributes;
  status: SpanStatus | null;
  ended: boolean;
}

/** A tracer of the API that keeps its spans: the hook must work against any. */
function recordingTracer(): { tracer: Tracer; spans: RecordedSpan[] } {
  const spans: RecordedSpan[] = [];
  const startSpan = (name: string, options: SpanOptions = {}, context?: Context): Span => {
    const parent = context ? trace.getSpanContext(context) : undefined;
    const id = String(spans.length + 1).padStart(16, '0');
    const record: RecordedSpan = {
      name,
      id,
      trace: parent?.traceId ?? 'a'.repeat(32),
      parent: parent?.spanId ?? null,
      attributes: { ...options.attributes },
      status: null,
      ended: false,
    };
    spans.push(record);
    const span = {
      spanContext: () => ({ traceId: record.trace, spanId: id, traceFlags: 1 }),
      setAttribute: (key: string, value: string) => Object.assign(record.attributes, { [key]: value }),
      setAttributes: (attributes: Attributes) => Object.assign(record.attributes, attributes),
      setStatus: (status: SpanStatus) => Object.assign(record, { status }),
      addEvent: () => {},
      end: () => Object.assign(record, { ended: true }),
    };
    return span as unknown as Span;
  };
  return { spans, tracer: { startSpan } as unknown as Tracer };
}

let spans: RecordedSpan[];
beforeEach(() => {
  const recording = recordingTracer();
  spans = recording.spans;
  trace.setGlobalTracerProvider({ getTracer: () => recording.tracer });
});
afterEach(() => trace.disable());

const failing: Tool = {
  name: 'failing',
  description: '',
  inputSchema: {},
  execute: async () => ({ success: false, error: { message: 'no', code: 'NOT_FOUND' } }),
};
const TRACEPARENT = `00-${'b'.repeat(32)}-${'c'.repeat(16)}-01`;

it('makes a span for the turn with one below it for each model call and each tool call', async () => {
  await using mounted = await mountedSession({
    id: 's1',
    hookModules: { 'hooks-otel': module },
    script: [
      {
        tool_calls: [{ name: 'failing', arguments: { secret: 1 } }],
        usage: { input_tokens: 7, cost_usd: '0.01' },
      },
      { text: 'Done.' },
    ],
    tools: [failing],
  });
  await mounted.session.execute('the prompt');
  const [turn, chat, tool] = spans;
  expect(spans.map(({ name }) => name)).toEqual(['invoke_agent', 'chat', 'execute_tool failing', 'chat']);
  expect(spans.every(({ ended }) => ended)).toBe(true);
  expect(spans.slice(1).every(({ parent }) => parent === turn?.id)).toBe(true);
  expect(chat?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'scripted',
    'gen_ai.response.model': 'scripted-1',
    'gen_ai.usage.input_tokens': 7,
    'gen_ai.conversation.id': 's1',
    'amplifier.cost_usd': '0.01',
  });
  expect(tool).toMatchObject({
    attributes: { 'gen_ai.tool.name': 'failing', 'gen_ai.tool.call.id': 'call_1', 'error.type': 'NOT_FOUND' },
    status: { code: SpanStatusCode.ERROR },
  });
  expect(JSON.stringify(spans)).not.toMatch(/the prompt|secret/);
});

it('hangs the turn of a child below the span its launch names, and offers its own to the next', async () => {
  const seen: (string | null | undefined)[] = [];
  const peek: Tool = {
    ...failing,
    name: 'peek',
    execute: async (_input, { coordinator, tool_call_id }) => {
      seen.push(coordinator.getCapability('otel.traceparent')?.(tool_call_id));
      return { success: true };
    },
  };
  const metadata = { agent_name: 'builder', traceparent: TRACEPARENT };
  await using mounted = await mountedSession({
    parent_id: 'root',
    hookModules: { 'hooks-otel': module },
    script: [{ tool_calls: [{ name: 'peek' }] }, { text: 'Done.' }],
    tools: [peek],
    plan: {
      session: { orchestrator: 'loop-minimal', context: 'context-memory', metadata },
      hooks: ['hooks-otel'],
    },
  });
  await mounted.session.execute('go');
  expect(spans[0]).toMatchObject({
    name: 'invoke_agent builder',
    trace: 'b'.repeat(32),
    parent: 'c'.repeat(16),
    attributes: { 'gen_ai.agent.name': 'builder', 'amplifier.parent_session.id': 'root' },
  });
  expect(seen).toEqual([`00-${'b'.repeat(32)}-${spans[2]?.id}-01`]);
});

it('closes every span when the model fails', async () => {
  await using mounted = await mountedSession({
    hookModules: { 'hooks-otel': module },
    script: [{ error: new Error('down') }],
  });
  await expect(mounted.session.execute('go')).rejects.toThrow('down');
  expect(spans.every(({ ended }) => ended)).toBe(true);
  expect(spans[0]?.status?.code).toBe(SpanStatusCode.ERROR);
});

it('does nothing harmful when the app has no SDK', async () => {
  trace.disable();
  await using mounted = await mountedSession({ hookModules: { 'hooks-otel': module } });
  expect(await mounted.session.execute('go')).toBe('Done.');
  expect(mounted.session.coordinator.diagnostics).toEqual([]);
});
