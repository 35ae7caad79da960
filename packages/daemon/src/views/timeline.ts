import { isPlainObject } from '@amplifier/core';
import type { SessionEvent } from '@amplifier/sessions';
import { z } from '@hono/zod-openapi';

const time = z.string().openapi({ format: 'date-time' });
export const SpanView = z
  .object({
    session_id: z.string(),
    kind: z.enum(['turn', 'model', 'tool', 'wait']),
    name: z.string().openapi({ description: 'The model, the tool, or what it waits for.' }),
    start: time,
    end: time.nullable().openapi({ description: 'Null while it continues.' }),
    ok: z.boolean().nullable(),
    tokens: z.int().nullable(),
    cost_usd: z.string().nullable(),
    seq: z.int().openapi({ description: 'The event that ended it, else the one that started it.' }),
    tool_call_id: z
      .string()
      .nullable()
      .openapi({ description: 'Refers to its position in the conversation.' }),
  })
  .openapi('Span');
export type Span = z.infer<typeof SpanView>;

/** The spans of one session, made from its log: right across crash and resume. */
export async function spansOf(pages: AsyncIterable<readonly SessionEvent[]>): Promise<Span[]> {
  const spans: Span[] = [];
  const tools = new Map<string, Span>();
  const waits = new Map<string, Span>();
  let turn: Span | null = null;
  /** When the model was free to begin: nothing says when a call was made, only when its answer came. */
  let ready: string | null = null;
  const open = (event: SessionEvent, kind: Span['kind'], name: string, start = event.time): Span => {
    const { session_id, seq } = event;
    const empty = { end: null, ok: null, tokens: null, cost_usd: null, tool_call_id: null };
    const span: Span = { session_id, kind, name, start, seq, ...empty };
    spans.push(span);
    return span;
  };
  const close = (span: Span | null | undefined, { time: end, seq }: SessionEvent, ok: boolean) => {
    if (span) Object.assign(span, { end, seq, ok });
  };
  const take = (event: SessionEvent) => {
    const { name, data, time: at } = event;
    const call = String(data.tool_call_id ?? '');
    if (name === 'session:status') {
      const { status } = data;
      if (status === 'active' && data.interrupted !== true) turn ??= open(event, 'turn', 'turn');
      else {
        close(turn, event, status === 'completed');
        for (const left of [...tools.values(), ...waits.values()])
          if (left.end === null) close(left, event, false);
        turn = null;
      }
      ready = at;
    } else if (name === 'llm:response') {
      const span = open(event, 'model', String(data.model ?? 'model'), ready ?? at);
      const usage = isPlainObject(data.usage) ? data.usage : {};
      close(span, event, data.finish_reason !== 'error');
      span.tokens = typeof usage.total_tokens === 'number' ? usage.total_tokens : null;
      span.cost_usd = typeof usage.cost_usd === 'string' ? usage.cost_usd : null;
      ready = at;
    } else if (name === 'tool:pre') {
      const span = open(event, 'tool', String(data.tool_name ?? 'tool'));
      span.tool_call_id = call;
      tools.set(call, span);
    } else if (name === 'tool:post' || name === 'tool:error') {
      close(tools.get(call), event, name === 'tool:post' && data.success !== false);
      ready = at;
    } else if (name === 'question:asked')
      waits.set(String(data.id), open(event, 'wait', String(data.kind ?? 'question')));
    else if (name === 'question:answered' || name === 'question:closed')
      close(waits.get(String(data.id)), event, name === 'question:answered');
  };
  for await (const events of pages) for (const event of events) take(event);
  return spans;
}
