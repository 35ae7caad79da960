import { type Message, type Tool, toolSuccess } from '@amplifier/core';
import { scriptedSession } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import * as contextSimple from '../../contexts/context-simple.js';
import { loopStreaming } from '../../orchestrators/loop.js';
import * as offline from './offline.js';
import { planSteps } from './plan-steps.js';

function tool(name: string, properties: string[], answer: (input: Record<string, unknown>) => unknown): Tool {
  return {
    name,
    description: name,
    inputSchema: { type: 'object', properties: Object.fromEntries(properties.map((key) => [key, {}])) },
    execute: async (input) => toolSuccess(answer(input)),
  };
}

const TOOLS = [
  tool('read_file', ['file_path'], ({ file_path }) => `text of ${file_path}`),
  tool('glob', ['pattern'], ({ pattern }) => `files like ${pattern}`),
  tool('grep', ['pattern'], ({ pattern }) => `lines with ${pattern}`),
  tool('delegate', ['agent', 'instruction'], ({ agent, instruction }) => `${agent} did: ${instruction}`),
];

async function run(prompt: string, tools = TOOLS): Promise<{ answer: string; messages: Message[] }> {
  const { session } = scriptedSession({
    tools,
    modules: {
      'loop-streaming': loopStreaming,
      'context-simple': contextSimple,
      'provider-scripted': offline,
    },
    plan: { session: { orchestrator: 'loop-streaming', context: 'context-simple' } },
  });
  await session.initialize();
  const answer = await session.execute(prompt);
  return { answer, messages: (await session.coordinator.mounts.one('context')?.getMessages()) ?? [] };
}

it('says that it is no language model and reports what the tools really returned', async () => {
  const { answer } = await run('read notes.md\ngrep "needle"');
  expect(answer).toContain('no language model');
  expect(answer).toContain('Read `notes.md`:\n\n```\ntext of notes.md\n```');
  expect(answer).toContain('lines with needle');
});

it('answers in words and never in JSON, also what its own agents answered, each with one notice', async () => {
  const tools = [
    tool('glob', ['pattern'], () => ({ files: ['a.md', 'docs/b.md'] })),
    tool('bash', ['command'], () => ({ exit_code: 0, stdout: 'hello\n', stderr: '' })),
  ];
  const { answer: child } = await run('glob *.md\nrun: echo hello', tools);
  expect(child).toContain('Looked for `*.md`: 2 files\n\n- a.md\n- docs/b.md');
  expect(child).toContain('Ran `echo hello`:\n\n```\nhello\n```');
  const asked = tool('delegate', ['agent', 'instruction'], () => ({ response: child, status: 'success' }));
  const { answer } = await run('delegate explorer: glob *.md', [asked]);
  expect(answer).toContain('**explorer** was asked to glob *.md:\n\n> Looked for `*.md`: 2 files');
  expect(answer).not.toContain('{');
  expect(answer.match(/no language model/g)).toHaveLength(1);
});

it('delegates by plan, in parallel within a stage and one stage after the other', async () => {
  const { answer, messages } = await run(
    '1. delegate explorer: map the code\n2. delegate critic: find faults\nthen\n- delegate writer: sum it up',
  );
  const stages = messages.flatMap(({ tool_calls }) =>
    tool_calls ? [tool_calls.map((call) => call.arguments)] : [],
  );
  expect(stages).toEqual([
    [
      { agent: 'explorer', instruction: 'map the code' },
      { agent: 'critic', instruction: 'find faults' },
    ],
    [{ agent: 'writer', instruction: 'sum it up' }],
  ]);
  expect(answer).toContain('writer did: sum it up');
});

it('does as told again in the next turn, and gives the same answer to the same request', async () => {
  const first = await run('What is in README.md and src/main.ts?');
  expect(first.answer).toContain('text of README.md');
  expect(first.answer).toContain('text of src/main.ts');
  expect((await run('What is in README.md and src/main.ts?')).answer).toBe(first.answer);
});

it('lists the folder when an instruction names no file, and does nothing without tools', async () => {
  expect((await run('Look around')).answer).toContain('files like *');
  expect((await run('Look around', [])).answer).toContain('nothing was done');
  expect((await run('delegate x: y', [])).answer).toContain('No tool here can do this:\ndelegate x: y');
});

it("does not carry out what a quoted parent's conversation says", () => {
  const text = '[PARENT CONVERSATION CONTEXT]\ndelegate explorer: again\n[END]\n\n[YOUR TASK]\nread a.md';
  const specs = TOOLS.map(({ name, description, inputSchema: parameters }) => ({
    name,
    description,
    parameters,
  }));
  expect(planSteps(text.slice(text.indexOf('[YOUR TASK]')), specs).stages).toEqual([
    [{ name: 'read_file', arguments: { file_path: 'a.md' } }],
  ]);
});
