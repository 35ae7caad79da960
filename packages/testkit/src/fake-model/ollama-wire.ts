import { type Answer, pieces } from './reply.js';
import { type Body, list, plainText, type Step, type Wire } from './wire.js';

/** Ollama's own chat: one JSON object per line. */
export const ollamaWire: Wire = {
  name: 'ollama',
  matches: (path) => path.endsWith('/api/chat'),
  model: (body) => String(body.model),
  wantsStream: (body) => body.stream !== false,
  steps: (body) => list(body.messages).map(step),
  streamType: 'application/x-ndjson',
  frames(answer) {
    const say = (message: Body) =>
      line({ ...head(answer), message: { role: 'assistant', ...message }, done: false });
    const content = [
      ...pieces(answer.thinking ?? '').map((thinking) => say({ content: '', thinking })),
      ...pieces(answer.text ?? '').map((text) => say({ content: text })),
      ...calls(answer).map((call) => say({ content: '', tool_calls: [call] })),
    ];
    const message = { role: 'assistant', content: '' };
    return { content, end: [line({ ...head(answer), message, ...tail(answer) })] };
  },
  whole(answer) {
    const message: Body = { role: 'assistant', content: answer.text ?? '' };
    if (answer.thinking !== null) message.thinking = answer.thinking;
    if (answer.calls.length > 0) message.tool_calls = calls(answer);
    return { ...head(answer), message, ...tail(answer) };
  },
  malformedFrame: '{"model":"broken","message"\n',
  errorBody: (_status, message) => ({ error: message }),
  errorFrame: (message) => line({ error: message }),
};

function line(data: unknown): string {
  return `${JSON.stringify(data)}\n`;
}

function head(answer: Answer): Body {
  return { model: answer.model, created_at: '2026-01-01T00:00:00Z' };
}

function tail({ finish, usage }: Answer): Body {
  return {
    done: true,
    done_reason: finish === 'length' ? 'length' : 'stop',
    prompt_eval_count: usage.input_tokens,
    eval_count: usage.output_tokens,
  };
}

function calls(answer: Answer): Body[] {
  return answer.calls.map(({ name, arguments: input }) => ({
    function: { name, arguments: JSON.parse(input) },
  }));
}

function step(message: Body): Step {
  return { role: message.role as Step['role'], text: plainText(message.content) };
}
