import { type Answer, pieces } from './reply.js';
import { type Body, list, plainText, type Step, sse, type Wire } from './wire.js';

const STOP_REASONS: Record<Answer['finish'], string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  content_filter: 'refusal',
  tool_calls: 'tool_use',
};

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** Anthropic's messages API. */
export const anthropicWire: Wire = {
  name: 'anthropic',
  matches: (path) => path.endsWith('/messages'),
  model: (body) => String(body.model),
  wantsStream: (body) => body.stream === true,
  steps: (body) => [
    ...(body.system ? [{ role: 'system', text: plainText(body.system) } as const] : []),
    ...list(body.messages).flatMap(steps),
  ],
  streamType: 'text/event-stream',
  frames(answer) {
    const start = { ...message(answer), content: [], stop_reason: null, usage: usage(answer, 0) };
    const content = [event('message_start', { message: start })];
    blocks(answer).forEach((block, index) => {
      content.push(...blockFrames(block, index));
    });
    const delta = { stop_reason: STOP_REASONS[answer.finish], stop_sequence: null };
    const output_tokens = answer.usage.output_tokens;
    return {
      content,
      end: [event('message_delta', { delta, usage: { output_tokens } }), event('message_stop', {})],
    };
  },
  whole: (answer) => ({ ...message(answer), content: blocks(answer) }),
  malformedFrame: 'event: content_block_delta\ndata: {"type":"content_block_delta","index"\n\n',
  errorBody: (status, text) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'api_error', message: text },
  }),
  errorFrame: (text) => event('error', { error: { type: 'overloaded_error', message: text } }),
};

function event(type: string, members: Body): string {
  return sse({ type, ...members }, type);
}

function message(answer: Answer): Body {
  return {
    id: answer.id,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    stop_reason: STOP_REASONS[answer.finish],
    stop_sequence: null,
    usage: usage(answer, answer.usage.output_tokens),
  };
}

/** On this wire the cached input is counted beside the other input, not within it. */
function usage({ usage: used }: Answer, output_tokens: number): Body {
  return {
    input_tokens: used.input_tokens - used.cache_read_tokens - used.cache_write_tokens,
    output_tokens,
    cache_read_input_tokens: used.cache_read_tokens,
    cache_creation_input_tokens: used.cache_write_tokens,
  };
}

function blocks(answer: Answer): Body[] {
  const all: Body[] = [];
  if (answer.thinking !== null)
    all.push({ type: 'thinking', thinking: answer.thinking, signature: 'signed' });
  if (answer.text !== null) all.push({ type: 'text', text: answer.text });
  for (const { id, name, arguments: input } of answer.calls) {
    all.push({ type: 'tool_use', id, name, input: parsed(input) });
  }
  return all;
}

/** What is no JSON stays text, as a model's broken arguments would. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function blockFrames(block: Body, index: number): string[] {
  const delta = (members: Body) => event('content_block_delta', { index, delta: members });
  const stop = event('content_block_stop', { index });
  const start = (members: Body) =>
    event('content_block_start', { index, content_block: { ...block, ...members } });
  if (block.type === 'thinking') {
    const thoughts = pieces(String(block.thinking)).map((thinking) =>
      delta({ type: 'thinking_delta', thinking }),
    );
    const signature = delta({ type: 'signature_delta', signature: block.signature });
    return [start({ thinking: '', signature: '' }), ...thoughts, signature, stop];
  }
  if (block.type === 'text') {
    const words = pieces(String(block.text)).map((text) => delta({ type: 'text_delta', text }));
    return [start({ text: '' }), ...words, stop];
  }
  const json = typeof block.input === 'string' ? block.input : JSON.stringify(block.input);
  const slices = pieces(json).map((partial_json) => delta({ type: 'input_json_delta', partial_json }));
  return [start({ input: {} }), ...slices, stop];
}

function steps(entry: Body): Step[] {
  const results = list(entry.content).filter((block) => block.type === 'tool_result');
  const tools = results.map((block) => ({ role: 'tool', text: plainText(block.content) }) as const);
  const text = plainText(entry.content);
  if (tools.length > 0 && text.trim() === '') return tools;
  return [...tools, { role: entry.role as Step['role'], text }];
}
