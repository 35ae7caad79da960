import { expect, it } from 'vitest';
import { VirtualClock } from '../virtual-clock.js';
import { replyFromConversation } from './directives.js';
import { FakeModelServer } from './fake-model-server.js';

const ROUTES: [wire: string, path: string, body: (text: string) => unknown][] = [
  [
    'openai-chat',
    '/v1/chat/completions',
    (content) => ({ model: 'm', messages: [{ role: 'user', content }] }),
  ],
  ['openai-responses', '/v1/responses', (input) => ({ model: 'm', input })],
  ['anthropic', '/v1/messages', (content) => ({ model: 'm', messages: [{ role: 'user', content }] })],
  [
    'gemini',
    '/v1beta/models/m:generateContent',
    (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  ],
  [
    'ollama',
    '/api/chat',
    (content) => ({ model: 'm', stream: false, messages: [{ role: 'user', content }] }),
  ],
];

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, { method: 'POST', body: JSON.stringify(body) });
}

it.each(ROUTES)('speaks %s', async (wire, path, body) => {
  await using server = await FakeModelServer.start();
  const answer = await (await post(server.url + path, body('!say Hello.\n!call look {"at": 1}'))).text();
  expect(answer).toContain('Hello.');
  expect(answer).toContain('look');
  expect(server.exchanges[0]).toMatchObject({ wire, model: 'm', stream: false });
  const failure = await post(server.url + path, body('!fail 429 retry-after=3 slow down'));
  expect([failure.status, failure.headers.get('retry-after')]).toEqual([429, '3']);
  expect(await failure.text()).toContain('slow down');
});

it('streams Ollama line by line, the counts in the last one', async () => {
  await using server = await FakeModelServer.start({ script: [{ text: 'One two' }] });
  const response = await post(`${server.url}/api/chat`, { model: 'm', messages: [] });
  const lines = (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { message: { content: string }; done: boolean });
  expect(lines.map((line) => line.message.content).join('')).toBe('One two');
  expect(lines.at(-1)).toMatchObject({ done: true, prompt_eval_count: 10, eval_count: 5 });
});

it('takes its time on the clock it was given, and can cut the line', async () => {
  const clock = new VirtualClock();
  await using server = await FakeModelServer.start({
    clock,
    script: [{ sleep_ms: 5_000, text: 'x', cut: true }],
  });
  const body = { model: 'm', stream: true, messages: [] };
  const call = post(`${server.url}/v1/chat/completions`, body).then((response) => response.text());
  const failed = expect(call).rejects.toThrow();
  const { ended } = await server.received();
  await clock.advance(5_000);
  expect(await ended).toBe('closed');
  await failed;
});

it('follows the directives of the last user message, one answer per !then', () => {
  const script = {
    role: 'user',
    text: 'Please:\n!think hm\n!say a\n!say b\n!then\n!cut\n!malformed\n!hang midway',
  } as const;
  const assistant = { role: 'assistant', text: '' } as const;
  const tool = { role: 'tool', text: '' } as const;
  expect(replyFromConversation([script])).toEqual({ thinking: 'hm', text: 'a\nb' });
  // Two neighbouring items are one answer, as on the responses wire.
  expect(replyFromConversation([script, assistant, assistant, tool])).toEqual({
    cut: true,
    malformed: true,
    hang: 'midway',
  });
  expect(replyFromConversation([script, assistant, tool, assistant])).toEqual({ text: 'Done.' });
  expect(replyFromConversation([{ role: 'user', text: 'Hi' }])).toEqual({ text: 'You said: Hi' });
});
