import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareAge } from '../query-sessions.js';
import { compactEntry, type IndexEntry, IndexFold, type IndexLine } from './index-fold.js';

const entries = fc.record({
  id: fc.nat(20),
  created: fc.nat(5),
  parent: fc.option(fc.nat(20), { nil: null }),
  call: fc.option(fc.nat(3), { nil: null }),
  rev: fc.nat(4),
  name: fc.option(fc.string({ maxLength: 5 }), { nil: null }),
});

function entryOf({
  id,
  created,
  parent,
  call,
  rev,
  name,
}: typeof entries extends fc.Arbitrary<infer T> ? T : never) {
  const line = {
    session_id: `s${id}`,
    parent_id: parent === null ? null : `s${parent}`,
    tool_call_id: call === null ? null : `c${call}`,
    created: `2026-01-0${created + 1}T00:00:00.000Z`,
    rev,
    name,
  };
  const fold = new IndexFold();
  fold.apply(line);
  return fold.get(line.session_id) as IndexEntry;
}

function lineOf(entry: IndexEntry): IndexLine {
  return compactEntry(entry, entry.rev, entry.pending);
}

const steps = fc.array(
  fc.oneof(
    entries.map((record): IndexLine => lineOf(entryOf(record))),
    fc.nat(20).map((id): IndexLine => ({ session_id: `s${id}`, gone: true })),
  ),
  { maxLength: 60 },
);

/** What the lines say, the slow way. */
function model(lines: readonly IndexLine[]): IndexEntry[] {
  const known = new Map<string, IndexEntry>();
  for (const line of lines) {
    if ('gone' in line) {
      known.delete(line.session_id);
      continue;
    }
    const alone = new IndexFold();
    alone.apply(line);
    const entry = alone.get(line.session_id) as IndexEntry;
    if ((known.get(line.session_id)?.rev ?? -1) <= entry.rev) known.set(line.session_id, entry);
  }
  return [...known.values()].sort(compareAge);
}

describe('the index in memory', () => {
  it('has one entry for a session, whether it was found by id or by place', () => {
    const created = '2026-01-01T00:00:00.000Z';
    const first = new IndexFold();
    first.apply({ session_id: 'a', created });
    const fold = new IndexFold();
    fold.load(Buffer.from(first.dump(1)));
    fold.apply({ session_id: 'a', created, name: 'news' });
    expect([fold.get('a')?.name, fold.at(0)?.name]).toEqual(['news', 'news']);
  });

  it('is what its lines say, however they come: from a snapshot, from the journal, or some of each', () => {
    fc.assert(
      fc.property(steps, fc.nat(60), (lines, cut) => {
        const first = new IndexFold();
        for (const line of lines.slice(0, cut)) first.apply(line);
        const fold = new IndexFold();
        expect(fold.load(Buffer.from(first.dump(7)))).toBe(7);
        for (const line of lines.slice(cut)) fold.apply(line);
        const expected = model(lines);
        expect(fold.all()).toEqual(expected);
        expect(fold.size).toBe(expected.length);
        for (const { session_id } of expected) {
          const children = expected.filter(({ parent_id }) => parent_id === session_id);
          expect(fold.children(session_id)).toEqual(children);
          for (const { tool_call_id } of children) {
            if (tool_call_id !== null) expect(fold.childOfCall(session_id, tool_call_id)).toBeDefined();
          }
        }
        const again = new IndexFold();
        again.load(Buffer.from(fold.dump(8)));
        expect(again.all()).toEqual(expected);
      }),
    );
  });

  it('has the sessions of a tree in the order of their age, the root among them', () => {
    const fold = new IndexFold();
    const created = '2026-01-02T00:00:00.000Z';
    fold.apply({ session_id: 'm', created });
    for (const session_id of ['z', 'a']) fold.apply({ session_id, parent_id: 'm', root_id: 'm', created });
    fold.apply({ session_id: 'b', parent_id: 'm', root_id: 'm', created: '2026-01-01T00:00:00.000Z' });
    expect(fold.tree('m').map(({ session_id }) => session_id)).toEqual(['b', 'a', 'm', 'z']);
    fold.apply({ session_id: 'a', gone: true });
    expect(fold.tree('m')).toHaveLength(3);
    expect(fold.tree('a')).toEqual([]);
  });

  it('is not told twice that a session is being made, but always that it is being removed', () => {
    const line = { session_id: 'a', created: '2026-01-01T00:00:00.000Z', rev: 1 };
    const fold = new IndexFold();
    fold.apply({ ...line, pending: 'birth' });
    expect(fold.get('a')?.pending).toBe('birth');
    fold.apply(line);
    fold.apply({ ...line, pending: 'birth' });
    expect(fold.get('a')?.pending).toBeNull();
    fold.apply({ ...line, pending: 'removal' });
    expect(fold.get('a')?.pending).toBe('removal');
    fold.apply({ ...line, pending: true } as never);
    expect(fold.get('a')?.pending).toBe('removal');
  });

  it('takes a snapshot only whole, in whatever layout', () => {
    const fold = new IndexFold();
    fold.apply({ session_id: 'a', created: '2026-01-01T00:00:00.000Z', name: 'ünï"\n' });
    fold.apply({ session_id: 'b', created: '2026-01-02T00:00:00.000Z' });
    const text = fold.dump(3);
    const pretty = JSON.stringify(JSON.parse(text), null, 2);
    for (const whole of [text, pretty]) {
      const other = new IndexFold();
      expect(other.load(Buffer.from(whole))).toBe(3);
      expect(other.all()).toEqual(fold.all());
    }
    for (const part of ['', text.slice(0, -3), text.slice(0, 60), 'null', '[]', '{}']) {
      expect(new IndexFold().load(Buffer.from(part))).toBeNull();
    }
  });
});
