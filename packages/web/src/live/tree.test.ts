import { describe, expect, it } from 'vitest';
import type { TreeNode } from '../api/types.js';
import { stateOf, wordOf } from './state-of.js';
import { rollUp, treeOf } from './tree.js';

function node(session_id: string, members: Partial<TreeNode> = {}): TreeNode {
  return {
    session_id,
    parent_id: null,
    agent: null,
    status: 'active',
    outcome_status: null,
    interrupted: false,
    model: null,
    started_at: '2026-01-01T00:00:00.000Z',
    ended_at: null,
    tokens: 0,
    cost_usd: null,
    waiting: null,
    error: null,
    title: null,
    depth: 0,
    tool_call_id: null,
    event_seq: 0,
    children: [],
    ...members,
  };
}

describe('what a tree cost', () => {
  it('sums up every session of it', () => {
    const child = node('child', { tokens: 10, cost_usd: '0.25', parent_id: 'root' });
    const tree = treeOf(node('root', { tokens: 1, cost_usd: '0.1', children: [child] }));
    expect([...tree.nodes.keys()]).toEqual(['root', 'child']);
    expect(rollUp(tree.nodes.get('root') as TreeNode)).toEqual({ tokens: 11, cost_usd: '0.35', sessions: 2 });
  });

  it('calls a cost unknown as soon as one part of it is', () => {
    const root = node('root', {
      tokens: 5,
      cost_usd: '1',
      children: [node('a', { tokens: 1, cost_usd: null })],
    });
    expect(rollUp(root).cost_usd).toBeNull();
    // Nothing was used yet: nothing is unknown.
    expect(rollUp(node('b')).cost_usd).toBe('0');
  });
});

describe('the state of a session', () => {
  it.each([
    [{}, 'running', 'running'],
    [{ waiting: 'approval' as const }, 'waiting', 'needs approval'],
    [{ waiting: 'question' as const }, 'waiting', 'has a question'],
    [{ status: 'failed', outcome_status: 'limit' }, 'failed', 'hit a limit'],
    [{ status: 'idle', outcome_status: 'completed' }, 'done', 'done'],
    [{ interrupted: true }, 'interrupted', 'interrupted'],
  ])('%o is %s: %s', (members, state, word) => {
    expect([stateOf(node('s', members)), wordOf(node('s', members))]).toEqual([state, word]);
  });
});
