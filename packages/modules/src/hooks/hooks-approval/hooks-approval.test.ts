import { symlink } from 'node:fs/promises';
import type { ApprovalRequest, JsonObject, Tool } from '@amplifier/core';
import { mountedSession, TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { ApprovalPolicy, decide } from './approval-policy.js';
import module from './index.js';

async function verdict(policy: JsonObject, tool: string, input: JsonObject, paths: string[] = []) {
  return (await decide(ApprovalPolicy.parse(policy), { tool, input, paths })).action;
}

describe('policy', () => {
  it('asks before files change and programs run, and for nothing else, when no rule is given', async () => {
    expect(await verdict({}, 'write_file', {}, ['a.ts'])).toBe('ask');
    expect(await verdict({}, 'bash', { command: 'ls' })).toBe('ask');
    expect(await verdict({}, 'read_file', {}, ['a.ts'])).toBe('allow');
  });

  it('takes the first rule that fits and the strictest verdict over all paths', async () => {
    const rules = [
      { tool: '*', path: '**/.env*', action: 'deny' },
      { tool: 'write_file', path: 'src/**', action: 'allow' },
      { tool: 'write_file', action: 'ask' },
    ];
    expect(await verdict({ rules }, 'write_file', {}, ['src/a.ts'])).toBe('allow');
    expect(await verdict({ rules }, 'write_file', {}, ['docs/a.md'])).toBe('ask');
    expect(await verdict({ rules }, 'write_file', {}, ['src/a.ts', 'src/.env.local'])).toBe('deny');
  });

  it.each(['tool', 'path', 'command'])('patterns of a %s have no negation', (member) => {
    for (const pattern of ['!src', ['src/**', '!src/a']]) {
      const { error } = ApprovalPolicy.safeParse({ rules: [{ [member]: pattern, action: 'allow' }] });
      expect(JSON.stringify(error?.issues)).toContain('rules have no negation');
    }
  });

  it('lets no second command ride on an allowed one', async () => {
    const rules = [
      { tool: 'bash', command: 'git *', action: 'allow' },
      { tool: 'bash', action: 'deny' },
    ];
    expect(await verdict({ rules }, 'bash', { command: 'git log a/b' })).toBe('allow');
    for (const tail of ['; rm -rf x', '&& rm x', '| sh', '$(rm x)', '`rm x`', '\nrm x', '> /etc/x'])
      expect(await verdict({ rules }, 'bash', { command: `git log ${tail}` })).toBe('deny');
  });

  it('finds a command that it denies in every part of a line, and asks where it cannot', async () => {
    const rules = [
      { tool: 'bash', command: 'rm *', action: 'deny' },
      { tool: '*', action: 'allow' },
    ];
    for (const command of ['ls; rm x', 'X=1 rm x', '\trm x', 'echo "$(rm x)"', 'timeout 5 rm x'])
      expect(await verdict({ rules }, 'bash', { command })).toBe('deny');
    expect(await verdict({ rules }, 'bash', { command: '$X x' })).toBe('ask');
    expect(await verdict({ rules }, 'bash', { command: 'echo rm x' })).toBe('allow');
  });
});

const writer: Tool = {
  name: 'write_file',
  description: '',
  inputSchema: {},
  execute: async () => ({ success: true, output: 'written' }),
};
const write = (path: string) => ({ tool_calls: [{ name: 'write_file', arguments: { path } }] });

async function run(answers: string[], paths: string[], options: JsonObject = {}, agent?: string) {
  const questions: ApprovalRequest[] = [];
  await using mounted = await mountedSession({
    id: 'child-1',
    parent_id: 'root-1',
    script: [...paths.map(write), { text: 'Done.' }],
    tools: [writer],
    hookModules: { 'hooks-approval': module },
    config: { 'hooks-approval': options },
    capabilities: { 'session.working_dir': '/work' },
    approval: {
      async requestApproval(request) {
        questions.push(request);
        return answers.shift() ?? 'Deny';
      },
    },
    ...(agent ? { plan: { session: { ...SESSION, metadata: { agent_name: agent } } } } : {}),
  });
  await mounted.session.execute('go');
  const messages = await mounted.session.coordinator.mounts.one('context')?.getMessages();
  const results = messages?.filter((message) => message.role === 'tool').map((message) => message.content);
  return { questions, results };
}
const SESSION = { orchestrator: 'loop-minimal', context: 'context-memory' };

describe('asking', () => {
  it('names the child that asks, its parent, the tool and the path', async () => {
    const { questions } = await run(['Allow once'], ['src/a.ts'], {}, 'builder');
    expect(questions[0]?.prompt).toBe(
      "Agent 'builder' (child-1, child of root-1) wants to use write_file: src/a.ts",
    );
    expect(questions[0]?.session_id).toBe('child-1');
  });

  it('allows once, allows always without asking again, and denies', async () => {
    const { questions, results } = await run(
      ['Allow once', 'Allow always', 'Deny'],
      ['a.ts', 'a.ts', 'a.ts', 'b.ts'],
    );
    expect(questions).toHaveLength(3);
    expect(results?.slice(0, 3)).toEqual(['written', 'written', 'written']);
    expect(results?.[3]).toMatch(/^Denied by hook/);
  });

  it('keeps "always" per agent across sessions when it has a file', async () => {
    await using workspace = await TempWorkspace.create();
    const options = { memory_file: workspace.resolve('allowed.jsonl') };
    expect((await run(['Allow always'], ['a.ts'], options, 'builder')).questions).toHaveLength(1);
    expect((await run([], ['a.ts'], options, 'builder')).questions).toHaveLength(0);
    expect((await run([], ['a.ts'], options, 'reviewer')).questions).toHaveLength(1);
  });

  it('stores a lasting answer for the question that was answered, though another has the same words', async () => {
    const shown: string[] = [];
    const asked: string[] = [];
    const query: Tool = { ...writer, name: 'mcp_db', inputSchema: { type: 'object' } };
    const sql = (text: string) => ({ name: 'mcp_db', arguments: { text: `${'x'.repeat(3_000)}${text}` } });
    let bothAsked: () => void = () => {};
    const asking = new Promise<void>((resolve) => {
      bothAsked = resolve;
    });
    await using mounted = await mountedSession({
      script: [
        { tool_calls: [sql('pick'), sql('drop')] },
        { tool_calls: [sql('drop')] },
        { tool_calls: [sql('pick')] },
        { text: 'Done.' },
      ],
      tools: [query],
      hookModules: { 'hooks-approval': module },
      approval: {
        async requestApproval({ prompt, subject, options }) {
          const word = JSON.stringify(subject?.tool_input).includes('drop') ? 'drop' : 'pick';
          shown.push(prompt);
          asked.push(word);
          if (asked.length === 2) bothAsked();
          await asking;
          if (word === 'drop') return 'Deny';
          return options.find((option) => /exactly this call/.test(option)) ?? 'none';
        },
      },
    });
    await mounted.session.execute('go');
    expect(new Set(shown).size, 'cut to the same words').toBe(1);
    expect(asked, 'drop is asked about again, pick is not').toEqual(['pick', 'drop', 'drop']);
  });

  it('sees through a symbolic link to a forbidden file', async () => {
    await using workspace = await TempWorkspace.create({ '.env': 'x' });
    await symlink(workspace.resolve('.env'), workspace.resolve('innocent.txt'));
    await using mounted = await mountedSession({
      script: [write('innocent.txt'), { text: 'Done.' }],
      tools: [writer],
      hookModules: { 'hooks-approval': module },
      config: { 'hooks-approval': { rules: [{ path: '.env', action: 'deny' }] } },
      capabilities: { 'session.working_dir': workspace.path },
    });
    await mounted.session.execute('go');
    const messages = await mounted.session.coordinator.mounts.one('context')?.getMessages();
    expect(messages?.find((message) => message.role === 'tool')?.content).toMatch(/Rule 1 .* deny/);
  });

  it('is a denial without an approval system', async () => {
    await using mounted = await mountedSession({
      script: [write('a'), { text: 'Done.' }],
      tools: [writer],
      hookModules: { 'hooks-approval': module },
    });
    await mounted.session.execute('go');
    const messages = await mounted.session.coordinator.mounts.one('context')?.getMessages();
    expect(messages?.find((message) => message.role === 'tool')?.content).toMatch(/No approval system/);
  });
});
