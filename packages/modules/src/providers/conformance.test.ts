import {
  AbortError,
  AccessDeniedError,
  AuthenticationError,
  type ChatRequest,
  type ChatResponse,
  type Clock,
  ContextLengthError,
  type JsonObject,
  type LLMError,
  LLMTimeoutError,
  NetworkError,
  NotFoundError,
  ProviderUnavailableError,
  QuotaExceededError,
  RateLimitError,
  type StreamDelta,
  StreamError,
  systemClock,
  textOf,
} from '@amplifier/core';
import { FakeModelServer, type FakeReply, TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AiSdkProvider } from './ai-sdk-provider.js';
import { anthropic } from './anthropic.js';
import { azureOpenai } from './azure-openai.js';
import { gemini } from './gemini.js';
import { ollama } from './ollama.js';
import { openai } from './openai.js';
import { openaiCompatible } from './openai-compatible.js';
import { readSettings } from './settings.js';
import type { Vendor } from './vendor.js';

interface Subject {
  label: string;
  vendor: Vendor;
  wire: string;
  path: string;
  config?: JsonObject;
  /** What this wire cannot carry at all. */
  without?: ('thinking' | 'cache_write' | 'broken_arguments')[];
}

const SUBJECTS: Subject[] = [
  { label: 'provider-anthropic', vendor: anthropic, wire: 'anthropic', path: '' },
  {
    label: 'provider-openai',
    vendor: openai,
    wire: 'openai-responses',
    path: '/v1',
    without: ['cache_write'],
  },
  {
    label: 'provider-openai (chat)',
    vendor: openai,
    wire: 'openai-chat',
    path: '/v1',
    config: { api: 'chat' },
    without: ['thinking', 'cache_write'],
  },
  {
    label: 'provider-gemini',
    vendor: gemini,
    wire: 'gemini',
    path: '/v1beta',
    without: ['cache_write', 'broken_arguments'],
  },
  {
    label: 'provider-ollama',
    vendor: ollama,
    wire: 'openai-chat',
    path: '',
    config: { vision: true },
    without: ['cache_write'],
  },
  {
    label: 'provider-openai-compatible',
    vendor: openaiCompatible,
    wire: 'openai-chat',
    path: '/v1',
    without: ['cache_write'],
  },
  {
    label: 'provider-azure-openai',
    vendor: azureOpenai,
    wire: 'openai-responses',
    path: '/openai/v1',
    without: ['cache_write'],
  },
];

const TOOLS = [
  {
    name: 'read_file',
    description: 'Reads a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];
const PRICES = { prices: { 'fake-large': { input: '2', output: '10', cache_read: '1', cache_write: '4' } } };
const HELLO: ChatRequest = { messages: [{ role: 'user', content: 'Hello' }] };

for (const subject of SUBJECTS) {
  for (const streaming of [true, false]) {
    describe(`${subject.label}, ${streaming ? 'streaming' : 'in one piece'}`, () =>
      conforms(subject, streaming));
  }
}

function conforms({ vendor, wire, path, config = {}, without = [] }: Subject, streaming: boolean): void {
  let server: FakeModelServer;
  beforeAll(async () => {
    server = await FakeModelServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  function provider(replies: FakeReply[], overrides: JsonObject = {}, clock: Clock = new VirtualClock()) {
    server.play(replies);
    const base_url = `${server.url}${path}`;
    const settings = { api_key: 'secret', base_url, default_model: 'fake-large', streaming, max_retries: 0 };
    const reading = readSettings(vendor, { ...settings, ...config, ...overrides }, {});
    if (!reading.ok) throw new Error(reading.message);
    return new AiSdkProvider(vendor, reading.settings, clock, () => 0.5);
  }

  async function failureOf(call: Promise<unknown>): Promise<LLMError> {
    return call.then(
      () => expect.fail('the call should have failed'),
      (error: LLMError) => error,
    );
  }

  it('answers with text over its own wire, with the credentials it was given', async () => {
    const response = await provider([{ text: 'Hello, world.' }]).complete(HELLO);
    expect(textOf(response.content)).toBe('Hello, world.');
    expect(response).toMatchObject({ finish_reason: 'stop', model: 'fake-large' });
    const [exchange] = server.exchanges;
    expect(exchange).toMatchObject({ wire, model: 'fake-large', stream: streaming });
    expect(JSON.stringify(exchange?.headers)).toContain('secret');
  });

  it('does not carry key and prompt to another origin when it is redirected there, and follows within its own', async () => {
    await using other = await FakeModelServer.start();
    const away = { fail: { status: 307, headers: { location: `${other.url}${path}/stolen` } } };
    const error = await failureOf(provider([away]).complete(HELLO));
    expect(error).toMatchObject({ code: 'ACCESS_DENIED' });
    expect(other.exchanges).toEqual([]);
    const asked = provider([]);
    server.play((exchange, index) =>
      index === 0 ? { fail: { status: 307, headers: { location: exchange.path } } } : { text: 'Here.' },
    );
    expect(textOf((await asked.complete(HELLO)).content)).toBe('Here.');
  });

  it('sends the system prompt, the history and the tool results of earlier steps', async () => {
    await provider([{ text: 'ok' }]).complete({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Read it' },
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'Reading.' }],
          tool_calls: [{ id: 'toolu/1', tool: 'read_file', arguments: { path: 'a' } }],
        },
        { role: 'tool', tool_call_id: 'toolu/1', name: 'read_file', content: 'file text' },
        { role: 'system', content: 'A late note.' },
      ],
      tools: TOOLS,
    });
    const [exchange] = server.exchanges;
    const sent = JSON.stringify(exchange?.body);
    for (const text of ['Be brief.', 'Read it', 'Reading.', 'file text', 'A late note.', 'read_file']) {
      expect(sent).toContain(text);
    }
    const roles = exchange?.steps.map((step) => step.role).filter((role) => role !== 'system');
    expect(roles?.filter((role, at) => role !== roles[at - 1])).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ]);
  });

  it('asks for tools, several at once, and keeps their order and ids apart', async () => {
    const response = await provider([
      {
        text: 'Looking.',
        tool_calls: [
          { name: 'read_file', arguments: { path: 'a' } },
          { name: 'read_file', arguments: { path: 'b' } },
          { name: 'read_file', arguments: { path: 'c' } },
        ],
      },
    ]).complete({ ...HELLO, tools: TOOLS });
    expect(response.finish_reason).toBe('tool_calls');
    expect(response.tool_calls?.map((call) => call.arguments)).toEqual([
      { path: 'a' },
      { path: 'b' },
      { path: 'c' },
    ]);
    expect(new Set(response.tool_calls?.map((call) => call.id)).size).toBe(3);
  });

  it('carries a megabyte of tool arguments', async () => {
    const content = 'x'.repeat(1_000_000);
    const response = await provider([{ tool_calls: [{ name: 'write', arguments: { content } }] }]).complete({
      ...HELLO,
      tools: TOOLS,
    });
    expect(response.tool_calls?.[0]?.arguments).toEqual({ content });
  });

  itWhere(
    !without.includes('broken_arguments'),
    'keeps a call whose arguments are no JSON and says so',
    async () => {
      const response = await provider([
        { tool_calls: [{ id: 'c1', name: 'read_file', raw_arguments: '{"path": "a' }] },
      ]).complete({ ...HELLO, tools: TOOLS });
      expect(response.tool_calls).toEqual([{ id: 'c1', name: 'read_file', arguments: {} }]);
      expect(response.metadata?.invalid_tool_calls).toMatchObject([{ id: 'c1' }]);
    },
  );

  itWhere(!without.includes('thinking'), 'keeps thinking apart from text and gives it back', async () => {
    const model = provider([{ thinking: 'Hmm, well.', text: 'Yes.' }, { text: 'Still yes.' }]);
    const response = await model.complete({ ...HELLO, reasoning_effort: 'low' });
    expect(response.content.find((block) => block.type === 'thinking')).toMatchObject({
      thinking: 'Hmm, well.',
      provider: vendor.name,
    });
    expect(textOf(response.content)).toBe('Yes.');
    await model.complete({
      messages: [
        ...HELLO.messages,
        { role: 'assistant', content: response.content },
        { role: 'user', content: 'Sure?' },
      ],
    });
    const second = JSON.stringify(server.exchanges[1]?.body);
    expect(second.includes('Hmm, well.')).toBe(vendor.takes_thinking_back);
  });

  it("does not send another vendor's thinking", async () => {
    await provider([{ text: 'ok' }]).complete({
      messages: [
        ...HELLO.messages,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'foreign thought', signature: 'x', provider: 'somebody-else' },
            { type: 'text', text: 'Hi.' },
          ],
        },
        { role: 'user', content: 'Again' },
      ],
    });
    expect(JSON.stringify(server.exchanges[0]?.body)).not.toContain('foreign thought');
  });

  it('takes images in', async () => {
    const data = Buffer.from('not really a picture').toString('base64');
    await provider([{ text: 'A cat.' }]).complete({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
          ],
        },
      ],
    });
    const sent = JSON.stringify(server.exchanges[0]?.body);
    expect(sent).toContain(data);
    expect(sent).toContain('image/png');
  });

  it('counts tokens, the cached ones included, and prices them from the file', async () => {
    await using folder = await TempWorkspace.create({ 'prices.json': JSON.stringify(PRICES) });
    const usage = { input_tokens: 1000, output_tokens: 200, cache_read_tokens: 600 };
    const writes = without.includes('cache_write') ? {} : { cache_write_tokens: 100 };
    const response = await provider([{ text: 'ok', usage: { ...usage, ...writes } }], {
      price_file: folder.resolve('prices.json'),
    }).complete(HELLO);
    expect(response.usage).toMatchObject({ ...usage, ...writes, total_tokens: 1200 });
    // 400 fresh at $2, 600 read at $1, 200 out at $10 per million; or 300 fresh and 100 written at $4.
    expect(response.usage?.cost_usd).toBe(without.includes('cache_write') ? '0.0034' : '0.0036');
  });

  it('does not make up a price', async () => {
    const response = await provider([{ text: 'ok' }]).complete(HELLO);
    expect(response.usage?.cost_usd).toBeNull();
  });

  it('reports each piece in order, and the pieces add up to the answer', async () => {
    const deltas: StreamDelta[] = [];
    const response = await provider([
      { text: 'One two three.', tool_calls: [{ name: 'read_file', arguments: { path: 'a' } }] },
    ]).complete({ ...HELLO, tools: TOOLS }, { onDelta: (delta) => deltas.push(delta) });
    const said = (type: StreamDelta['type']) =>
      deltas.map((delta) => (delta.type === type && 'text' in delta ? delta.text : '')).join('');
    expect(said('text')).toBe('One two three.');
    expect(JSON.parse(said('tool_call_arguments'))).toEqual({ path: 'a' });
    const start = deltas.find((delta) => delta.type === 'tool_call_start');
    expect(start).toMatchObject({ name: 'read_file', id: response.tool_calls?.[0]?.id });
  });

  it.each([
    [401, AuthenticationError],
    [403, AccessDeniedError],
    [404, NotFoundError],
    [413, ContextLengthError],
    [500, ProviderUnavailableError],
    [529, ProviderUnavailableError],
  ])('status %i becomes %o, with the original kept', async (status, type) => {
    const error = await failureOf(
      provider([{ fail: { status, message: `broken ${status}` } }]).complete(HELLO),
    );
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status_code: status, provider: vendor.name, model: 'fake-large' });
    expect(error.message).toContain(`broken ${status}`);
    expect(error.cause).toBeInstanceOf(Error);
    expect(server.exchanges).toHaveLength(1);
  });

  it('waits as long as the server asks after a 429, then tries again', async () => {
    const clock = new VirtualClock();
    const replies = [{ fail: { status: 429, headers: { 'retry-after': '7' } } }, { text: 'Here.' }];
    const model = provider(replies, { max_retries: 2 }, clock);
    let answer: Promise<ChatResponse> | undefined;
    const delay = await new Promise<number>((onDelay) => {
      answer = model.complete(HELLO, { onRetry: (_attempt, seconds) => onDelay(seconds) });
    });
    // Never less than asked; a little more, so that many do not come back at the same moment.
    expect(delay).toBeGreaterThanOrEqual(7);
    await clock.advance(6_999);
    expect(server.exchanges).toHaveLength(1);
    await clock.advance(delay * 1000 - 6_999);
    expect(textOf((await answer)?.content ?? '')).toBe('Here.');
  });

  it('tells a rate limit from an empty account', async () => {
    const limited = await failureOf(provider([{ fail: { status: 429 } }]).complete(HELLO));
    expect(limited).toBeInstanceOf(RateLimitError);
    expect(limited.retryable).toBe(true);
    const message = 'You exceeded your current quota, please check your plan.';
    const broke = await failureOf(provider([{ fail: { status: 429, message } }]).complete(HELLO));
    expect(broke).toBeInstanceOf(QuotaExceededError);
    expect(broke.retryable).toBe(false);
  });

  it('gives up when the time is over, and closes the connection', async () => {
    const clock = new VirtualClock();
    const call = failureOf(provider([{ hang: 'before' }], {}, clock).complete({ ...HELLO, timeout: 5 }));
    const exchange = await server.received(1);
    await clock.advance(5_000);
    expect(await call).toBeInstanceOf(LLMTimeoutError);
    expect(await exchange.ended).toBe('closed');
  });

  it('ends an answer midway when asked to, and closes the connection', async () => {
    const abort = new AbortController();
    const call = failureOf(
      provider([{ text: 'Once upon a time', hang: streaming ? 'midway' : 'before' }], {
        max_retries: 3,
      }).complete(HELLO, {
        signal: abort.signal,
        onDelta: ({ type }) => type === 'text' && abort.abort(),
      }),
    );
    const exchange = await server.received(1);
    if (!streaming) abort.abort();
    expect(await call).toBeInstanceOf(AbortError);
    expect(await exchange.ended).toBe('closed');
    expect(server.exchanges).toHaveLength(1);
  });

  it('does not start when it is already told to stop', async () => {
    const error = await failureOf(
      provider([{ text: 'never' }]).complete(HELLO, { signal: AbortSignal.abort() }),
    );
    expect(error).toBeInstanceOf(AbortError);
  });

  it.each([
    ['a cut connection', { text: 'Half an', cut: true }],
    ['a frame that is no JSON', { text: 'Half an', malformed: true, cut: true }],
  ] satisfies [string, FakeReply][])('%s is a broken stream, worth another try', async (_, reply) => {
    const error = await failureOf(provider([reply]).complete(HELLO));
    expect(error).toBeInstanceOf(StreamError);
    expect(error.retryable).toBe(true);
    const again = { max_retries: 1, retry_initial_delay: 0 };
    const answer = await provider([reply, { text: 'Whole.' }], again, systemClock).complete(HELLO);
    expect(textOf(answer.content)).toBe('Whole.');
  });

  itWhere(
    streaming,
    'never shows the same words twice: after the first piece a failure is final',
    async () => {
      const shown: StreamDelta[] = [];
      const error = await failureOf(
        provider([{ text: 'Half an', cut: true }, { text: 'Whole.' }], { max_retries: 3 }).complete(HELLO, {
          onDelta: (delta) => shown.push(delta),
        }),
      );
      expect(error).toBeInstanceOf(StreamError);
      expect(server.exchanges).toHaveLength(1);
      expect(shown.length).toBeGreaterThan(0);
    },
  );

  itWhere(streaming, 'an error within the stream is classified by what it says', async () => {
    const error = await failureOf(
      provider([{ text: 'Half', stream_error: 'The model is overloaded.' }]).complete(HELLO),
    );
    expect(error).toBeInstanceOf(ProviderUnavailableError);
    expect(error.message).toContain('overloaded');
    expect(error.retryable).toBe(true);
  });

  it('says when nobody answers at the address', async () => {
    const closed = await FakeModelServer.start();
    const base_url = `${closed.url}${path}`;
    await closed[Symbol.asyncDispose]();
    const error = await failureOf(provider([], { base_url }).complete(HELLO));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error.retryable).toBe(true);
  });

  it('says when the answer was cut short or filtered', async () => {
    const long = await provider([{ text: 'Too long', finish: 'length' }]).complete(HELLO);
    expect(long.finish_reason).toBe('length');
    const filtered = await provider([{ text: '…', finish: 'content_filter' }]).complete(HELLO);
    expect(filtered.finish_reason).toBe('content_filter');
  });

  it('lists its models', async () => {
    const models = await provider([]).listModels();
    expect(models.map((model) => model.id)).toEqual(['fake-large', 'fake-small']);
    expect(models.every((model) => model.context_window > 0 && model.max_output_tokens > 0)).toBe(true);
  });
}

/** A case that only some wires can show. */
function itWhere(applies: boolean, name: string, test: () => Promise<void>): void {
  if (applies) it(name, test);
}
