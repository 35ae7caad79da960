import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '@amplifier/core';
import { isWithin } from '../grant/path-scope.js';
import { applyPatch, type FolderCheck, type UndoResult, undoApply } from '../patches/apply-patch.js';
import { type ApplyRecord, applyPlaces, listApplyIds, loadApply } from '../patches/apply-record.js';
import { type ChangeKind, kindOfChange } from '../patches/change.js';
import type { Conflict } from '../patches/check-changes.js';
import type { Patch } from '../patches/make-patch.js';
import { livenessOf } from '../processes/process-identity.js';
import { isActing } from '../trust/protected-paths.js';
import { errnoOf, WorkspaceError } from '../workspace-error.js';
import { Isolation } from './isolation.js';
import type { IsolationRecord } from './isolation-record.js';
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
  changes: { path: string; kind: ChangeKind }[];
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
  onUnreadable: (record: UnreadableRecord) => void = () => {},
): Promise<Proposal[]> {
  const waiting = (await listIsolations(home, onUnreadable)).filter(isAbandoned);
  const proposed = await Promise.all(
    waiting.map(async (record) => ofPatch(record, await patchOf(home, record))),
  );
  const applied = (await applies(home, onUnreadable)).map(ofApply);
  return [...proposed, ...applied].sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
}

/** The one whose id begins so. Throws `PROPOSAL_NOT_FOUND`, also when several do. */
export async function findProposal(home: string, begins: string): Promise<Proposal> {
  const unreadable: UnreadableRecord[] = [];
  const all = await listProposals(home, (record) => unreadable.push(record));
  const found = all.filter(({ id }) => id.startsWith(begins));
  const [only] = found;
  const [bad] = unreadable.filter(({ id }) => begins !== '' && id.startsWith(begins));
  if (found.length === 0 && bad) throw new WorkspaceError(bad.message, { code: 'RECORD_INVALID' });
  if (begins !== '' && only && found.length === 1) return only;
  const why =
    found.length > 1 && begins !== ''
      ? `${found.length} proposals begin with '${begins}'`
      : `There is no proposal '${begins}'`;
  throw new WorkspaceError(`${why}. 'amplifier proposals list' names them.`, { code: 'PROPOSAL_NOT_FOUND' });
}

export async function showProposal(home: string, begins: string): Promise<ProposalDetail> {
  const proposal = await findProposal(home, begins);
  const later = proposal.changes.map(({ path }) => path).filter((path) => isActing(path, proposal.target));
  if (!isWaiting(proposal)) return { ...proposal, diff: '', ignored: [], skipped: [], acts_later: later };
  const { diff, ignored, skipped } = await (await Isolation.open(home, proposal.id)).patch();
  return { ...proposal, diff, ignored: ignored.map(({ path }) => path), skipped, acts_later: later };
}

interface ApplyOptions {
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
  { byPerson, check, clock = systemClock }: ApplyOptions,
): Promise<Applied> {
  const proposal = await waiting(home, begins, 'applied');
  const isolation = await Isolation.open(home, proposal.id);
  const patch = await isolation.patch();
  if (!byPerson) refuseActing(proposal, patch.changes);
  const applied = await applyPatch(patch, { home, clock, check });
  if (applied.status === 'conflict') return applied;
  await isolation.dispose();
  return { status: 'applied', id: applied.apply_id };
}

/** Takes an applied one back, bit for bit. Refuses with a conflict where one of its files was changed since. */
export async function undoProposal(
  home: string,
  begins: string,
  { byPerson, check }: ApplyOptions,
): Promise<UndoResult & { id: string }> {
  const proposal = await findProposal(home, begins);
  if (proposal.state !== 'applied')
    throw new WorkspaceError(
      `The proposal ${proposal.id} is ${proposal.state}, so there is nothing to undo.`,
      {
        code: 'APPLY_NOT_UNDOABLE',
      },
    );
  if (!byPerson) refuseActing(proposal, proposal.changes);
  return { ...(await undoApply(proposal.id, { home, check })), id: proposal.id };
}

/** Throws the work away. */
export async function discardProposal(home: string, begins: string): Promise<Proposal> {
  const proposal = await waiting(home, begins, 'discarded');
  await (await Isolation.open(home, proposal.id)).dispose();
  return proposal;
}

export interface CleanOptions {
  older_than_days: number;
  dry_run: boolean;
  /** Only for folders of which this is true. */
  only?: ((target: string) => Promise<boolean>) | undefined;
  clock?: Clock | undefined;
}

/** Removes what is older, whether it waits or was applied: then it can be neither applied nor undone. What holds no change goes at any age. */
export async function cleanProposals(home: string, options: CleanOptions): Promise<Proposal[]> {
  const { older_than_days, dry_run, only = async () => true, clock = systemClock } = options;
  const before = clock.now() - older_than_days * 24 * 60 * 60 * 1000;
  const removed: Proposal[] = [];
  for (const proposal of await listProposals(home)) {
    const isOld = Date.parse(proposal.created_at) < before;
    const isEmpty = isWaiting(proposal) && proposal.changes.length === 0;
    if (!(isOld || isEmpty) || !(await only(proposal.target))) continue;
    if (!dry_run) await remove(home, proposal);
    removed.push(proposal);
  }
  return removed;
}

async function remove(home: string, proposal: Proposal): Promise<void> {
  if (isWaiting(proposal)) await (await Isolation.open(home, proposal.id)).dispose();
  else await rm(applyPlaces(home, proposal.id).folder, { recursive: true, force: true });
}

async function waiting(home: string, begins: string, verb: string): Promise<Proposal> {
  const proposal = await findProposal(home, begins);
  if (isWaiting(proposal)) return proposal;
  throw new WorkspaceError(`The proposal ${proposal.id} is ${proposal.state}, so it cannot be ${verb}.`, {
    code: 'PROPOSAL_NOT_WAITING',
  });
}

function isWaiting({ state }: Proposal): boolean {
  return state === 'proposed' || state === 'left';
}

function isAbandoned({ state, owner }: IsolationRecord): boolean {
  return state === 'kept' || (state === 'open' && livenessOf(owner) === 'dead');
}

/** One whose tree cannot be read any more is listed all the same, so that it can be discarded. */
async function patchOf(home: string, { id }: IsolationRecord): Promise<Pick<Patch, 'changes'>> {
  return Isolation.open(home, id)
    .then((isolation) => isolation.patch())
    .catch(() => ({ changes: [] }));
}

function ofPatch(record: IsolationRecord, { changes }: Pick<Patch, 'changes'>): Proposal {
  const { id, source, stands_for, created_at, note, session_id, state } = record;
  return {
    id,
    state: state === 'kept' ? 'proposed' : 'left',
    session_id,
    target: stands_for ?? source ?? '',
    created_at,
    note,
    changes: changes.map((change) => ({ path: change.path, kind: kindOfChange(change) })),
  };
}

async function applies(
  home: string,
  onUnreadable: (record: UnreadableRecord) => void,
): Promise<ApplyRecord[]> {
  const trees = join(await realpath(home).catch(() => home), 'isolations');
  const load = readableOnly(loadApply, onUnreadable);
  const records = await Promise.all(
    (await listApplyIds(home)).map((id) =>
      load(home, id).catch((error) => {
        if (errnoOf(error) !== 'APPLY_NOT_FOUND') throw error;
        return null;
      }),
    ),
  );
  return records.flatMap((record) =>
    // What was brought from one isolated tree into another is nothing of the user's.
    record && (record.state === 'applied' || record.state === 'undone') && !isWithin(trees, record.target)
      ? [record]
      : [],
  );
}

function ofApply({ id, state, target, created_at, steps }: ApplyRecord): Proposal {
  return {
    id,
    state: state === 'applied' ? 'applied' : 'undone',
    session_id: null,
    target,
    created_at,
    note: null,
    changes: steps.map((step) => ({ path: step.path, kind: kindOfChange(step) })),
  };
}

function refuseActing({ id, target }: Proposal, changes: readonly { path: string }[]): void {
  const acting = changes.map(({ path }) => path).filter((path) => isActing(path, target));
  if (acting.length === 0) return;
  throw new WorkspaceError(
    `The proposal ${id} changes files that other programs act by later: ${acting.join(', ')}. A person looks at it with 'amplifier proposals show' and applies or undoes it there.`,
    { code: 'PROPOSAL_ACTS_LATER' },
  );
}
