import { type Answer, pieces } from './reply.js';
import { type Body, list, plainText, type Step, sse, type Wire } from './wire.js';

const FINISH: Record<Answer['finish'], string> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};

const STATUS: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

/** Google's generateContent. The model and the wish to stream are in the path. */
export const geminiWire: Wire = {
  name: 'gemini',
  matches: (path) => /:(streamGenerateContent|generateContent)(\?|$)/.test(path),
  model: (_body, path) => /models\/([^:/]+):/.exec(path)?.[1] ?? 'unknown',
  wantsStream: (_body, path) => path.includes(':streamGenerateContent'),
  steps: (body) => list(body.contents).flatMap(steps),
  streamType: 'text/event-stream',
  frames(answer) {
    const parts: Body[] = [
      ...pieces(answer.thinking ?? '').map((text) => ({ text, thought: true })),
      ...pieces(answer.text ?? '').map((text) => ({ text })),
      ...callParts(answer),
    ];
    const content = parts.map((part) => sse(chunk(answer, [part])));
    return { content, end: [sse(chunk(answer, [{ text: '' }], FINISH[answer.finish]))] };
  },
  whole(answer) {
    const parts: Body[] = [];
    if (answer.thinking !== null) parts.push({ text: answer.thinking, thought: true });
    if (answer.text !== null) parts.push({ text: answer.text });
    return chunk(answer, [...parts, ...callParts(answer)], FINISH[answer.finish]);
  },
  malformedFrame: 'data: {"candidates":[{"content"\n\n',
  errorBody: (status, message) => ({
    error: { code: status, message, status: STATUS[status] ?? 'INTERNAL' },
  }),
  errorFrame: (message) => sse({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
};

function callParts({ calls }: Answer): Body[] {
  return calls.map(({ name, arguments: input }, index) => ({
    functionCall: { name, args: JSON.parse(input) },
    ...(index === 0 ? { thoughtSignature: 'c2lnbmVk' } : {}),
  }));
}

function chunk(answer: Answer, parts: Body[], finishReason?: string): Body {
  const { usage: used } = answer;
  const candidate = {
    index: 0,
    content: { role: 'model', parts },
    ...(finishReason ? { finishReason } : {}),
  };
  return {
    responseId: answer.id,
    modelVersion: answer.model,
    candidates: [candidate],
    usageMetadata: {
      promptTokenCount: used.input_tokens,
      cachedContentTokenCount: used.cache_read_tokens,
      candidatesTokenCount: used.output_tokens - used.reasoning_tokens,
      thoughtsTokenCount: used.reasoning_tokens,
      totalTokenCount: used.input_tokens + used.output_tokens,
    },
  };
}

function steps({ role, parts }: Body): Step[] {
  const results = list(parts).filter((part) => part.functionResponse);
  const tools = results.map(
    (part) => ({ role: 'tool', text: JSON.stringify(part.functionResponse) }) as const,
  );
  const text = plainText(parts);
  if (tools.length > 0 && text.trim() === '') return tools;
  return [...tools, { role: role === 'model' ? 'assistant' : 'user', text }];
}
