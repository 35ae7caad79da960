import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, hasEnded, systemClock } from '@amplifier/core';
import { isWithin } from '../grant/path-scope.js';
import { applyPatch, type FolderCheck, type UndoResult, undoApply } from '../patches/apply-patch.js';
import {
  type ApplyRecord,
  applyPlaces,
  listApplyIds,
  loadApply,
  targetOfApply,
} from '../patches/apply-record.js';
import type { Conflict } from '../patches/check-changes.js';
import { type ListedChanges, listChanges, readListed } from '../patches/listed-changes.js';
import { isActing } from '../trust/protected-paths.js';
import { errnoOf, WorkspaceError } from '../workspace-error.js';
import { Isolation } from './isolation.js';
import { type IsolationRecord, isolationPlaces, listIds } from './isolation-record.js';
import { listIsolations, readableOnly, type UnreadableRecord } from './reclaim-isolations.js';

/** Work of an agent that waits for a person, or that was applied and can be taken back. */
export interface Proposal {
  id: string;
  /** `proposed`: nobody has applied it. `left`: its process died over it. `applied`: it is in the tree. `undone`: it was taken back. */
  state: 'proposed' | 'left' | 'applied' | 'undone';
  /** Whose work it is, where that is known. */
  session_id: string | null;
  /** The folder it is for. */
  target: string;
  created_at: string;
  note: string | null;
  /** The first ones, sorted by path. */
  changes: ListedChanges['changes'];
  /** How many changes are left out of `changes`. */
  more_changes: number;
}

export interface FindOptions {
  /** Only proposals for folders of which this is true; others do not exist. Asked before anything of a proposal is compared. */
  only?: ((target: string) => Promise<boolean>) | undefined;
}

export interface ProposalDetail extends Proposal {
  diff: string;
  /** Made, but ignored by git: not applied. */
  ignored: string[];
  skipped: { path: string; reason: string }[];
  /** Files among the changes that other programs will act by later: look at them twice. */
  acts_later: string[];
}

export type Applied = { status: 'applied'; id: string } | { status: 'conflict'; conflicts: Conflict[] };

/**
 * Every proposal below the home, oldest first. Work that an agent is busy with is not among them. Those whose record cannot be read are
 * reported instead.
 */
export async function listProposals(
  home: string,
  { only, onUnreadable = () => {} }: FindOptions & { onUnreadable?: (record: UnreadableRecord) => void } = {},
): Promise<Proposal[]> {
  const stored = [
    ...(await waitingTrees(home, await listIds(home), only, onUnreadable)),
    ...(await journals(home, await listApplyIds(home), only, onUnreadable)),
  ];
  const proposals: Proposal[] = [];
  // One after the other: some may have to compare their trees.
  for (const each of stored) proposals.push(await proposalOf(home, each));
  return proposals.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
}

/** The ids of the pending proposals of a session. */
export async function pendingProposals(home: string, session_id: string): Promise<string[]> {
  const records = await listIsolations(home, () => {});
  return records
    .filter((record) => record.session_id === session_id && isAbandoned(record))
    .map(({ id }) => id);
}

/** The one whose id begins so. Throws `PROPOSAL_NOT_FOUND`, also when several do. */
export async function findProposal(
  home: string,
  begins: string,
  options: FindOptions = {},
): Promise<Proposal> {
  return proposalOf(home, await find(home, begins, options));
}

/** What is stored of a proposal: the record of its tree, or the journal of what was applied. */
type Stored = { tree: IsolationRecord } | { journal: ApplyRecord };

async function find(home: string, begins: string, { only }: FindOptions): Promise<Stored> {
  const unreadable: UnreadableRecord[] = [];
  const named = (ids: string[]) => ids.filter((id) => begins !== '' && id.startsWith(begins));
  // The folder of an unreadable record is unknown, so a caller that is limited to some folders does not see it.
  const onUnreadable = (record: UnreadableRecord) => only === undefined && unreadable.push(record);
  const found: Stored[] = [
    ...(await waitingTrees(home, named(await listIds(home)), only, onUnreadable)),
    ...(await journals(home, named(await listApplyIds(home)), only, onUnreadable)),
  ];
  const [first] = found;
  if (first && found.length === 1) return first;
  const [bad] = unreadable;
  if (!first && bad) throw new WorkspaceError(bad.message, { code: 'RECORD_INVALID' });
  const why = first ? `${found.length} proposals begin with '${begins}'` : `There is no proposal '${begins}'`;
  throw new WorkspaceError(`${why}. 'amplifier proposals list' names them.`, { code: 'PROPOSAL_NOT_FOUND' });
}

export async function showProposal(
  home: string,
  begins: string,
  options: FindOptions = {},
): Promise<ProposalDetail> {
  const stored = await find(home, begins, options);
  if ('journal' in stored) {
    const proposal = ofApply(stored.journal);
    const acts_later = actingAmong(stored.journal.steps, proposal.target);
    return { ...proposal, diff: '', ignored: [], skipped: [], acts_later };
  }
  const patch = await (await Isolation.open(home, stored.tree.id)).patch();
  const { changes, diff, ignored, skipped } = patch;
  const proposal = ofTree(stored.tree, listChanges(changes));
  const acts_later = actingAmong(changes, proposal.target);
  return { ...proposal, diff, ignored: ignored.map(({ path }) => path), skipped, acts_later };
}

interface ApplyOptions extends FindOptions {
  /** A person looked at it and says so: only then may it touch what other programs act by later. */
  byPerson: boolean;
  /** As for `applyPatch`: whose folders may be changed. Default: any. */
  check?: FolderCheck | undefined;
  clock?: Clock | undefined;
}

/** Puts the work into the folder it is for: all of it, or nothing. The id it has from then on takes it back. */
export async function applyProposal(
  home: string,
  begins: string,
  { byPerson, check, only, clock = systemClock }: ApplyOptions,
): Promise<Applied> {
  const { id } = await waiting(home, begins, 'applied', { only });
  const isolation = await Isolation.open(home, id);
  const patch = await isolation.patch();
  if (!byPerson) refuseActing(id, patch.target, patch.changes);
  const applied = await applyPatch(patch, { home, clock, check });
  if (applied.status === 'conflict') return applied;
  await isolation.dispose();
  return { status: 'applied', id: applied.apply_id };
}

/** Takes an applied one back, bit for bit. Refuses with a conflict where one of its files was changed since. */
export async function undoProposal(
  home: string,
  begins: string,
  { byPerson, check, only }: ApplyOptions,
): Promise<UndoResult & { id: string }> {
  const stored = await find(home, begins, { only });
  const { id, state } = 'tree' in stored ? ofTree(stored.tree, NO_CHANGES) : stored.journal;
  if ('tree' in stored || state !== 'applied')
    throw new WorkspaceError(`The proposal ${id} is ${state}, so there is nothing to undo.`, {
      code: 'APPLY_NOT_UNDOABLE',
    });
  if (!byPerson) refuseActing(id, stored.journal.target, stored.journal.steps);
  return { ...(await undoApply(id, { home, check })), id };
}

/** Throws the work away. */
export async function discardProposal(
  home: string,
  begins: string,
  options: FindOptions = {},
): Promise<Proposal> {
  const tree = await waiting(home, begins, 'discarded', options);
  const proposal = await proposalOf(home, { tree });
  await (await Isolation.open(home, tree.id)).dispose();
  return proposal;
}

export interface CleanOptions extends FindOptions {
  older_than_days: number;
  dry_run: boolean;
  clock?: Clock | undefined;
}

/** Removes what is older, whether it waits or was applied: then it can be neither applied nor undone. What holds no change goes at any age. */
export async function cleanProposals(home: string, options: CleanOptions): Promise<Proposal[]> {
  const { older_than_days, dry_run, only, clock = systemClock } = options;
  const before = clock.now() - older_than_days * 24 * 60 * 60 * 1000;
  const removed: Proposal[] = [];
  for (const proposal of await listProposals(home, { only })) {
    const isOld = Date.parse(proposal.created_at) < before;
    if (!isOld && !(await isEmpty(home, proposal))) continue;
    if (!dry_run) await remove(home, proposal);
    removed.push(proposal);
  }
  return removed;
}

/** The list may be older than the tree: before work is removed, the tree is compared. */
async function isEmpty(home: string, proposal: Proposal): Promise<boolean> {
  if (!isWaiting(proposal) || proposal.changes.length > 0) return false;
  return (await changesIn(home, proposal.id)).changes.length === 0;
}

async function remove(home: string, proposal: Proposal): Promise<void> {
  if (isWaiting(proposal)) await (await Isolation.open(home, proposal.id)).dispose();
  else await rm(applyPlaces(home, proposal.id).folder, { recursive: true, force: true });
}

async function waiting(
  home: string,
  begins: string,
  verb: string,
  options: FindOptions,
): Promise<IsolationRecord> {
  const stored = await find(home, begins, options);
  if ('tree' in stored) return stored.tree;
  const { id, state } = stored.journal;
  throw new WorkspaceError(`The proposal ${id} is ${state}, so it cannot be ${verb}.`, {
    code: 'PROPOSAL_NOT_WAITING',
  });
}

function isWaiting({ state }: Proposal): boolean {
  return state === 'proposed' || state === 'left';
}

function isAbandoned({ state, owner }: IsolationRecord): boolean {
  return state === 'kept' || (state === 'open' && hasEnded(owner));
}

async function waitingTrees(
  home: string,
  ids: readonly string[],
  only: FindOptions['only'],
  onUnreadable: (record: UnreadableRecord) => void,
): Promise<{ tree: IsolationRecord }[]> {
  const found: { tree: IsolationRecord }[] = [];
  for (const tree of await listIsolations(home, onUnreadable, ids))
    if (isAbandoned(tree) && (await (only?.(targetOf(tree)) ?? true))) found.push({ tree });
  return found;
}

async function journals(
  home: string,
  ids: readonly string[],
  only: FindOptions['only'],
  onUnreadable: (record: UnreadableRecord) => void,
): Promise<{ journal: ApplyRecord }[]> {
  const trees = join(await realpath(home).catch(() => home), 'isolations');
  const load = readableOnly(loadApply, onUnreadable);
  const found: { journal: ApplyRecord }[] = [];
  for (const id of ids) {
    const target = only ? await targetOfApply(home, id) : null;
    if (only && target !== null && !(await only(target))) continue;
    const journal = await load(home, id).catch((error) => {
      if (errnoOf(error) !== 'APPLY_NOT_FOUND') throw error;
      return null;
    });
    if (!journal || (target !== null && journal.target !== target)) continue;
    // Not patches between two isolated trees.
    const isDone = journal.state === 'applied' || journal.state === 'undone';
    if (isDone && !isWithin(trees, journal.target)) found.push({ journal });
  }
  return found;
}

async function proposalOf(home: string, stored: Stored): Promise<Proposal> {
  if ('journal' in stored) return ofApply(stored.journal);
  const { tree } = stored;
  // The list of one whose process died may be that of an earlier turn.
  const listed = tree.state === 'kept' ? await readListed(isolationPlaces(home, tree.id).changes) : null;
  return ofTree(tree, listed ?? (await changesIn(home, tree.id)));
}

const NO_CHANGES: ListedChanges = { changes: [], more_changes: 0 };

/** One whose tree cannot be read any more is listed all the same, so that it can be discarded. */
async function changesIn(home: string, id: string): Promise<ListedChanges> {
  return Isolation.open(home, id)
    .then((isolation) => isolation.patch())
    .then(
      ({ changes }) => listChanges(changes),
      () => NO_CHANGES,
    );
}

function targetOf({ source, stands_for }: IsolationRecord): string {
  return stands_for ?? source ?? '';
}

function ofTree(record: IsolationRecord, listed: ListedChanges): Proposal {
  const { id, created_at, note, session_id, state } = record;
  return {
    id,
    state: state === 'kept' ? 'proposed' : 'left',
    session_id,
    target: targetOf(record),
    created_at,
    note,
    ...listed,
  };
}

function ofApply({ id, state, target, created_at, steps }: ApplyRecord): Proposal {
  return {
    id,
    state: state === 'applied' ? 'applied' : 'undone',
    session_id: null,
    target,
    created_at,
    note: null,
    ...listChanges(steps),
  };
}

function actingAmong(changes: readonly { path: string }[], target: string): string[] {
  return changes.map(({ path }) => path).filter((path) => isActing(path, target));
}

function refuseActing(id: string, target: string, changes: readonly { path: string }[]): void {
  const acting = actingAmong(changes, target);
  if (acting.length === 0) return;
  throw new WorkspaceError(
    `The proposal ${id} changes files that other programs act by later: ${acting.join(', ')}. A person looks at it with 'amplifier proposals show' and applies or undoes it there.`,
    { code: 'PROPOSAL_ACTS_LATER' },
  );
}
