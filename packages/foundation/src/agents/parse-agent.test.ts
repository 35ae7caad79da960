import { describe, expect, it } from 'vitest';
import { FoundationError } from '../errors.js';
import { agentFragment } from './agent-fragment.js';
import { parseAgent } from './parse-agent.js';

const parse = (text: string, file = '/agents/file-name.md') => parseAgent(text, file).agent;

describe('an agent file', () => {
  it.each([
    ['lists without end', `---\nname: a\ntools: ${'['.repeat(20_000)}\n---`],
    ['closed lists without end', `---\nname: a\ntools: ${'['.repeat(200)}${']'.repeat(200)}\n---`],
    ['aliases that multiply', `---\na: &a [${'x, '.repeat(99)}x]\n${bomb()}\n---`],
    [
      'mappings that are merged many times',
      `---\na: &a {${Array.from({ length: 2000 }, (_, at) => `k${at}: 1`)}}\n${'b: {<<: *a}\n'.repeat(2000)}---`,
    ],
    ['an alias of what it is in', '---\na: &a\n  b: *a\n---'],
    ['megabytes of text', `---\nname: ${'x'.repeat(5_000_000)}\n---`],
  ])('is refused in words for %s', (_name, text) => {
    expect(() => parse(text)).toThrow(FoundationError);
    expect(() => parse(text)).toThrow(/The YAML cannot be read/);
  });

  it('is refused for aliases that multiply before they are expanded', () => {
    expect(() => parse(`---\na: &a [${'x, '.repeat(99)}x]\n${bomb()}\n---`)).toThrow(
      /more than 200000 members/,
    );
  });

  it('may use anchors and aliases', () => {
    const agent = parse('---\nmeta:\n  name: &n scout\n  description: *n\n---\nYou scout.\n');
    expect(agent).toMatchObject({ name: 'scout', description: 'scout' });
  });

  it('is Markdown with meta, and its body is the instruction', () => {
    const agent = parse(
      '---\nmeta:\n  name: scout\n  description: Looks around.\n---\n\nYou scout.\n\n---\n\nMore.\n',
    );
    expect(agent).toMatchObject({
      name: 'scout',
      description: 'Looks around.',
      instruction: 'You scout.\n\n---\n\nMore.',
    });
  });

  it('may name itself at the top level', () => {
    expect(parse('---\nname: flat\ndescription: d\n---\nHi')).toMatchObject({
      name: 'flat',
      description: 'd',
    });
  });

  it('takes the name of its file when it gives none, also without any frontmatter', () => {
    expect(parse('---\ndescription: d\n---\nHi').name).toBe('file-name');
    expect(parse('Just a prompt.')).toMatchObject({ name: 'file-name', instruction: 'Just a prompt.' });
  });

  it('takes system.instruction where the body is empty, and the body where both are there', () => {
    const head = '---\nname: a\nsystem:\n  instruction: From the head.\n---\n';
    expect(parse(`${head}\n  \n`).instruction).toBe('From the head.');
    expect(parse(`${head}From the body.`).instruction).toBe('From the body.');
  });

  it('tolerates a byte order mark, CRLF and spaces after a fence', () => {
    const agent = parse('\uFEFF---  \r\nname: win\r\ndescription: d\r\n---\t\r\nLine one.\r\nLine two.\r\n');
    expect(agent).toMatchObject({ name: 'win', instruction: 'Line one.\nLine two.' });
  });

  it('only takes a fence that stands alone on its line', () => {
    const agent = parse('---\nname: a\ndescription: "x --- y"\nnote: |\n  text\n  --- no fence\n---\nBody');
    expect(agent.frontmatter.note).toBe('text\n--- no fence');
  });

  it('keeps keys it does not know, meta extras at the top of the fragment', () => {
    const agent = parse(
      '---\nmeta:\n  name: a\n  description: d\n  model_role: fast\n  colour: blue\nspawn_mode: subprocess\n---\nHi',
    );
    expect(agentFragment(agent)).toEqual({
      name: 'a',
      description: 'd',
      model_role: 'fast',
      colour: 'blue',
      spawn_mode: 'subprocess',
      instruction: 'Hi',
    });
  });

  it('carries tools, providers and hooks as bare names or mappings, roles and preferences', () => {
    const text = `---
name: a
model_role: [coding, general]
provider_preferences:
  - { provider: anthropic, model: claude-haiku-*, config: { reasoning_effort: low } }
tools: [tool-search, { module: tool-bash, config: { allowed: [ls] } }]
hooks: [hooks-logging]
providers: []
agents: [explorer]
session: { orchestrator: { config: { max_iterations: 5 } } }
---`;
    expect(agentFragment(parse(text))).toMatchObject({
      model_role: ['coding', 'general'],
      provider_preferences: [{ provider: 'anthropic', model: 'claude-haiku-*' }],
      tools: ['tool-search', { module: 'tool-bash', config: { allowed: ['ls'] } }],
      agents: ['explorer'],
      session: { orchestrator: { config: { max_iterations: 5 } } },
    });
  });

  it('forwards agents: all and none, and leaves a mapping alone', () => {
    expect(agentFragment(parse('---\nagents: none\n---')).agents).toBe('none');
    expect(agentFragment(parse('---\nagents: { include: [a] }\n---'))).not.toHaveProperty('agents');
  });

  it('reads lists that close at the margin, merge keys and dates as other readers do', () => {
    const agent = parse(
      '---\nname: x\nbase: &base { a: 1 }\ntools: [\n  tool-a,\n]\nown:\n  <<: *base\n  day: 2026-01-02\n---',
    );
    expect(agent.frontmatter.tools).toEqual(['tool-a']);
    expect(agent.frontmatter.own).toEqual({ a: 1, day: '2026-01-02' });
  });

  it('counts the last of two equal keys and says so', () => {
    const { agent, warnings } = parseAgent('---\nname: a\nname: b\n---', '/a.md');
    expect(agent.name).toBe('b');
    expect(warnings[0]?.message).toMatch(/^\/a\.md:3: .*second time/);
  });

  it('gives a fragment that shares nothing with the agent', () => {
    const agent = parse('---\ntools: [{ module: t, config: { a: [1] } }]\n---');
    const fragment = agentFragment(agent) as { tools: { config: { a: number[] } }[] };
    fragment.tools[0]?.config.a.push(2);
    expect(agentFragment(agent)).toMatchObject({ tools: [{ config: { a: [1] } }] });
  });
});

describe('a bad agent file says where and what to do', () => {
  const cases: [string, string, string, number, RegExp][] = [
    ['broken YAML', '---\nname: a\ndescription: use it: when\n---', 'INVALID_YAML', 3, /quotes/],
    ['no closing fence', '---\nname: a\n\nBody', 'FRONTMATTER_NOT_CLOSED', 1, /Add a line with only ---/],
    ['frontmatter that is a list', '---\n- a\n---', 'INVALID_YAML', 2, /mapping/],
    [
      'tools as text',
      '---\nname: a\ntools: all of them\n---',
      'INVALID_AGENT',
      3,
      /tools must be a list.*write \[tool-/,
    ],
    [
      'a tool without module',
      '---\nname: a\ntools:\n  - tool-a\n  - { id: x }\n---',
      'INVALID_AGENT',
      5,
      /tools\[1\]/,
    ],
    [
      'unknown agents value',
      '---\nname: a\nagents: some\n---',
      'INVALID_AGENT',
      3,
      /all, none or a list.*"some"/,
    ],
    ['a name that is a number', '---\nmeta:\n  name: 5\n---', 'INVALID_AGENT', 3, /meta\.name must be text/],
    ['a role of the wrong type', '---\nmodel_role: { a: 1 }\n---', 'INVALID_AGENT', 2, /model_role: coding/],
    [
      'a preference without model',
      '---\nprovider_preferences:\n  - provider: x\n---',
      'INVALID_AGENT',
      3,
      /model is missing/,
    ],
    [
      'an alias bomb',
      `---\na: &a [x]\n${'bcdefghijk'
        .split('')
        .map((k, i) => `${k}: &${k} [${Array(9).fill(`*${'abcdefghijk'[i]}`).join(', ')}]`)
        .join('\n')}\n---`,
      'INVALID_YAML',
      0,
      /larger|too large|deep|members/i,
    ],
  ];
  it.each(cases)('%s', (_, text, code, line, message) => {
    const error = (() => {
      try {
        return parseAgent(text, '/agents/bad.md');
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(FoundationError);
    expect(error).toMatchObject({ code, file: '/agents/bad.md' });
    if (line > 0) expect(error).toMatchObject({ line });
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).toMatch(
      line > 0 ? new RegExp(`^/agents/bad\\.md:${line}: `) : /^\/agents\/bad\.md/,
    );
  });
});

/** Each line is a hundred of the one before. */
function bomb(): string {
  return ['b', 'c', 'd', 'e']
    .map((name, at) => `${name}: &${name} [${`*${'abcd'[at]}, `.repeat(99)}*${'abcd'[at]}]`)
    .join('\n');
}
