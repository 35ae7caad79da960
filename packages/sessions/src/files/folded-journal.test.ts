import { systemClock } from '@amplifier/core';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import type { Liveness } from '../process-identity.js';
import { type Fold, FoldedJournal } from './folded-journal.js';

interface Bid {
  key: string;
  owner: string;
}

/** Whoever bids first has the key: the outcome depends on the order of lines, and so shows whether all see the same. */
class FirstWins implements Fold<Bid> {
  winners = new Map<string, string>();

  load(snapshot: Buffer | null): number | null {
    this.winners = new Map();
    if (snapshot === null) return 0;
    const { generation, winners } = JSON.parse(snapshot.toString());
    this.winners = new Map(winners);
    return generation;
  }

  apply({ key, owner }: Bid): void {
    if (!this.winners.has(key)) this.winners.set(key, owner);
  }

  dump(generation: number): string {
    return JSON.stringify({ generation, winners: [...this.winners] });
  }
}

function openOne(
  folder: string,
  name: string,
  reports: string[] = [],
): Promise<[FirstWins, FoldedJournal<Bid>]> {
  const fold = new FirstWins();
  const liveness: Liveness = {
    self: { pid: 1, start: name, host: 'h', boot: null, namespace: null },
    isAlive: () => true,
  };
  return FoldedJournal.open({
    folder,
    name: 'bids',
    snapshotPath: `${folder}/bids.json`,
    fold,
    snapshotIsCache: false,
    maxBytes: 1_000,
    clock: systemClock,
    liveness,
    report: ({ code }) => reports.push(code),
  }).then((journal) => [fold, journal]);
}

describe('a journal that several processes share', () => {
  it('has one order for everybody, while it is folded away again and again', async () => {
    await using workspace = await TempWorkspace.create();
    const folder = workspace.resolve('shared');
    const members = await Promise.all(['a', 'b', 'c', 'd'].map((name) => openOne(folder, name)));
    const told = new Map<string, Set<string>>();
    const work = async ([fold, journal]: [FirstWins, FoldedJournal<Bid>], owner: number) => {
      for (let round = 0; round < 60; round++) {
        const key = `k${round}`;
        await journal.append([{ key, owner: `o${owner}` }], { sync: round % 7 === 0 });
        await journal.refresh();
        told.set(key, (told.get(key) ?? new Set()).add(fold.winners.get(key) ?? 'nobody'));
        if (round % 10 === owner) await journal.compact();
      }
    };
    await Promise.all(members.map(work));
    const [late] = await openOne(folder, 'late');
    expect(late.winners.size).toBe(60);
    for (const [key, winners] of told) expect([...winners], key).toEqual([late.winners.get(key)]);
    for (const [fold, journal] of members) {
      await journal.refresh();
      expect(new Map(fold.winners)).toEqual(late.winners);
      await journal.close();
    }
  });

  it('goes on for a reader who was away while everything was folded', async () => {
    await using workspace = await TempWorkspace.create();
    const folder = workspace.resolve('shared');
    const [sleeper, asleep] = await openOne(folder, 'sleeper');
    const [, journal] = await openOne(folder, 'busy');
    for (let round = 0; round < 5; round++) {
      await journal.append([{ key: `k${round}`, owner: 'x' }], { sync: false });
      await journal.refresh();
      await journal.compact();
    }
    await asleep.refresh();
    expect(sleeper.winners.size).toBe(5);
    await asleep.append([{ key: 'mine', owner: 'y' }], { sync: true });
    await journal.refresh();
    expect(await journal.isLarge()).toBe(false);
    await asleep.close();
    await journal.close();
  });

  it('takes the lines of a writer who was away while it was folded more than once', async () => {
    await using workspace = await TempWorkspace.create();
    const [, idle] = await openOne(workspace.path, 'idle');
    const [, busy] = await openOne(workspace.path, 'busy');
    await idle.append([{ key: 'early', owner: 'idle' }], { sync: false });
    await busy.compact();
    await busy.compact();
    await idle.append([{ key: 'late', owner: 'idle' }], { sync: false });
    const [fold, newcomer] = await openOne(workspace.path, 'newcomer');
    expect([...fold.winners.keys()]).toEqual(['early', 'late']);
    for (const journal of [idle, busy, newcomer]) await journal.close();
  });

  it('steps over half a line and says so', async () => {
    await using workspace = await TempWorkspace.create();
    const folder = workspace.resolve('shared');
    const reports: string[] = [];
    const [fold, journal] = await openOne(folder, 'a', reports);
    await journal.append([{ key: 'one', owner: 'x' }], { sync: true });
    const { appendFile } = await import('node:fs/promises');
    await appendFile(`${folder}/bids.1.jsonl`, '{"key":"torn');
    await journal.append([{ key: 'two', owner: 'x' }], { sync: true });
    await journal.refresh();
    expect([...fold.winners.keys()]).toEqual(['one', 'two']);
    expect(reports).toEqual(['JOURNAL_LINE_SKIPPED']);
    await journal.close();
  });

  it('is large for one who only writes to it, too, though others have begun a segment since it last read', async () => {
    await using workspace = await TempWorkspace.create();
    const folder = workspace.resolve('shared');
    const [, writer] = await openOne(folder, 'writer');
    const [, other] = await openOne(folder, 'other');
    await writer.append([{ key: 'a', owner: 'writer' }], { sync: false });
    await other.compact();
    for (let at = 0; at < 50; at++)
      await writer.append([{ key: `k${at}`, owner: 'writer' }], { sync: false });
    expect(await writer.isLarge()).toBe(true);
    await writer.close();
    await other.close();
  });
});
