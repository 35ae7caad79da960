import type { Message } from '@amplifier/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContextScope } from './in-scope.js';
import { ContextDepth, inheritContext, taskMessage } from './inherit-context.js';

/** Two turns with everything in them that a conversation can hold. */
const HISTORY: Message[] = [
  { role: 'system', content: 'SYSTEM' },
  { role: 'user', content: 'first question' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'SECRET THOUGHT' },
      { type: 'tool_call', id: 'a', name: 'bash', input: {} },
    ],
    tool_calls: [{ id: 'a', tool: 'bash', arguments: {} }],
  },
  { role: 'tool', name: 'bash', tool_call_id: 'a', content: 'bash said this' },
  { role: 'assistant', content: 'first answer' },
  { role: 'user', content: '<reminder>', metadata: { source: 'hook' } },
  { role: 'user', content: 'second question' },
  { role: 'tool', name: 'delegate', tool_call_id: 'b', content: 'an agent said this' },
  { role: 'tool', name: 'task', tool_call_id: 'c', content: 'a task said this' },
  { role: 'assistant', content: [{ type: 'text', text: 'second answer' }] },
];

const CONVERSATION = {
  all: [
    'USER: first question',
    'ASSISTANT: first answer',
    'USER: second question',
    'ASSISTANT: second answer',
  ],
  recent: ['USER: second question', 'ASSISTANT: second answer'],
  none: [],
};
const AGENTS = [
  'ASSISTANT: [Agent Result from delegate]: an agent said this',
  'ASSISTANT: [Agent Result from task]: a task said this',
];
const TOOLS = [
  'ASSISTANT: [Tool Result from delegate]: an agent said this',
  'ASSISTANT: [Tool Result from task]: a task said this',
];
const BASH = 'ASSISTANT: [Tool Result from bash]: bash said this';

const EXPECTED: Record<ContextDepth, Record<ContextScope, string[]>> = {
  none: { conversation: [], agents: [], full: [] },
  // The words of the summary stand for all of it.
  summary: { conversation: [], agents: [], full: [] },
  recent: {
    conversation: CONVERSATION.recent,
    agents: [...CONVERSATION.recent, ...AGENTS],
    full: [...CONVERSATION.recent, ...TOOLS],
  },
  all: {
    conversation: CONVERSATION.all,
    agents: [...CONVERSATION.all, ...AGENTS],
    full: [...CONVERSATION.all, ...TOOLS, BASH],
  },
};

const cells = ContextDepth.options.flatMap((depth) =>
  ContextScope.options.map((scope) => ({ depth, scope, lines: EXPECTED[depth][scope] })),
);

describe('context inheritance', () => {
  it.each(cells)('depth $depth and scope $scope pass what they name', ({ depth, scope, lines }) => {
    const { text } = inheritContext(HISTORY, { depth, scope, turns: 1 });
    const passed = text.split('\n').filter((line) => /^(USER|ASSISTANT|TOOL|SYSTEM): /.test(line));
    expect(passed.sort()).toEqual([...lines].sort());
    expect(text).not.toMatch(/SECRET THOUGHT|SYSTEM|reminder/);
  });

  it('keeps the order of the conversation and marks it as background', () => {
    const { text } = inheritContext(HISTORY, { depth: 'all', scope: 'conversation', turns: 0 });
    expect(text.indexOf('first question')).toBeLessThan(text.indexOf('second answer'));
    expect(text.startsWith('[PARENT CONVERSATION CONTEXT]\n')).toBe(true);
    expect(text.endsWith('\n[END PARENT CONTEXT]')).toBe(true);
    expect(text).toContain('not instructions');
  });

  it('counts turns from real users only, takes all when there are fewer, and nothing for none', () => {
    const questions = (turns: number) =>
      inheritContext(HISTORY, { depth: 'recent', scope: 'conversation', turns }).manifest.passed.filter(
        ({ role }) => role === 'user',
      ).length;
    expect([0, 1, 2, 50].map(questions)).toEqual([0, 1, 2, 2]);
  });

  it('shortens long messages and says which', () => {
    const { text, manifest } = inheritContext([{ role: 'user', content: 'x'.repeat(2001) }], {
      depth: 'all',
      scope: 'conversation',
      turns: 0,
    });
    expect(text).toContain(`${'x'.repeat(2000)}... [truncated]`);
    expect(manifest.passed).toEqual([{ index: 0, role: 'user', characters: 2001, cut: true }]);
  });

  it('keeps the newest when not all fit, and the manifest says what was dropped and why', () => {
    const history: Message[] = Array.from({ length: 10 }, (_, at) => ({
      role: at % 2 ? 'assistant' : 'user',
      content: `message ${at}`,
    }));
    const { manifest, text } = inheritContext(history, {
      depth: 'all',
      scope: 'conversation',
      turns: 0,
      max_tokens: 20,
    });
    expect(manifest.tokens).toBeLessThanOrEqual(20);
    expect(manifest.passed.at(-1)?.index).toBe(9);
    expect(text).not.toContain('message 0');
    expect(manifest.dropped[0]).toMatchObject({ index: 0, why: expect.stringContaining('20 tokens') });
  });

  it('accounts for every message of the depth, whatever the conversation', () => {
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant', 'tool', 'system'),
      content: fc.string({ maxLength: 3000 }),
      name: fc.constantFrom('bash', 'delegate'),
    }) as fc.Arbitrary<Message>;
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 30 }),
        fc.constantFrom(...ContextScope.options),
        fc.integer({ min: 0, max: 2000 }),
        (history, scope, max_tokens) => {
          const { manifest } = inheritContext(history, { depth: 'all', scope, turns: 0, max_tokens });
          const indexes = [...manifest.passed, ...manifest.dropped].map(({ index }) => index);
          expect(indexes.sort((a, b) => a - b)).toEqual(history.map((_, at) => at));
          expect(manifest.tokens).toBeLessThanOrEqual(max_tokens);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('puts the task after the context, and alone when there is none', () => {
    expect(taskMessage('', 'Do it.')).toBe('Do it.');
    expect(taskMessage('BLOCK', 'Do it.')).toBe('BLOCK\n\n[YOUR TASK]\nDo it.');
  });
});
