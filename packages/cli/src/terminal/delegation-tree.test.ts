import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { type DelegationTree, EMPTY_TREE, foldEvent } from './delegation-tree.js';
import { drawTree } from './draw-tree.js';
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
  return events.reduce((tree, [name, data], index) => foldEvent(tree, name, data, index * 1000), EMPTY_TREE);
}

describe('the fold of a delegation', () => {
  it('knows of each session what it does, what it used and how it ended', () => {
    const tree = fold(
      ['provider:request', root],
      ['tool:pre', { ...root, tool_name: 'delegate', tool_input: { agent: 'agent-a' } }],
      ['delegate:agent_spawned', child('a')],
      ['delegate:agent_spawned', child('b')],
      ['tool:pre', { ...own('a', 'r'), tool_name: 'read_file', tool_input: { file_path: 'x.md' } }],
      ['llm:response', { ...own('b', 'r'), usage: { total_tokens: 120, cost_usd: '0.0015' } }],
      ['llm:response', { ...own('b', 'r'), usage: { total_tokens: 30, cost_usd: '0.0005' } }],
      ['delegate:agent_completed', { ...child('b'), success: true }],
      ['delegate:agent_spawned', child('c', 'a')],
      ['delegate:error', { ...child('c', 'a'), error: 'It broke.' }],
    );
    expect(tree.get('a')).toMatchObject({ state: 'tool', doing: 'read_file x.md', parent_id: 'r' });
    expect(tree.get('b')).toMatchObject({
      state: 'done',
      tokens: 150,
      cost: 0.002,
      started: 3000,
      ended: 7000,
    });
    expect(tree.get('c')).toMatchObject({ state: 'failed', doing: 'It broke.', parent_id: 'a' });
  });

  it('does not change the tree it is given', () => {
    const before = fold(['delegate:agent_spawned', child('a')]);
    const copy = new Map(before);
    foldEvent(before, 'delegate:agent_completed', { ...child('a'), success: true }, 9);
    expect(before).toEqual(copy);
  });

  it('tells a child that asks from one that is done', () => {
    const tree = fold(
      ['delegate:agent_spawned', child('a')],
      ['delegate:agent_completed', { ...child('a'), success: false }],
    );
    expect(tree.get('a')?.state).toBe('asking');
  });

  it('tells the newest of the tools that run side by side, until none of them runs', () => {
    const tool = (id: string) => ({ ...root, tool_call_id: id, tool_name: id, tool_input: {} });
    const rest = fold(['tool:pre', tool('one')], ['tool:pre', tool('two')], ['tool:post', tool('two')]);
    expect([...rest.values()]).toMatchObject([{ state: 'tool', doing: 'one' }]);
    const [none] = foldEvent(rest, 'tool:error', tool('one'), 9).values();
    expect(none).toMatchObject({ state: 'thinking', doing: '' });
  });

  it('passes over what it does not know', () => {
    expect(fold(['something:else', {}], ['delegate:agent_completed', child('never-seen')])).toEqual(
      EMPTY_TREE,
    );
  });
});

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
