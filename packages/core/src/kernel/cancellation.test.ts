import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CancellationToken } from './cancellation.js';

describe('states', () => {
  it('go from none over graceful to immediate, or straight to immediate, and never back', () => {
    const token = new CancellationToken();
    expect(token.state).toBe('none');
    expect(token.request('graceful')).toBe(true);
    expect(token.request('graceful')).toBe(false);
    expect(token.request('immediate')).toBe(true);
    expect(token.request('graceful')).toBe(false);
    expect(token.request('immediate')).toBe(false);
    expect(token.isImmediate).toBe(true);
    expect(new CancellationToken().request('immediate')).toBe(true);
  });

  it('abort the signal on immediate only, also when the signal is asked for afterwards', () => {
    const token = new CancellationToken();
    const { signal } = token;
    token.request('graceful');
    expect(signal.aborted).toBe(false);
    token.request('immediate');
    expect(signal.aborted).toBe(true);
    const late = new CancellationToken();
    late.request('immediate');
    expect(late.signal.aborted).toBe(true);
  });

  it('may be listened to by any number of tools without a warning', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on('warning', listen);
    const { signal } = new CancellationToken();
    for (let tool = 0; tool < 20; tool++) signal.addEventListener('abort', () => {});
    await setImmediate();
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });

  it('start over with reset, with a fresh signal, the same children and no running tools', () => {
    const token = new CancellationToken();
    const child = new CancellationToken();
    token.registerChild(child);
    token.registerToolStart('c1', 'bash');
    token.request('immediate');
    token.reset();
    expect(token.state).toBe('none');
    expect(token.signal.aborted).toBe(false);
    expect(token.runningToolNames).toEqual([]);
    expect(child.state).toBe('immediate');
    child.reset();
    token.request('graceful');
    expect(child.state).toBe('graceful');
  });
});

describe('the tree', () => {
  it('takes a request down to grandchildren and never up', () => {
    const [root, child, grandchild] = [
      new CancellationToken(),
      new CancellationToken(),
      new CancellationToken(),
    ];
    root.registerChild(child);
    child.registerChild(grandchild);
    child.request('graceful');
    expect([root.state, child.state, grandchild.state]).toEqual(['none', 'graceful', 'graceful']);
    root.request('immediate');
    expect([root.state, child.state, grandchild.state]).toEqual(['immediate', 'immediate', 'immediate']);
  });

  it('hands an earlier request to a child that comes late', () => {
    const root = new CancellationToken();
    root.request('immediate');
    const late = new CancellationToken();
    root.registerChild(late);
    expect(late.state).toBe('immediate');
  });

  it('leaves an unlinked child alone', () => {
    const root = new CancellationToken();
    const child = new CancellationToken();
    root.registerChild(child)();
    root.request('immediate');
    expect(child.state).toBe('none');
  });

  it('refuses to be tied into a loop', () => {
    const root = new CancellationToken();
    const child = new CancellationToken();
    root.registerChild(child);
    expect(() => child.registerChild(root)).toThrow(/own descendant/);
    expect(() => root.registerChild(root)).toThrow(/own descendant/);
  });

  it('holds for random trees and requests: a node is at least as cancelled as each of its ancestors', () => {
    const step = fc.tuple(
      fc.nat(30),
      fc.constantFrom('graceful' as const, 'immediate' as const, 'child' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const nodes = [{ token: new CancellationToken(), parent: -1, own: 0 }];
        const rank = { none: 0, graceful: 1, immediate: 2 };
        for (const [pick, action] of steps) {
          const index = pick % nodes.length;
          const node = nodes[index];
          if (!node) continue;
          if (action === 'child') {
            const token = new CancellationToken();
            node.token.registerChild(token);
            nodes.push({ token, parent: index, own: 0 });
          } else {
            node.token.request(action);
            node.own = Math.max(node.own, rank[action]);
          }
        }
        for (const node of nodes) {
          let expected = 0;
          for (let at: (typeof nodes)[number] | undefined = node; at; at = nodes[at.parent])
            expected = Math.max(expected, at.own);
          expect(rank[node.token.state]).toBe(expected);
        }
      }),
    );
  });
});

describe('listeners and tools', () => {
  it('tells listeners of each step, and goes on when one throws', () => {
    const errors: unknown[] = [];
    const token = new CancellationToken((error) => errors.push(error));
    const levels: string[] = [];
    token.onRequest(() => {
      throw new Error('bad listener');
    });
    const off = token.onRequest((level) => levels.push(level));
    token.request('graceful');
    token.request('immediate');
    off();
    token.reset();
    token.request('graceful');
    expect(levels).toEqual(['graceful', 'immediate']);
    expect(errors).toHaveLength(3);
  });

  it('knows which tools run', () => {
    const token = new CancellationToken();
    token.registerToolStart('c1', 'bash');
    token.registerToolStart('c2', 'read_file');
    token.registerToolComplete('c1');
    expect(token.runningToolNames).toEqual(['read_file']);
  });
});
