import { describe, expect, it } from 'vitest';
import type { SessionEvent, TreeNode } from '../api/types.js';
import { foldEvent, rollUp, treeOf } from './fold-tree.js';
import { stateOf, wordOf } from './state-of.js';

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

function event(
  session_id: string,
  seq: number,
  name: string,
  data: object = {},
  parent_id: string | null = null,
) {
  return {
    seq,
    id: `${session_id}:${seq}`,
    name,
    time: '2026-01-01T00:00:05.000Z',
    session_id,
    parent_id,
    root_id: 'root',
    data,
  } as SessionEvent;
}

describe('a tree that follows its events', () => {
  it('takes in a child, its cost, its question and its end, each event once', () => {
    const tree = treeOf(node('root', { event_seq: 3 }));
    expect(foldEvent(tree, event('root', 3, 'session:status', { status: 'failed' }))).toBe('none');
    expect(
      foldEvent(
        tree,
        event('child', 1, 'session:created', { agent_name: 'scout', tool_call_id: 'c1' }, 'root'),
      ),
    ).toBe('shape');
    const child = tree.nodes.get('child') as TreeNode;
    expect(child).toMatchObject({ agent: 'scout', depth: 1, tool_call_id: 'c1' });
    const usage = { usage: { total_tokens: 10, cost_usd: '0.25' }, model: 'm' };
    foldEvent(tree, event('child', 2, 'llm:response', usage));
    foldEvent(tree, event('child', 2, 'llm:response', usage));
    expect(child).toMatchObject({ tokens: 10, cost_usd: '0.25', model: 'm' });
    foldEvent(tree, event('child', 3, 'question:asked', { kind: 'approval' }));
    expect([stateOf(child), wordOf(child)]).toEqual(['waiting', 'needs approval']);
    foldEvent(tree, event('child', 4, 'question:answered'));
    expect(stateOf(child)).toBe('running');
    const outcome = { status: 'limit', error: { message: 'Too long.' } };
    foldEvent(
      tree,
      event('child', 5, 'session:status', { status: 'failed', last_outcome: { turn: 1, outcome } }),
    );
    expect([stateOf(child), wordOf(child), child.error]).toEqual(['failed', 'hit a limit', 'Too long.']);
    expect(rollUp(tree.nodes.get('root') as TreeNode)).toEqual({ tokens: 10, cost_usd: '0.25', sessions: 2 });
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
