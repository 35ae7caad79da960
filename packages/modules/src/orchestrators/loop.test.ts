import {
  type AmplifierModule,
  type ApprovalSystem,
  AuthenticationError,
  ContextLengthError,
  type HookReply,
  InvalidRequestError,
  type JsonObject,
  type Message,
  type Provider,
  ProviderUnavailableError,
  type Session,
  StreamError,
  type Tool,
  toolSuccess,
} from '@amplifier/core';
import type { Script } from '@amplifier/testkit';
import { recordEvents, ScriptedProvider, scriptedSession, settle, VirtualClock } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import * as contextSimple from '../contexts/context-simple.js';
import { loopBasic, loopStreaming } from './loop.js';

interface Setup {
  script: Script;
  tools?: Tool[];
  loop?: 'loop-basic' | 'loop-streaming';
  config?: JsonObject;
  clock?: VirtualClock;
  providers?: Provider[];
  approval?: ApprovalSystem;
}

async function start({
  script,
  tools = [],
  loop = 'loop-streaming',
  config = {},
  clock,
  providers = [],
  approval,
}: Setup) {
  const modules: Record<string, AmplifierModule> = {
    'loop-basic': loopBasic,
    'loop-streaming': loopStreaming,
    'context-simple': contextSimple,
    'provider-others': {
      mount: ({ mounts }) => {
        for (const provider of providers) mounts.mount('providers', provider);
      },
    },
  };
  const { session, model } = scriptedSession({
    script,
    tools,
    modules,
    plan: {
      session: { orchestrator: { module: loop, config }, context: 'context-simple' },
      providers: ['provider-scripted', 'provider-others'],
    },
    ...(clock ? { clock } : {}),
    ...(approval ? { approval } : {}),
  });
  await session.initialize();
  const recorder = recordEvents(session.coordinator.hooks);
  return { session, model, recorder, hooks: session.coordinator.hooks };
}

function tool(name: string, execute: Tool['execute'] = async () => toolSuccess(`${name} done`)): Tool {
  return { name, description: `The tool ${name}.`, inputSchema: { type: 'object' }, execute };
}

function history(session: Session): Promise<Message[]> {
  return session.coordinator.mounts.one('context')?.getMessages() ?? Promise.resolve([]);
}

const roles = (messages: readonly Message[]) => messages.map((message) => message.role);
const reply = (answer: HookReply) => () => answer;

describe('events', () => {
  it('come in contract order around model calls and tool calls', async () => {
    const { session, recorder } = await start({
      script: [{ text: 'Looking.', tool_calls: [{ name: 'look' }] }, { text: 'Seen.' }],
      tools: [tool('look')],
      loop: 'loop-basic',
    });
    expect(await session.execute('Look')).toBe('Seen.');
    expect(recorder.names()).toEqual([
      'session:start',
      'execution:start',
      'prompt:submit',
      'provider:request',
      'llm:request',
      'llm:response',
      'provider:response',
      'tool:pre',
      'tool:post',
      'provider:request',
      'llm:request',
      'llm:response',
      'provider:response',
      'prompt:complete',
      'execution:end',
      'orchestrator:complete',
    ]);
    expect(recorder.of('orchestrator:complete')[0]).toMatchObject({
      orchestrator: 'loop-basic',
      turn_count: 2,
      status: 'success',
      metadata: { usage: { total_tokens: 30 }, provider: 'scripted', model: 'scripted-1' },
    });
  });

  it('show each block of a streamed answer from start to end, thinking with its whole text', async () => {
    const { session, recorder } = await start({ script: [{ thinking: 'Hm.', text: 'One two.' }] });
    await session.execute('Go');
    const streamed = recorder
      .names()
      .filter((name) => name.startsWith('content_block:') || name.startsWith('thinking:'));
    expect(streamed).toEqual([
      'content_block:start',
      'thinking:delta',
      'content_block:delta',
      'thinking:final',
      'content_block:end',
      'content_block:start',
      'content_block:delta',
      'content_block:delta',
      'content_block:end',
    ]);
    expect(recorder.of('thinking:final')[0]).toMatchObject({ text: 'Hm.' });
  });

  it('wait for slow listeners of deltas without losing or reordering any', async () => {
    const { session, hooks } = await start({ script: [{ text: 'a b c d' }] });
    const heard: string[] = [];
    hooks.register('content_block:delta', async (_event, data) => {
      await settle();
      heard.push((data.delta as { text: string }).text);
    });
    await session.execute('Go');
    expect(heard.join('')).toBe('a b c d');
  });

  it('tell of each retry of a provider', async () => {
    const { session, model, recorder } = await start({ script: [{ text: 'ok' }] });
    const complete = model.complete.bind(model);
    model.complete = (request, options) => {
      options?.onRetry?.(1, 2, new ProviderUnavailableError('busy'));
      return complete(request, options);
    };
    await session.execute('Go');
    expect(recorder.of('provider:retry')[0]).toMatchObject({
      provider: 'scripted',
      attempt: 1,
      delay: 2,
      error: { code: 'PROVIDER_UNAVAILABLE' },
    });
  });

  it.each(['loop-basic', 'loop-streaming'] as const)(
    'close the turn of %s when the model fails',
    async (loop) => {
      const { session, recorder } = await start({ script: [{ error: new AuthenticationError('no') }], loop });
      await expect(session.execute('Go')).rejects.toThrow(AuthenticationError);
      expect(recorder.names().slice(-3)).toEqual([
        'provider:error',
        'execution:end',
        'orchestrator:complete',
      ]);
      expect(recorder.of('execution:end')[0]).toMatchObject({ status: 'error' });
      expect(recorder.of('orchestrator:complete')[0]).toMatchObject({
        status: 'incomplete',
        metadata: { reason: 'error', error: { code: 'AUTHENTICATION' } },
      });
    },
  );
});

describe('tools', () => {
  it('of one answer run at the same time under one group id, and their results keep the order of the calls', async () => {
    const running = new Set<string>();
    let most = 0;
    const gates = new Map<string, () => void>();
    const slow = tool('slow', async (input, { tool_call_id }) => {
      running.add(tool_call_id);
      most = Math.max(most, running.size);
      await new Promise<void>((open) => gates.set(String(input.n), open));
      running.delete(tool_call_id);
      return toolSuccess(`result ${input.n}`);
    });
    const { session, recorder } = await start({
      script: [
        { tool_calls: [1, 2, 3].map((n) => ({ name: 'slow', arguments: { n } })) },
        { text: 'All done.' },
      ],
      tools: [slow],
    });
    const answer = session.execute('Go');
    for (const n of ['3', '2', '1']) {
      await until(() => gates.has(n));
      gates.get(n)?.();
      await settle();
    }
    expect(await answer).toBe('All done.');
    expect(most).toBe(3);
    const results = (await history(session)).filter((message) => message.role === 'tool');
    expect(results.map((message) => message.content)).toEqual(['result 1', 'result 2', 'result 3']);
    const groups = new Set(recorder.of('tool:pre').map((data) => data.parallel_group_id));
    expect(groups.size).toBe(1);
    expect([...groups][0]).toBeTypeOf('string');
  });

  it('beyond the sixty-fourth of one answer are not run, and each is answered', async () => {
    let ran = 0;
    const look = tool('look', async () => {
      ran++;
      return toolSuccess('seen');
    });
    const { session } = await start({
      script: [{ tool_calls: Array.from({ length: 1_500 }, () => ({ name: 'look' })) }, { text: 'Done.' }],
      tools: [look],
    });
    expect(await session.execute('Go')).toBe('Done.');
    expect(ran).toBe(64);
    const results = (await history(session)).filter((message) => message.role === 'tool');
    expect(results).toHaveLength(1_500);
    expect(results[64]).toMatchObject({ metadata: { success: false, code: 'TOO_MANY_CALLS' } });
  });

  it('get the context of their call', async () => {
    let seen: JsonObject = {};
    const { session } = await start({
      script: [{ tool_calls: [{ id: 'c7', name: 'look' }] }, { text: 'ok' }],
      tools: [
        tool('look', async (_input, { tool_call_id, parallel_group_id, session: { id }, signal }) => {
          seen = { tool_call_id, parallel_group_id, id, aborted: signal.aborted };
          return toolSuccess();
        }),
      ],
    });
    await session.execute('Go');
    expect(seen).toMatchObject({ tool_call_id: 'c7', id: session.id, aborted: false });
    expect(seen.parallel_group_id).toBeTypeOf('string');
  });

  it('that throw, are unknown or get unreadable arguments answer with a failure the model can act on', async () => {
    const { session, recorder, model } = await start({
      script: (_request, call) =>
        call === 0
          ? {
              tool_calls: [
                { id: 'a', name: 'broken' },
                { id: 'b', name: 'brokn' },
                { id: 'c', name: 'fine' },
              ],
            }
          : { text: 'ok' },
      tools: [
        tool('broken', async () => {
          throw new Error('disk on fire');
        }),
        tool('fine'),
      ],
    });
    const complete = model.complete.bind(model);
    model.complete = async (request, options) => ({
      ...(await complete(request, options)),
      metadata: { invalid_tool_calls: [{ id: 'c', raw_arguments: '{"x": ' }] },
    });
    await session.execute('Go');
    const [a, b, c] = (await history(session)).filter((message) => message.role === 'tool');
    expect(a?.content).toBe('disk on fire');
    expect(b?.content).toContain("Did you mean 'broken'?");
    expect(c?.content).toContain('no JSON object: {"x": ');
    expect(recorder.names().filter((name) => /^tool:(post|error)$/.test(name))).toHaveLength(3);
  });

  it('are not run on arguments without end, nor believed when their results have none; the rest of the answer is', async () => {
    const ran: JsonObject[] = [];
    const write = tool('write', async (given) => {
      ran.push(given);
      return toolSuccess(nested(100_000));
    });
    const { session } = await start({
      script: [
        {
          tool_calls: [
            { id: 'deep', name: 'write', arguments: { path: 'a', more: nested(100_000) } },
            { id: 'flat', name: 'write', arguments: { path: 'b' } },
          ],
        },
        { text: 'ok' },
      ],
      tools: [write],
      loop: 'loop-basic',
    });
    await session.execute('Go');
    expect(ran).toEqual([{ path: 'b' }]);
    const messages = await history(session);
    expect(messages[2]?.content).toMatch(/were not taken: it is nested more than 64 levels deep/);
    expect(messages[3]?.content).toMatch(/result of write was not taken: it is nested/);
    expect(JSON.stringify(messages).length).toBeLessThan(5000);
  });

  it('asked for without a word are stored before they run', async () => {
    const { session, model } = await start({ script: [{ text: 'ok' }], tools: [tool('look')] });
    const complete = model.complete.bind(model);
    let first = true;
    model.complete = async (request, options) => {
      if (!first) return complete(request, options);
      first = false;
      return { content: [], tool_calls: [{ id: 'c1', name: 'look', arguments: {} }] };
    };
    await session.execute('Go');
    expect(roles(await history(session))).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  it('have an id each over the whole session, whatever the model calls them', async () => {
    const same = {
      tool_calls: [
        { id: 'same', name: 'look' },
        { id: 'same', name: 'look' },
      ],
    };
    const { session, model } = await start({
      script: [same, { text: 'ok' }, { tool_calls: [{ id: 'same', name: 'look' }] }, { text: 'ok' }],
      tools: [tool('look')],
    });
    const complete = model.complete.bind(model);
    model.complete = async (request, options) => {
      const response = await complete(request, options);
      const unread = { invalid_tool_calls: [{ id: 'same', raw_arguments: '{' }] };
      return model.requests.length === 3 ? { ...response, metadata: unread } : response;
    };
    await session.execute('Go');
    await session.execute('Again');
    const messages = await history(session);
    const results = messages.filter((message) => message.role === 'tool');
    expect(results.map((message) => message.tool_call_id)).toEqual(['same', 'same_2', 'same_3']);
    expect(results[2]?.content).toContain('no JSON object');
    const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.id));
    expect(calls).toEqual(['same', 'same_2', 'same_3']);
  });
});

describe('hooks', () => {
  const oneCall: Script = [{ tool_calls: [{ name: 'write', arguments: { path: 'a' } }] }, { text: 'ok' }];

  it('deny a tool call, and the model is told why', async () => {
    let ran = false;
    const write = tool('write', async () => {
      ran = true;
      return toolSuccess();
    });
    const { session, hooks } = await start({ script: oneCall, tools: [write] });
    hooks.register('tool:pre', reply({ action: 'deny', reason: 'not today' }));
    await session.execute('Go');
    expect(ran).toBe(false);
    expect((await history(session))[2]?.content).toBe('Denied by hook: not today');
  });

  it('that fail deny the call, and those that fail on a result withhold it', async () => {
    let ran = 0;
    const write = tool('write', async () => {
      ran++;
      return toolSuccess('the secret is 42');
    });
    const { session, hooks } = await start({ script: [...oneCall, ...oneCall], tools: [write] });
    const broken = () => {
      throw new Error('broken');
    };
    const mend = hooks.register('tool:pre', broken, { name: 'guard' });
    await session.execute('Go');
    expect(ran).toBe(0);
    expect((await history(session))[2]?.content).toMatch(/^Denied by hook: Hook 'guard' failed \(broken\)/);
    mend();
    hooks.register('tool:post', broken, { name: 'redaction' });
    await session.execute('Go');
    expect(ran).toBe(1);
    expect(JSON.stringify(await history(session))).not.toContain('secret');
    expect((await history(session))[6]?.content).toMatch(/withheld by a hook: Hook 'redaction' failed/);
  });

  it('all ask when several want to, and each has to be answered with yes', async () => {
    const asked: string[] = [];
    const { session, hooks } = await start({
      script: oneCall,
      tools: [tool('write')],
      approval: {
        async requestApproval({ prompt }) {
          asked.push(prompt);
          return asked.length === 1 ? 'Allow' : 'Deny';
        },
      },
    });
    hooks.register('tool:pre', reply({ action: 'ask_user', approval_prompt: 'Write it?' }));
    hooks.register('tool:pre', reply({ action: 'ask_user', approval_prompt: 'Really?' }));
    await session.execute('Go');
    expect(asked).toEqual(['Write it?', 'Really?']);
    expect((await history(session))[2]?.content).toMatch(/^Denied by hook/);
  });

  it('change the input of a call, and the result of it', async () => {
    let input: JsonObject = {};
    const write = tool('write', async (given) => {
      input = given;
      return toolSuccess('the secret is 42');
    });
    const { session, hooks } = await start({ script: oneCall, tools: [write] });
    hooks.register('tool:pre', (_event, data) => ({
      action: 'modify',
      data: { ...data, tool_input: { path: 'b' } },
    }));
    hooks.register('tool:post', (_event, data) => ({
      action: 'modify',
      data: { ...data, result: { success: true, output: 'redacted' } },
    }));
    await session.execute('Go');
    expect(input).toEqual({ path: 'b' });
    expect((await history(session))[2]?.content).toBe('redacted');
  });

  it('ask the user, and without an answer the call is denied', async () => {
    const { session, hooks, recorder } = await start({ script: oneCall, tools: [tool('write')] });
    hooks.register('tool:pre', reply({ action: 'ask_user', approval_prompt: 'Write it?' }));
    await session.execute('Go');
    expect((await history(session))[2]?.content).toBe('Denied by hook: No approval system available');
    expect(recorder.names()).toContain('approval:denied');
  });

  it('inject behind the results of a batch, never between a call and its result', async () => {
    const { session, hooks } = await start({
      script: [{ tool_calls: [{ name: 'write' }, { name: 'write' }] }, { text: 'ok' }],
      tools: [tool('write')],
    });
    hooks.register('tool:post', reply({ action: 'inject_context', context_injection: 'Mind the style.' }));
    await session.execute('Go');
    expect(roles(await history(session))).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'system',
      'system',
      'assistant',
    ]);
  });

  it('inject for one request only when they say so', async () => {
    const { session, hooks, model } = await start({ script: oneCall, tools: [tool('write')] });
    let once = true;
    hooks.register('provider:request', () => {
      if (!once) return null;
      once = false;
      return { action: 'inject_context', context_injection: 'Only now.', ephemeral: true };
    });
    hooks.register(
      'tool:post',
      reply({
        action: 'inject_context',
        context_injection: 'By the way.',
        ephemeral: true,
        append_to_last_tool_result: true,
      }),
    );
    await session.execute('Go');
    expect(model.requests[0]?.messages.at(-1)?.content).toBe('Only now.');
    expect(JSON.stringify(model.requests[1])).not.toContain('Only now.');
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: 'write done\n\nBy the way.',
    });
    expect(JSON.stringify(await history(session))).not.toMatch(/Only now|By the way/);
  });

  it('stop a prompt before it is stored, and a request before it is sent', async () => {
    const first = await start({ script: [{ text: 'never' }] });
    first.hooks.register('prompt:submit', reply({ action: 'deny', reason: 'off topic' }));
    await expect(first.session.execute('Go')).rejects.toMatchObject({ code: 'PROMPT_DENIED' });
    expect(await history(first.session)).toEqual([]);
    const second = await start({ script: [{ text: 'never' }] });
    second.hooks.register('provider:request', reply({ action: 'deny', reason: 'no budget' }));
    await expect(second.session.execute('Go')).rejects.toMatchObject({ code: 'REQUEST_DENIED' });
    expect(second.model.requests).toHaveLength(0);
  });
});

describe('cancellation', () => {
  it('keeps what finished and closes what did not, one result per call in order', async () => {
    const clock = new VirtualClock();
    let hanging = false;
    const { session, recorder } = await start({
      script: [{ tool_calls: ['fast', 'stuck', 'fast'].map((name) => ({ name })) }],
      tools: [
        tool('fast'),
        tool('stuck', () => {
          hanging = true;
          return new Promise(() => {});
        }),
      ],
      clock,
    });
    const answer = session.execute('Go');
    await until(() => hanging && recorder.of('tool:post').length === 2);
    await session.coordinator.requestCancel('immediate');
    await clock.advance(2_000);
    await answer;
    const results = (await history(session)).filter((message) => message.role === 'tool');
    expect(results.map((message) => message.content)).toEqual([
      'fast done',
      'Cancelled before it finished. Its effects are unknown.',
      'fast done',
    ]);
    expect((await history(session)).at(-1)).toMatchObject({ role: 'assistant' });
    expect(recorder.of('orchestrator:complete')[0]).toMatchObject({ status: 'cancelled' });
    expect(recorder.of('execution:end')[0]).toMatchObject({ status: 'cancelled' });
    expect(recorder.names().at(-1)).toBe('cancel:completed');
  });

  it('lets running tools finish when it is graceful, and asks the model no more', async () => {
    let open = () => {};
    const { session, model } = await start({
      script: [{ text: 'Working.', tool_calls: [{ name: 'slow' }] }],
      tools: [
        tool('slow', async () => {
          await new Promise<void>((resolve) => {
            open = resolve;
          });
          return toolSuccess('really done');
        }),
      ],
    });
    const answer = session.execute('Go');
    await until(() => session.coordinator.cancellation.runningToolNames.length === 1);
    await session.coordinator.requestCancel('graceful');
    open();
    expect(await answer).toBe('Working.');
    expect((await history(session))[2]?.content).toBe('really done');
    expect(model.requests).toHaveLength(1);
    expect(session.status.state).toBe('cancelled');
  });

  it('ends a model call at once when it is immediate', async () => {
    const { session, model } = await start({ script: [{ hang: true }] });
    const answer = session.execute('Go');
    await until(() => model.requests.length === 1);
    await session.coordinator.requestCancel('immediate');
    await answer;
    expect(roles(await history(session))).toEqual(['user', 'assistant']);
  });
});

describe('limits and ends', () => {
  it('asks once more for a conclusion, without tools, when the steps are used up', async () => {
    const { session, model, recorder } = await start({
      script: (request) =>
        request.tool_choice === 'none'
          ? { text: 'Got halfway.', tool_calls: [{ name: 'look' }] }
          : { tool_calls: [{ name: 'look' }] },
      tools: [tool('look')],
      config: { max_iterations: 2 },
    });
    expect(await session.execute('Go')).toBe('Got halfway.');
    expect(model.requests).toHaveLength(3);
    expect(model.requests[2]?.messages.at(-1)?.content).toContain('limit of 2 steps');
    expect(recorder.of('orchestrator:complete')[0]).toMatchObject({
      status: 'incomplete',
      metadata: { reason: 'max_iterations' },
    });
    const messages = await history(session);
    expect(messages.at(-1)).not.toHaveProperty('tool_calls');
    expect(JSON.stringify(messages)).not.toContain('limit of 2 steps');
  });

  it('ends at the limit with what was said before when the conclusion cannot be had', async () => {
    const { session, recorder } = await start({
      script: [
        { text: 'Step one.', tool_calls: [{ name: 'look' }] },
        { error: new ProviderUnavailableError('down') },
      ],
      tools: [tool('look')],
      config: { max_iterations: 1 },
    });
    expect(await session.execute('Go')).toBe('Step one.');
    expect(session.coordinator.diagnostics[0]).toMatchObject({ code: 'WRAP_UP_FAILED' });
    expect(recorder.of('orchestrator:complete')[0]).toMatchObject({ metadata: { reason: 'max_iterations' } });
  });

  it('does not take silence for an answer: it asks once more, then says that there was none', async () => {
    const spoken = await start({ script: [{}, { text: 'Here it is.' }] });
    expect(await spoken.session.execute('Go')).toBe('Here it is.');
    const silent = await start({ script: [{}, {}] });
    expect(await silent.session.execute('Go')).toBe('');
    expect(silent.recorder.of('orchestrator:complete')[0]).toMatchObject({
      status: 'incomplete',
      metadata: { reason: 'empty_response' },
    });
  });

  it('says when the answer was filtered or cut short', async () => {
    for (const [finish_reason, reason] of [
      ['content_filter', 'content_filter'],
      ['length', 'length'],
    ] as const) {
      const { session, recorder } = await start({ script: [{ text: 'Well', finish_reason }] });
      await session.execute('Go');
      expect(recorder.of('orchestrator:complete')[0]).toMatchObject({ metadata: { reason } });
    }
  });
});

describe('a request the model finds too long', () => {
  it('is sent once more in a smaller view, and the history stays whole', async () => {
    const { session, model } = await start({
      script: (_request, call) =>
        call === 0 ? { error: new ContextLengthError('too long') } : { text: 'Fits.' },
    });
    const long = Array.from(
      { length: 20 },
      (_, n): Message => ({ role: 'user', content: `${n} ${'x'.repeat(2_000)}` }),
    );
    await session.coordinator.mounts.one('context')?.setMessages(long);
    expect(await session.execute('Go')).toBe('Fits.');
    const sizes = model.requests.map((request) => JSON.stringify(request.messages).length);
    expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) * 0.7);
    expect(await history(session)).toHaveLength(22);
  });

  it('fails when the smaller view is refused too', async () => {
    const { session, model } = await start({ script: () => ({ error: new ContextLengthError('too long') }) });
    await expect(session.execute('Go')).rejects.toThrow('too long');
    expect(model.requests).toHaveLength(2);
  });
});

describe('failover', () => {
  const spare = (script: Script, priority = 200) =>
    new ScriptedProvider(script, { name: 'spare', priority, model: 'spare-1' });

  it('goes to the next provider by priority while nothing was shown, and stays there', async () => {
    const other = spare([{ tool_calls: [{ name: 'look' }] }, { text: 'Spare here.' }]);
    const { session, model, recorder } = await start({
      script: [{ error: new ProviderUnavailableError('down') }],
      tools: [tool('look')],
      providers: [other],
    });
    expect(await session.execute('Go')).toBe('Spare here.');
    expect(model.requests).toHaveLength(1);
    expect(other.requests).toHaveLength(2);
    expect(recorder.of('provider:error')).toHaveLength(1);
    expect(recorder.of('orchestrator:complete')[0]).toMatchObject({
      metadata: { provider: 'spare', model: 'spare-1' },
    });
  });

  it('asks the provider with the lowest number first', async () => {
    const first = spare([{ text: 'Me first.' }], 1);
    const { session } = await start({ script: [{ text: 'never' }], providers: [first] });
    expect(await session.execute('Go')).toBe('Me first.');
  });

  it('does not happen after something was shown, nor for a request that is wrong itself', async () => {
    const other = spare([{ text: 'never' }]);
    const wrong = await start({
      script: [{ error: new InvalidRequestError('bad schema') }],
      providers: [other],
    });
    await expect(wrong.session.execute('Go')).rejects.toThrow('bad schema');
    const broken = await start({ script: [], providers: [other] });
    broken.model.complete = async (_request, options) => {
      options?.onDelta?.({ type: 'text', index: 0, text: 'Half an ans' });
      throw new StreamError('cut');
    };
    await expect(broken.session.execute('Go')).rejects.toThrow('cut');
    expect(broken.recorder.of('execution:end')[0]).toMatchObject({ response: 'Half an ans' });
    expect(other.requests).toHaveLength(0);
  });
});

describe('what comes in from outside', () => {
  it('steering is taken between steps, and before a turn would end', async () => {
    const inbox: Message[][] = [
      [],
      [{ role: 'user', content: 'Use tabs.' }],
      [{ role: 'user', content: 'Wait!' }],
    ];
    const { session, model } = await start({
      script: [{ tool_calls: [{ name: 'look' }] }, { text: 'Done?' }, { text: 'Done.' }],
      tools: [tool('look')],
    });
    session.coordinator.registerCapability('session.steer', async () => inbox.shift() ?? []);
    expect(await session.execute('Go')).toBe('Done.');
    expect(model.requests[1]?.messages.at(-1)?.content).toBe('Use tabs.');
    expect(model.requests[2]?.messages.at(-1)?.content).toBe('Wait!');
    expect(roles(await history(session))).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('calls left open by a crash are declared interrupted, and are not run again', async () => {
    let ran = 0;
    const { session, model } = await start({
      script: [{ text: 'I see.' }],
      tools: [
        tool('delegate', async () => {
          ran++;
          return toolSuccess();
        }),
      ],
    });
    const calls = ['a', 'b'].map((id) => ({ id, tool: 'delegate', arguments: {} }));
    await session.coordinator.mounts.one('context')?.setMessages([
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: '', tool_calls: calls },
      { role: 'tool', tool_call_id: 'a', content: 'first' },
    ]);
    await session.execute('And?');
    const sent = model.requests[0]?.messages.filter((message) => message.role === 'tool') ?? [];
    expect(sent.map((message) => message.tool_call_id)).toEqual(['a', 'b']);
    expect(sent[1]?.content).toContain('This call was interrupted');
    expect(ran).toBe(0);
  });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await settle();
}

function nested(depth: number): JsonObject {
  const top: JsonObject = {};
  let inner = top;
  for (let level = 0; level < depth; level++) {
    const next: JsonObject = {};
    inner.a = next;
    inner = next;
  }
  return top;
}
