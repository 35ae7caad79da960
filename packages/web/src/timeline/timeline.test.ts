import { describe, expect, it } from 'vitest';
import type { Span, TreeNode } from '../api/types.js';
import { flameBoxes } from './flame.js';
import { momentAt, moments } from './replay.js';
import { timeScale } from './time-scale.js';

const HOUR = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

describe('time', () => {
  it('presses hours in which nothing happened together, and finds its way back', () => {
    const busy = [
      { from: 0, to: 60_000 },
      { from: 5 * HOUR, to: 5 * HOUR + 60_000 },
    ];
    const scale = timeScale(busy, 0, 5 * HOUR + 60_000);
    expect(scale.gaps).toHaveLength(1);
    expect(scale.at(60_000)).toBeGreaterThan(0.45);
    expect(scale.at(5 * HOUR)).toBeLessThan(0.55);
    for (const time of [0, 30_000, 60_000, HOUR, 5 * HOUR + 1_000])
      expect(scale.time(scale.at(time))).toBeCloseTo(time, 0);
  });

  it('is a straight line where something always happened', () => {
    const scale = timeScale([{ from: 0, to: 1_000 }], 0, 1_000);
    expect(scale.gaps).toEqual([]);
    expect(scale.at(250)).toBeCloseTo(0.25);
  });
});

const node = (session_id: string, members: Partial<TreeNode>): TreeNode =>
  ({
    session_id,
    started_at: null,
    ended_at: null,
    tokens: 0,
    cost_usd: '0',
    children: [],
    ...members,
  }) as TreeNode;

describe('replay', () => {
  it('shows what had begun, ended and been spent at a moment', () => {
    const nodes = [
      node('a', { started_at: iso(0), ended_at: iso(100) }),
      node('b', { started_at: iso(40), ended_at: iso(60) }),
    ];
    const span = (
      kind: Span['kind'],
      session_id: string,
      start: number,
      end: number | null,
      tokens: number,
    ) =>
      ({
        kind,
        session_id,
        start: iso(start),
        end: end === null ? null : iso(end),
        tokens,
        cost_usd: '1',
        seq: 1,
      }) as Span;
    const spans = [
      span('model', 'a', 0, 30, 5),
      span('wait', 'b', 45, 55, 0),
      span('model', 'a', 60, null, 9),
    ];
    expect(moments(nodes, spans)).toEqual([0, 30, 40, 45, 55, 60, 100]);
    expect(momentAt(nodes, spans, 50)).toMatchObject({ running: 2, ended: 0, tokens: 5, cost_usd: '1' });
    expect(momentAt(nodes, spans, 50).sessions.get('b')).toBe('waiting');
    expect(momentAt(nodes, spans, 20).sessions.has('b')).toBe(false);
    expect(momentAt(nodes, spans, 100)).toMatchObject({ running: 0, ended: 2 });
  });
});

describe('flame', () => {
  it('makes a session as wide as what it and everything below it took', () => {
    const leaf = node('leaf', { tokens: 30 });
    const root = node('root', {
      tokens: 10,
      children: [node('small', { tokens: 20 }), node('big', { tokens: 10, children: [leaf] })],
    });
    const boxes = flameBoxes(root, ({ tokens }) => tokens);
    expect(boxes.map(({ node: { session_id }, level, value }) => [session_id, level, value])).toEqual([
      ['root', 0, 70],
      ['big', 1, 40],
      ['leaf', 2, 30],
      ['small', 1, 20],
    ]);
    expect(boxes[3]?.at).toBeCloseTo(40 / 70);
  });
});
