import { type DelegationTree, foldEvent } from '@amplifier/host';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { drawTree, nodeLine } from './draw-tree.js';
import { fit, table, wrap } from './fit.js';

const color = pc.createColors(false);
const root = { session_id: 'r', lineage: { session_id: 'r', parent_id: null, depth: 0, agent: null } };
const child = (id: string, parent = 'r') => ({
  sub_session_id: id,
  session_id: id,
  parent_session_id: parent,
  agent: `agent-${id}`,
});
const own = (id: string, parent: string) => ({
  session_id: id,
  lineage: { session_id: id, parent_id: parent, depth: 1, agent: `agent-${id}` },
});

function fold(...events: [string, Record<string, unknown>][]): DelegationTree {
  const tree: DelegationTree = new Map();
  for (const [index, [name, data]] of events.entries())
    foldEvent(tree, { name, data, time: new Date(index * 1000).toISOString() });
  return tree;
}

describe('the drawn tree', () => {
  const tree = fold(
    ['provider:request', root],
    ['delegate:agent_spawned', child('a')],
    ['delegate:agent_spawned', child('b')],
    ['delegate:agent_spawned', child('c', 'a')],
    [
      'tool:pre',
      { ...own('c', 'a'), tool_name: 'bash', tool_input: { command: 'a very long command '.repeat(9) } },
    ],
  );

  it('shows who hangs below whom', () => {
    expect(drawTree(tree, { now: 9000, width: 60, color })).toEqual([
      '◐ amplifier  9.0 s',
      '├─ · agent-a  8.0 s',
      '│  └─ ▸ agent-c  6.0 s  bash a very long command a very lon…',
      '└─ · agent-b  7.0 s',
    ]);
  });

  it('shows how each session ended, why it failed and what it spent', () => {
    const usage = { total_tokens: 150, cost_usd: '0.002' };
    const ended = fold(
      ['provider:request', root],
      ['delegate:agent_spawned', child('a')],
      ['llm:response', { ...own('a', 'r'), usage }],
      ['delegate:agent_completed', { ...child('a'), status: 'completed' }],
      ['delegate:agent_spawned', child('b')],
      ['delegate:agent_completed', { ...child('b'), status: 'needs_input', success: false }],
      ['delegate:agent_spawned', child('c')],
      ['delegate:error', { ...child('c'), status: 'limit', error: 'It broke.' }],
      ['provider:retry', { ...root, provider: 'x', delay: 3, error: { message: 'busy' } }],
    );
    expect(drawTree(ended, { now: 9000, width: 60, color })).toEqual([
      '◐ amplifier  9.0 s  retrying in 2 s (x: busy)',
      '├─ ✓ agent-a  2.0 s · 150 tok · $0.0020',
      '├─ ? agent-b  1.0 s',
      '└─ ✗ agent-c  1.0 s  It broke.',
    ]);
    expect([...ended.values()].map(nodeLine)).toEqual([
      'amplifier: thinking x: busy',
      'agent-a: done',
      'agent-b: asking',
      'agent-c: failed It broke.',
    ]);
  });

  it.each([20, 40, 80])('is never wider than %i columns', (width) => {
    for (const line of drawTree(tree, { now: 100_000, width, color }))
      expect([...line].length).toBeLessThanOrEqual(width);
  });
});

describe('text in little room', () => {
  it('is cut with a sign, broken at spaces, and set in columns', () => {
    expect(fit('one\n two  three', 9)).toBe('one two …');
    expect(fit('漢字と👩‍👩‍👧かな', 9), 'two columns each').toBe('漢字と👩‍👩‍👧…');
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
    expect(wrap('漢字かな ok', 4)).toEqual(['漢字', 'かな', 'ok']);
    expect(
      table(
        [
          ['a', 'long', 'x'],
          ['bbb', 's', 'yyyyyyyy'],
        ],
        14,
      ),
    ).toEqual(['a    long  x', 'bbb  s     yy…']);
  });
});
