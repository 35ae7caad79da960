import { describe, expect, it } from 'vitest';
import type { Message, TreeNode } from '../api/types.js';
import { partsOf, readResult, resultsOf, splitContext } from './read-message.js';
import { StablePieces } from './stable-pieces.js';
import { treeKey, treeRows } from './tree-rows.js';

const message = (members: Partial<Message>): Message =>
  ({ id: 'm', seq: 1, turn: 1, timestamp: '', role: 'assistant', content: '', ...members }) as Message;

describe('a message', () => {
  it('comes apart into text, reasoning and calls, each call once', () => {
    const call = { id: 'c', tool: 'bash', arguments: { command: 'ls -l\nrm x' } };
    const parts = partsOf(
      message({
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_call', id: 'c', name: 'bash', input: call.arguments },
        ],
        tool_calls: [call, { ...call, id: 'd' }],
      }),
    );
    expect(parts.map(({ kind }) => kind)).toEqual(['reasoning', 'text', 'call', 'call']);
  });

  it('finds what a call gave back', () => {
    const results = resultsOf([message({ role: 'tool', tool_call_id: 'c', content: '{"response":"Yes."}' })]);
    expect(readResult(results.get('c'))).toEqual({ response: 'Yes.' });
    expect(readResult('{broken')).toBe('{broken');
  });

  it('keeps the context of a parent apart from the task', () => {
    const text = '[PARENT CONVERSATION CONTEXT]\nBefore.\n\n[END PARENT CONTEXT]\n\n[YOUR TASK]\nLook.';
    expect(splitContext(text)).toEqual({ context: 'Before.\n', task: 'Look.' });
    expect(splitContext('Look.')).toEqual({ context: null, task: 'Look.' });
  });
});

describe('text that grows', () => {
  it('is settled up to the last paragraph outside code and lists', () => {
    const live = new StablePieces();
    expect(live.of('One.\n\nTw')).toEqual(['One.\n\nTw']);
    expect(live.of('One.\n\nTwo\n\n')).toEqual(['One.\n\n', 'Two\n\n']);
    expect(live.of('One.\n\nTwo\n\nThree\n')).toEqual(['One.\n\n', 'Two\n\n', 'Three\n']);
    expect(live.of('Another.\n\nText\n')).toEqual(['Another.\n\n', 'Text\n']);
    expect(new StablePieces().of('One.\n\n```ts\na\n\nb\n')).toHaveLength(1);
    expect(new StablePieces().of('- a\n\n- b\n')).toHaveLength(1);
  });
});

describe('the tree by key', () => {
  const leaf = (session_id: string, children: TreeNode[] = []) => ({ session_id, children }) as TreeNode;
  const root = leaf('root', [leaf('a', [leaf('a1')]), leaf('b')]);
  const rows = treeRows(root, new Set());

  it('goes down, up, in, out, and folds', () => {
    expect(rows.map(({ node }) => node.session_id)).toEqual(['root', 'a', 'a1', 'b']);
    expect(treeKey(rows, 0, 'ArrowDown')).toEqual({ to: 1 });
    expect(treeKey(rows, 1, 'ArrowRight')).toEqual({ to: 2 });
    expect(treeKey(rows, 2, 'ArrowLeft')).toEqual({ to: 1 });
    expect(treeKey(rows, 1, 'ArrowLeft')).toEqual({ fold: 'a' });
    expect(treeKey(treeRows(root, new Set(['a'])), 1, 'ArrowRight')).toEqual({ unfold: 'a' });
    expect(treeKey(rows, 0, 'x')).toBeNull();
  });
});
