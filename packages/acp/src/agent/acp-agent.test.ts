import { symlink } from 'node:fs/promises';
import {
  type ClientContext,
  client,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import {
  type AmplifierModule,
  type ChatRequest,
  type JsonObject,
  ModuleLoader,
  textOf,
  toolSuccess,
} from '@amplifier/core';
import { Delegator, delegationModules } from '@amplifier/delegation';
import { openSessionStore } from '@amplifier/sessions';
import {
  memoryContextModule,
  minimalLoopModule,
  ScriptedProvider,
  type ScriptedTurn,
  TempWorkspace,
} from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { AcpAgent } from './acp-agent.js';

type Scene = (prompt: string, system: string, results: string[]) => ScriptedTurn;

/** A whole product behind the acp: scripted model, real files, a sub-agent, a tool that needs permission. */
async function editor(scene: Scene, folder?: string) {
  const workspace = await TempWorkspace.create();
  const model = new ScriptedProvider((request) => {
    const { prompt, system, results } = about(request);
    return scene(prompt, system, results);
  });
  const modules: Record<string, AmplifierModule> = {
    loop: minimalLoopModule,
    context: memoryContextModule,
    provider: { mount: ({ mounts }) => mounts.mount('providers', model) },
    tools: {
      mount: ({ mounts, hooks }) => {
        for (const name of ['echo', 'danger', 'todo'])
          mounts.mount('tools', {
            name,
            description: name,
            inputSchema: { type: 'object' },
            execute: async (input) => toolSuccess(JSON.stringify(input)),
          });
        hooks.register('tool:pre', (_event, { tool_name }) =>
          tool_name === 'danger'
            ? { action: 'ask_user', approval_prompt: 'Run danger?', approval_options: ['allow', 'deny'] }
            : { action: 'continue' },
        );
      },
    },
  };
  const loader = new ModuleLoader({
    builtins: {
      ...delegationModules,
      ...Object.fromEntries(Object.entries(modules).map(([id, module]) => [id, () => module])),
    },
  });
  const store = await openSessionStore(`${folder ?? workspace.resolve('sessions')}/record.db`);
  const delegator = new Delegator({
    store,
    loader,
    onQuestion: (question) => void acp.onQuestion(question, delegator),
  });
  const plan = {
    session: { orchestrator: 'loop', context: 'context' },
    providers: ['provider'],
    tools: ['tools', 'tool-delegate'],
    agents: { explorer: { description: 'Explores.', instruction: 'You are the explorer.' } },
  };
  const begun: JsonObject[] = [];
  const acp = new AcpAgent({
    cwd: workspace.path,
    open: async () => ({
      store,
      models: async () => [
        { id: 'small', name: 'Small' },
        { id: 'large', name: 'Large' },
      ],
      start: async (session, turn) => {
        const { id, cwd, safety_mode, model: chosen } = session;
        begun.push({ cwd, safety_mode, model: chosen });
        const request = { plan, trusted: true, system_prompt: 'You are the root.', cwd, safety_mode };
        return (await delegator.start({ ...request, session_id: id, ...turn })).outcome;
      },
      resume: async ({ id, safety_mode }, { instruction, ...watching }) => {
        begun.push({ safety_mode });
        return (await delegator.resume(id, instruction, watching)).outcome;
      },
    }),
  });
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const answers = { permission: 'allow' };
  const connection = client({ name: 'editor' })
    .onRequest('session/request_permission', ({ params }) => {
      asked.push(params);
      return { outcome: { outcome: 'selected', optionId: answers.permission } };
    })
    .onNotification('session/update', ({ params }) => {
      updates.push(params.update);
    })
    .connect(await acp.app());
  const agent: ClientContext = connection.agent;
  const initialized = await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  return {
    agent,
    initialized,
    updates,
    asked,
    answers,
    begun,
    store,
    folder: workspace.resolve('sessions'),
    cwd: workspace.path,
    prompt: (sessionId: string, text: string) =>
      agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    async [Symbol.asyncDispose]() {
      connection.close();
      await store.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

function about({ messages }: ChatRequest) {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const texts = (role: string, from = 0) =>
    messages
      .slice(from)
      .filter((message) => message.role === role)
      .map(({ content }) => textOf(content));
  return { prompt: texts('user').at(-1) ?? '', system: texts('system').join(), results: texts('tool', last) };
}

const said = (updates: SessionUpdate[]) =>
  updates.flatMap((update) =>
    update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
      ? [update.content.text]
      : [],
  );
const calling = (name: string, input: JsonObject): ScriptedTurn => ({
  tool_calls: [{ name, arguments: input }],
});

describe('an editor drives Amplifier', () => {
  it('shakes hands, opens a session with modes and models, and streams the answer', async () => {
    await using bench = await editor(() => ({ text: 'Hello there.' }));
    expect(bench.initialized).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
    const opened = await bench.agent.request('session/new', { cwd: bench.cwd, mcpServers: [] });
    expect(opened).toMatchObject({
      modes: { currentModeId: 'write' },
      configOptions: [{ id: 'mode' }, { id: 'model', currentValue: 'small' }],
    });
    const { sessionId } = opened;
    await bench.agent.request('session/set_mode', { sessionId, modeId: 'read_only' });
    await bench.agent.request('session/set_config_option', { sessionId, configId: 'model', value: 'large' });
    expect(await bench.prompt(sessionId, 'Hi.')).toMatchObject({ stopReason: 'end_turn' });
    expect(said(bench.updates).join('')).toBe('Hello there.');
    expect(bench.begun).toMatchObject([{ safety_mode: 'read_only', model: 'large', cwd: bench.cwd }]);
    const other = { sessionId, configId: 'model', value: 'small' };
    await expect(bench.agent.request('session/set_config_option', other)).rejects.toThrow(
      /settled with its first prompt/,
    );
    await bench.agent.request('session/set_mode', { sessionId, modeId: 'propose' });
    await bench.prompt(sessionId, 'Hi again.');
    expect(bench.begun.at(-1)).toMatchObject({ safety_mode: 'propose' });
  });

  it('shows a sub-agent as a tool call with its progress', async () => {
    await using bench = await editor((_prompt, system, results) => {
      if (system.includes('explorer'))
        return results.length === 0 ? calling('echo', { path: 'a.txt' }) : { text: 'Found it.' };
      return results.length === 0
        ? calling('delegate', { agent: 'explorer', instruction: 'Look around.' })
        : { text: 'The explorer found it.' };
    });
    const { sessionId } = await bench.agent.request('session/new', { cwd: bench.cwd, mcpServers: [] });
    await bench.prompt(sessionId, 'Find it.');
    const calls = bench.updates.filter((update) => update.sessionUpdate === 'tool_call');
    expect(calls).toMatchObject([{ title: 'delegate explorer: Look around.', status: 'in_progress' }]);
    const progress = JSON.stringify(
      bench.updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call_update'),
    );
    expect(progress).toContain('explorer has begun');
    expect(progress).toContain('explorer: echo a.txt');
    expect(progress).toContain('"status":"completed"');
    expect(said(bench.updates).at(-1)).toBe('The explorer found it.');
  });

  it.each([
    ['allow', 'completed'],
    ['deny', 'failed'],
  ])('asks for permission and goes by the answer: %s', async (answer, status) => {
    await using bench = await editor((_prompt, _system, results) =>
      results.length === 0 ? calling('danger', { command: 'rm' }) : { text: 'Over.' },
    );
    bench.answers.permission = answer;
    const { sessionId } = await bench.agent.request('session/new', { cwd: bench.cwd, mcpServers: [] });
    expect(await bench.prompt(sessionId, 'Do it.')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.asked).toMatchObject([
      {
        sessionId,
        toolCall: { title: expect.stringContaining('Run danger?') },
        options: [
          { optionId: 'allow', kind: 'allow_once' },
          { optionId: 'deny', kind: 'reject_once' },
        ],
      },
    ]);
    const ended = bench.updates.findLast(({ sessionUpdate }) => sessionUpdate === 'tool_call_update');
    if (answer === 'allow') expect(ended).toMatchObject({ status });
  });

  it('shows the plan', async () => {
    const todos = [{ content: 'Look', status: 'in_progress' }];
    await using bench = await editor((_prompt, _system, results) =>
      results.length === 0 ? calling('todo', { action: 'create', todos }) : { text: 'Planned.' },
    );
    const { sessionId } = await bench.agent.request('session/new', { cwd: bench.cwd, mcpServers: [] });
    await bench.prompt(sessionId, 'Plan it.');
    expect(bench.updates.find(({ sessionUpdate }) => sessionUpdate === 'plan')).toMatchObject({
      entries: [{ content: 'Look', status: 'in_progress', priority: 'medium' }],
    });
  });

  it('cancels in the middle, and the session takes another prompt', async () => {
    let cancel = () => {};
    await using bench = await editor((prompt) => {
      if (prompt !== 'Wait.') return { text: 'Back.' };
      setImmediate(() => cancel());
      return { hang: true };
    });
    const { sessionId } = await bench.agent.request('session/new', { cwd: bench.cwd, mcpServers: [] });
    cancel = () => void bench.agent.notify('session/cancel', { sessionId });
    expect(await bench.prompt(sessionId, 'Wait.')).toMatchObject({ stopReason: 'cancelled' });
    expect(await bench.prompt(sessionId, 'Again.')).toMatchObject({ stopReason: 'end_turn' });
    expect(said(bench.updates).at(-1)).toBe('Back.');
  });

  it('loads a session of another process with its history, and continues with it', async () => {
    await using first = await editor(() => ({ text: 'One.' }));
    const { sessionId } = await first.agent.request('session/new', { cwd: first.cwd, mcpServers: [] });
    await first.prompt(sessionId, 'Say one.');
    await first.store.close();
    await using second = await editor((prompt) => ({ text: `Heard ${prompt}` }), first.folder);
    const { sessions } = await second.agent.request('session/list', {});
    expect(sessions).toMatchObject([{ sessionId, cwd: first.cwd }]);
    await second.agent.request('session/load', { sessionId, cwd: first.cwd, mcpServers: [] });
    expect(second.updates).toMatchObject([
      { sessionUpdate: 'user_message_chunk', content: { text: 'Say one.' } },
      { sessionUpdate: 'agent_message_chunk', content: { text: 'One.' } },
    ]);
    await second.prompt(sessionId, 'Say two.');
    expect(said(second.updates).at(-1)).toBe('Heard Say two.');
    await expect(
      second.agent.request('session/load', { sessionId: '../x', cwd: first.cwd, mcpServers: [] }),
    ).rejects.toThrow(/no session/);
  });

  it('loads and resumes no session of another folder than the editor names', async () => {
    await using bench = await editor(() => ({ text: 'One.' }));
    const { sessionId } = await bench.agent.request('session/new', { cwd: bench.cwd, mcpServers: [] });
    await bench.prompt(sessionId, 'Say one.');
    await bench.agent.request('session/close', { sessionId });
    bench.updates.length = 0;
    await using other = await TempWorkspace.create({});
    for (const method of ['session/load', 'session/resume'] as const)
      await expect(
        bench.agent.request(method, { sessionId, cwd: other.path, mcpServers: [] }),
      ).rejects.toThrow(`works in ${bench.cwd}`);
    expect(bench.updates).toEqual([]);
    await symlink(bench.cwd, other.resolve('link'));
    await bench.agent.request('session/load', { sessionId, cwd: other.resolve('link'), mcpServers: [] });
    expect(said(bench.updates)).toEqual(['One.']);
  });

  it('tells the editor of a failure as an error, with its code', async () => {
    await using bench = await editor(() => ({ text: '' }));
    const { sessionId } = await bench.agent.request('session/new', { cwd: bench.cwd, mcpServers: [] });
    await expect(bench.prompt(sessionId, 'Hi.')).rejects.toMatchObject({ data: { code: 'EMPTY_ANSWER' } });
  });
});
