import { ModuleLoader, Session, textOf } from '@amplifier/core';
import { recordEvents, ScriptedProvider, scriptedProviderModule, TempGitRepo } from '@amplifier/testkit';
import { grantForSafetyMode } from '@amplifier/workspace';
import { expect, it } from 'vitest';
import { builtinModules } from './builtin-modules.js';

const STEPS = [
  { text: 'I look first.', tool_calls: [{ id: 'c1', name: 'grep', arguments: { pattern: 'helo' } }] },
  { tool_calls: [{ id: 'c2', name: 'read_file', arguments: { file_path: 'greet.sh' } }] },
  {
    tool_calls: [
      {
        id: 'c3',
        name: 'edit_file',
        arguments: { file_path: 'greet.sh', old_string: 'helo', new_string: 'hello' },
      },
      { id: 'c4', name: 'todo', arguments: { action: 'create', todos: [{ content: 'Run it' }] } },
    ],
  },
  {
    thinking: 'Does it run?',
    tool_calls: [{ id: 'c5', name: 'bash', arguments: { command: 'sh greet.sh' } }],
  },
  { tool_calls: [{ id: 'c6', name: 'write_file', arguments: { file_path: '../escape.txt', content: 'x' } }] },
  { text: 'Fixed: it says hello.' },
];

it('a session with real tools edits a file, runs a command and answers, with the events in contract order', async () => {
  await using repo = await TempGitRepo.create({ 'greet.sh': 'echo helo world\n' });
  const model = new ScriptedProvider(STEPS);
  await using session = new Session({
    plan: {
      session: { orchestrator: 'loop-streaming', context: 'context-simple' },
      providers: ['provider-scripted'],
      tools: ['tool-filesystem', 'tool-bash', 'tool-search', 'tool-todo'],
      hooks: ['hooks-cost', 'hooks-redaction', 'hooks-streaming-ui'],
    },
    loader: new ModuleLoader({
      builtins: { ...builtinModules, 'provider-scripted': () => scriptedProviderModule(model) },
    }),
  });
  const { coordinator } = session;
  coordinator.registerCapability('session.working_dir', repo.path);
  const safety = { cwd: repo.path, trusted: true, unconfinedExec: true };
  coordinator.registerCapability('session.grant', grantForSafetyMode('write', safety));
  await session.initialize();
  expect(coordinator.diagnostics).toEqual([]);
  const recorder = recordEvents(coordinator.hooks);

  expect(await session.execute('Fix the greeting.')).toBe('Fixed: it says hello.');

  expect(await repo.read('greet.sh')).toBe('echo hello world\n');
  const messages = (await coordinator.mounts.one('context')?.getMessages()) ?? [];
  const results = new Map(
    messages.flatMap((message) => (message.tool_call_id ? [[message.tool_call_id, message]] : [])),
  );
  expect([...results.keys()]).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c6']);
  const resultOf = (id: string) => textOf(results.get(id)?.content ?? '');
  expect(JSON.parse(resultOf('c1'))).toEqual({ files: ['greet.sh'] });
  expect(JSON.parse(resultOf('c5'))).toMatchObject({ exit_code: 0, stdout: 'hello world\n' });
  expect(resultOf('c6')).toMatch(/not allowed/);

  const contract = recorder
    .names()
    .filter((name) => /^(session:start|execution:|provider:re|tool:|orchestrator:)/.test(name));
  const model_call = ['provider:request', 'provider:response'];
  const tool_call = ['tool:pre', 'tool:post'];
  expect(contract.filter((name) => !name.startsWith('tool:'))).toEqual([
    'session:start',
    'execution:start',
    ...STEPS.flatMap(() => model_call),
    'execution:end',
    'orchestrator:complete',
  ]);
  expect(contract.slice(2, 10)).toEqual([...model_call, ...tool_call, ...model_call, ...tool_call]);
  expect(recorder.of('tool:pre').map((event) => event.tool_call_id)).toEqual([
    'c1',
    'c2',
    'c3',
    'c4',
    'c5',
    'c6',
  ]);
  const group = (id: string) =>
    recorder.of('tool:pre').find((event) => event.tool_call_id === id)?.parallel_group_id;
  expect(group('c3')).toBe(group('c4'));
  expect(group('c5')).not.toBe(group('c4'));
  expect(recorder.of('orchestrator:complete')[0]).toMatchObject({
    orchestrator: 'loop-streaming',
    status: 'success',
  });

  expect(recorder.of('ui:text').map((event) => event.text)).toEqual([
    'I look first.',
    'Fixed: it says hello.',
  ]);
  expect(recorder.of('ui:thinking').map((event) => event.text)).toEqual(['Does it run?']);
  expect(recorder.of('ui:tool_end').map((event) => event.success)).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
  ]);
  expect(coordinator.getCapability('session.cost_report')?.().calls).toBe(STEPS.length);
});

it('asks before a file changes, remembers the answer for that change alone, and keeps secrets out of the conversation', async () => {
  const key = `sk-ant-${'a1B2'.repeat(8)}`;
  await using repo = await TempGitRepo.create({ '.env': `KEY=${key}\n` });
  const write = (id: string, content: string) => ({
    tool_calls: [{ id, name: 'write_file', arguments: { file_path: 'a.txt', content } }],
  });
  const model = new ScriptedProvider([
    write('w1', 'one'),
    write('w2', 'one'),
    write('w3', 'two'),
    { tool_calls: [{ id: 'b1', name: 'bash', arguments: { command: 'rm -rf .' } }] },
    { tool_calls: [{ id: 'r1', name: 'read_file', arguments: { file_path: '.env' } }] },
    { text: 'Done.' },
  ]);
  const asked: string[] = [];
  await using session = new Session({
    id: 'child-7',
    parent_id: 'root-1',
    plan: {
      session: {
        orchestrator: 'loop-streaming',
        context: 'context-simple',
        metadata: { agent_name: 'builder' },
      },
      providers: ['provider-scripted'],
      tools: ['tool-filesystem', 'tool-bash'],
      hooks: ['hooks-approval', 'hooks-redaction'],
    },
    loader: new ModuleLoader({
      builtins: { ...builtinModules, 'provider-scripted': () => scriptedProviderModule(model) },
    }),
    approval: {
      async requestApproval({ prompt }) {
        asked.push(prompt);
        return prompt.includes('bash') ? 'Deny' : 'Allow always';
      },
    },
  });
  const { coordinator } = session;
  coordinator.registerCapability('session.working_dir', repo.path);
  const safety = { cwd: repo.path, trusted: true, unconfinedExec: true };
  coordinator.registerCapability('session.grant', grantForSafetyMode('write', safety));
  await session.initialize();
  await session.execute('go');

  expect(asked).toEqual([
    "Agent 'builder' (child-7, child of root-1) wants to use write_file: a.txt",
    "Agent 'builder' (child-7, child of root-1) wants to use write_file: a.txt",
    "Agent 'builder' (child-7, child of root-1) wants to use bash: rm -rf .",
  ]);
  expect(await repo.read('a.txt')).toBe('two');
  const messages = JSON.stringify(await coordinator.mounts.one('context')?.getMessages());
  expect(messages).toContain('Denied by hook');
  expect(messages).toContain('KEY=[REDACTED]');
  expect(messages + JSON.stringify(model.requests)).not.toContain(key);
});

it('every module of the registry can be loaded and mounts', async () => {
  for (const [id, load] of Object.entries(builtinModules))
    expect(typeof (await load()).mount, id).toBe('function');
});
