import { type Answer, pieces } from './reply.js';
import { type Body, list, plainText, type Step, sse, type Wire } from './wire.js';

/** OpenAI's chat completions, also spoken by vLLM, LM Studio, llama.cpp, OpenRouter and Ollama's `/v1`. */
export const openaiChatWire: Wire = {
  name: 'openai-chat',
  matches: (path) => path.endsWith('/chat/completions'),
  model: (body) => String(body.model),
  wantsStream: (body) => body.stream === true,
  steps: (body) => list(body.messages).map(step),
  streamType: 'text/event-stream',
  frames(answer) {
    const content = [chunk(answer, { role: 'assistant', content: '' })];
    for (const text of pieces(answer.thinking ?? ''))
      content.push(chunk(answer, { reasoning_content: text }));
    for (const text of pieces(answer.text ?? '')) content.push(chunk(answer, { content: text }));
    answer.calls.forEach((call, index) => {
      const { id, name } = call;
      const head = { index, id, type: 'function', function: { name, arguments: '' } };
      content.push(chunk(answer, { tool_calls: [head] }));
      for (const text of pieces(call.arguments)) {
        content.push(chunk(answer, { tool_calls: [{ index, function: { arguments: text } }] }));
      }
    });
    return {
      content,
      end: [
        chunk(answer, {}, answer.finish),
        sse({ ...envelope(answer, 'chat.completion.chunk'), choices: [], usage: usage(answer) }),
        'data: [DONE]\n\n',
      ],
    };
  },
  whole(answer) {
    const message: Body = { role: 'assistant', content: answer.text };
    if (answer.thinking !== null) message.reasoning_content = answer.thinking;
    if (answer.calls.length > 0) {
      message.tool_calls = answer.calls.map(({ id, name, arguments: input }) => ({
        id,
        type: 'function',
        function: { name, arguments: input },
      }));
    }
    const choices = [{ index: 0, message, finish_reason: answer.finish }];
    return { ...envelope(answer, 'chat.completion'), choices, usage: usage(answer) };
  },
  malformedFrame: 'data: {"id":"broken","choices":[{"delta"\n\n',
  errorBody: (_status, message) => ({ error: { message, type: 'fake_error', param: null, code: null } }),
  errorFrame: (message) => sse({ error: { message, type: 'server_error', param: null, code: null } }),
};

function envelope(answer: Answer, object: string): Body {
  return { id: answer.id, object, created: 0, model: answer.model };
}

function chunk(answer: Answer, delta: Body, finish_reason: string | null = null): string {
  return sse({ ...envelope(answer, 'chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason }] });
}

function usage({ usage: used }: Answer): Body {
  return {
    prompt_tokens: used.input_tokens,
    completion_tokens: used.output_tokens,
    total_tokens: used.input_tokens + used.output_tokens,
    prompt_tokens_details: { cached_tokens: used.cache_read_tokens },
    completion_tokens_details: { reasoning_tokens: used.reasoning_tokens },
  };
}

function step(message: Body): Step {
  const role = message.role === 'developer' ? 'system' : (message.role as Step['role']);
  return { role, text: plainText(message.content) };
}
