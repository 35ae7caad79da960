import { describe, expect, it } from 'vitest';
import { type DelegationTree, foldEvent, type TreeEvent } from './delegation-tree.js';

const at = (second: number) => new Date(second * 1000).toISOString();

describe('the tree of running sessions', () => {
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
    for (const [index, [name, data]] of events.entries()) foldEvent(tree, { name, data, time: at(index) });
    return tree;
  }

  it('has of each session what it does, what it used and how it ended', () => {
    const tree = fold(
      ['provider:request', root],
      ['tool:pre', { ...root, tool_name: 'delegate', tool_input: { agent: 'agent-a' } }],
      ['delegate:agent_spawned', child('a')],
      ['delegate:agent_spawned', child('b')],
      ['tool:pre', { ...own('a', 'r'), tool_name: 'read_file', tool_input: { file_path: 'x.md' } }],
      ['llm:response', { ...own('b', 'r'), usage: { total_tokens: 120, cost_usd: '0.0015' } }],
      ['llm:response', { ...own('b', 'r'), usage: { total_tokens: 30, cost_usd: '0.0005' } }],
      ['delegate:agent_completed', { ...child('b'), status: 'completed', success: true }],
      ['delegate:agent_spawned', child('c', 'a')],
      ['delegate:error', { ...child('c', 'a'), status: 'failed', error: 'It broke.' }],
    );
    expect([...tree.keys()]).toEqual(['r', 'a', 'b', 'c']);
    const a = tree.get('a');
    expect(a).toMatchObject({ agent: 'agent-a', parent_id: 'r', outcome_status: null });
    expect([...(a?.tools?.values() ?? [])]).toEqual(['read_file x.md']);
    expect(a?.children).toEqual([tree.get('c')]);
    expect(tree.get('b')).toMatchObject({
      outcome_status: 'completed',
      tokens: 150,
      cost_usd: '0.002',
      started_at: at(3),
      ended_at: at(7),
    });
    expect(tree.get('c')).toMatchObject({
      outcome_status: 'failed',
      error: 'It broke.',
      parent_id: 'a',
      depth: 2,
    });
  });

  it('takes the outcome that the parent was given, after the end of the loop', () => {
    const tree = fold(
      ['delegate:agent_spawned', child('a')],
      ['execution:end', { ...own('a', 'r'), status: 'completed' }],
      ['delegate:agent_completed', { ...child('a'), status: 'needs_input', success: false }],
    );
    expect(tree.get('a')).toMatchObject({ outcome_status: 'needs_input', ended_at: at(1) });
    foldEvent(tree, {
      name: 'delegate:agent_resumed',
      data: { ...child('a'), agent: undefined },
      time: at(9),
    });
    expect(tree.get('a')).toMatchObject({
      outcome_status: null,
      ended_at: null,
      agent: 'agent-a',
      tools: undefined,
    });
  });

  it('names a resumed child that it did not know when the child first speaks', () => {
    const tree = fold(
      ['delegate:agent_resumed', { ...child('a'), agent: undefined }],
      ['provider:request', own('a', 'r')],
    );
    expect(tree.get('a')).toMatchObject({ agent: 'agent-a' });
  });

  it('lists the tools that run side by side', () => {
    const tool = (id: string) => ({ ...root, tool_call_id: id, tool_name: id, tool_input: {} });
    const tree = fold(['tool:pre', tool('one')], ['tool:pre', tool('two')], ['tool:post', tool('two')]);
    const node = tree.get('r');
    expect([...(node?.tools?.values() ?? [])]).toEqual(['one']);
    foldEvent(tree, { name: 'tool:error', data: tool('one'), time: at(9) });
    expect(node?.tools?.size).toBe(0);
  });

  it('says why a model call is delayed, and until when', () => {
    const error = { message: 'slow down', status_code: 429 };
    const retry = { ...root, provider: 'openai', delay: 5, error };
    const tree = fold(['provider:request', root], ['provider:retry', retry]);
    expect(tree.get('r')?.delay).toEqual({ because: 'openai: 429 slow down', until: 6_000 });
    foldEvent(tree, { name: 'content_block:delta', data: root, time: at(7) });
    expect(tree.get('r')?.delay).toBeUndefined();
    const wait = { ...root, provider: 'openai', delay: null, reason: 'its limit' };
    foldEvent(tree, { name: 'provider:wait', data: wait, time: at(8) });
    expect(tree.get('r')?.delay).toEqual({ because: 'waits for openai: its limit', until: null });
  });

  it('ignores events that name no session, and ends of unknown ones', () => {
    expect(fold(['something:else', {}], ['delegate:agent_completed', child('never-seen')])).toEqual(
      new Map(),
    );
  });
});

describe('the tree of stored sessions', () => {
  const event = (
    session_id: string,
    seq: number,
    name: string,
    data: Record<string, unknown> = {},
    parent_id: string | null = null,
  ): TreeEvent => ({ seq, name, time: at(seq), session_id, parent_id, data });

  it('applies a child, its cost, its question and its end, each event once', () => {
    const tree: DelegationTree = new Map();
    foldEvent(tree, event('root', 3, 'session:created', { name: 'Top' }));
    expect(foldEvent(tree, event('root', 3, 'session:status', { status: 'failed' }))).toBe(false);
    const spawned = {
      sub_session_id: 'child',
      parent_session_id: 'root',
      agent: 'scout',
      tool_call_id: 'c1',
    };
    expect(foldEvent(tree, event('root', 4, 'delegate:agent_spawned', spawned))).toBe(true);
    foldEvent(tree, event('child', 1, 'session:created', { agent_name: 'scout', name: 'Look' }, 'root'));
    const child = tree.get('child');
    expect(child).toMatchObject({
      agent: 'scout',
      title: 'Look',
      depth: 1,
      tool_call_id: 'c1',
      event_seq: 1,
    });
    const usage = { usage: { total_tokens: 10, cost_usd: '0.25' }, model: 'm' };
    foldEvent(tree, event('child', 2, 'llm:response', usage));
    expect(foldEvent(tree, event('child', 2, 'llm:response', usage))).toBe(false);
    expect(child).toMatchObject({ tokens: 10, cost_usd: '0.25', model: 'm' });
    // The record adds the known part, too.
    foldEvent(tree, event('child', 3, 'llm:response', { usage: { total_tokens: 1, cost_usd: null } }));
    expect(child).toMatchObject({ tokens: 11, cost_usd: '0.25', model: 'm' });
    foldEvent(tree, event('child', 4, 'question:asked', { kind: 'question' }));
    expect(child?.waiting).toBe('question');
    foldEvent(tree, event('child', 5, 'question:answered'));
    expect(child?.waiting).toBeNull();
    const outcome = { status: 'limit', error: { message: 'Too long.' } };
    const status = { status: 'failed', last_outcome: { turn: 1, outcome } };
    foldEvent(tree, event('child', 6, 'session:status', status));
    const ended = { outcome_status: 'limit', status: 'failed', error: 'Too long.', ended_at: at(6) };
    expect(child).toMatchObject(ended);
    const said = { sub_session_id: 'child', status: 'limit', error: 'Too long.' };
    foldEvent(tree, event('root', 7, 'delegate:error', said));
    expect(child).toMatchObject(ended);
  });

  it('applies events of runs, which have no seq', () => {
    const tree: DelegationTree = new Map();
    foldEvent(tree, event('root', 3, 'session:created', { name: 'Top' }));
    const ended = {
      ...event('root', 4, 'run:ended', { status: 'failed', error: { message: 'No.' } }),
      seq: null,
    };
    expect(foldEvent(tree, ended)).toBe(true);
    expect(tree.get('root')).toMatchObject({ outcome_status: 'failed', error: 'No.', event_seq: 3 });
  });
});
