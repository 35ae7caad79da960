import { type Answer, type FakeCall, pieces } from './reply.js';
import { type Body, list, plainText, type Step, sse, type Wire } from './wire.js';

/** OpenAI's responses API. */
export const openaiResponsesWire: Wire = {
  name: 'openai-responses',
  matches: (path) => path.endsWith('/responses'),
  model: (body) => String(body.model),
  wantsStream: (body) => body.stream === true,
  steps: (body) =>
    typeof body.input === 'string' ? [{ role: 'user', text: body.input }] : list(body.input).map(step),
  streamType: 'text/event-stream',
  frames(answer) {
    const content = [event('response.created', { response: response(answer, 'in_progress') })];
    outputItems(answer).forEach((item, index) => {
      content.push(...itemFrames(item, index));
    });
    const incomplete = answer.finish === 'length' || answer.finish === 'content_filter';
    const name = incomplete ? 'response.incomplete' : 'response.completed';
    return { content, end: [event(name, { response: response(answer, 'completed') })] };
  },
  whole: (answer) => response(answer, 'completed'),
  malformedFrame: 'data: {"type":"response.output_text.delta","delta"\n\n',
  errorBody: (_status, message) => ({ error: { message, type: 'fake_error', param: null, code: null } }),
  errorFrame: (message) => event('error', { code: 'server_error', message, param: null, sequence_number: 0 }),
};

function event(type: string, members: Body): string {
  return sse({ type, ...members }, type);
}

function response(answer: Answer, status: 'in_progress' | 'completed'): Body {
  const { usage: used } = answer;
  const reasons: Record<string, string> = { length: 'max_output_tokens', content_filter: 'content_filter' };
  const reason = reasons[answer.finish];
  return {
    id: answer.id,
    object: 'response',
    created_at: 0,
    model: answer.model,
    status,
    error: null,
    incomplete_details: reason && status === 'completed' ? { reason } : null,
    output: status === 'completed' ? outputItems(answer) : [],
    usage: {
      input_tokens: used.input_tokens,
      input_tokens_details: { cached_tokens: used.cache_read_tokens },
      output_tokens: used.output_tokens,
      output_tokens_details: { reasoning_tokens: used.reasoning_tokens },
      total_tokens: used.input_tokens + used.output_tokens,
    },
  };
}

function outputItems(answer: Answer): Body[] {
  const items: Body[] = [];
  if (answer.thinking !== null) {
    const summary = [{ type: 'summary_text', text: answer.thinking }];
    items.push({ type: 'reasoning', id: `rs_${answer.id}`, summary, encrypted_content: 'sealed' });
  }
  if (answer.text !== null) {
    const content = [{ type: 'output_text', text: answer.text, annotations: [] }];
    items.push({ type: 'message', id: `msg_${answer.id}`, role: 'assistant', status: 'completed', content });
  }
  return [...items, ...answer.calls.map(callItem)];
}

/** `agents/spawn` is the tool `spawn` of the namespace `agents`, which this wire tells apart. */
function callItem({ id, name: called, arguments: input }: FakeCall): Body {
  const [name, namespace] = called.split('/').reverse();
  const tool = namespace === undefined ? { name } : { name, namespace };
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    ...tool,
    arguments: input,
    status: 'completed',
  };
}

function itemFrames(item: Body, output_index: number): string[] {
  const item_id = item.id;
  const done = event('response.output_item.done', { output_index, item });
  if (item.type === 'reasoning') {
    const [{ text } = { text: '' }] = item.summary as { text: string }[];
    const at = { item_id, output_index, summary_index: 0 };
    return [
      event('response.output_item.added', { output_index, item: { ...item, summary: [] } }),
      event('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } }),
      ...pieces(text).map((delta) => event('response.reasoning_summary_text.delta', { ...at, delta })),
      event('response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text } }),
      done,
    ];
  }
  if (item.type === 'message') {
    const [{ text } = { text: '' }] = item.content as { text: string }[];
    const at = { item_id, output_index, content_index: 0 };
    return [
      event('response.output_item.added', { output_index, item: { ...item, content: [] } }),
      ...pieces(text).map((delta) => event('response.output_text.delta', { ...at, delta })),
      event('response.output_text.done', { ...at, text }),
      done,
    ];
  }
  const at = { item_id, output_index };
  return [
    event('response.output_item.added', { output_index, item: { ...item, arguments: '' } }),
    ...pieces(String(item.arguments)).map((delta) =>
      event('response.function_call_arguments.delta', { ...at, delta }),
    ),
    event('response.function_call_arguments.done', { ...at, arguments: item.arguments }),
    done,
  ];
}

function step(item: Body): Step {
  if (item.type === 'function_call_output') return { role: 'tool', text: plainText(item.output) };
  if (item.type === 'function_call' || item.type === 'reasoning') return { role: 'assistant', text: '' };
  const role = item.role === 'developer' ? 'system' : (item.role as Step['role']);
  return { role, text: plainText(item.content) };
}
