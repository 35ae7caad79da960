import {
  applyProposal,
  cleanProposals,
  discardProposal,
  hostPaths,
  isWithin,
  listProposals,
  type Proposal,
  realPathOf,
  shownText,
  showProposal,
  undoProposal,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { whole } from '../../options/session-options.js';
import { colored, SHORT_ID } from '../../output/show-proposal.js';
import type { Options } from '../../program/bind.js';
import { counted } from '../../terminal/fit.js';

export async function proposalsList(cli: Cli, options: Options): Promise<number> {
  const { trees, cwd } = hostPaths(cli.cwd);
  const unreadable: { id: string; message: string }[] = [];
  const isHere = await isOfFolder(options.all ? null : cwd);
  const shown = await listProposals(trees, {
    only: async (target) => isHere(target),
    onUnreadable: (record) => unreadable.push(record),
  });
  if (cli.json) cli.printJson({ proposals: shown, ...(unreadable.length > 0 ? { unreadable } : {}) });
  for (const { message } of unreadable) cli.say(`warning: a proposal is left out: ${shownText(message)}`);
  for (const proposal of cli.json ? [] : shown) cli.print(line(proposal));
  if (!cli.json && shown.length === 0)
    cli.say(
      `There are no proposals${options.all ? '' : ' for this folder; --all lists those of every folder'}.`,
    );
  return 0;
}

export async function proposalsShow(cli: Cli, id: string): Promise<number> {
  const proposal = await showProposal(hostPaths(cli.cwd).trees, id);
  if (cli.json) cli.printJson(proposal);
  else {
    cli.print(line(proposal));
    for (const { path, kind } of proposal.changes) cli.print(`  ${kind} ${shownText(path)}`);
    if (proposal.more_changes > 0) cli.print(`  and ${counted(proposal.more_changes, 'more change')}`);
    for (const path of proposal.ignored) cli.print(`  left out, because git ignores it: ${shownText(path)}`);
    for (const { path, reason } of proposal.skipped) cli.print(`  left out: ${shownText(path)} (${reason})`);
    for (const path of proposal.acts_later) cli.print(`  careful: other programs run ${shownText(path)}`);
    if (proposal.diff !== '') cli.print(`\n${colored(shownText(proposal.diff).trimEnd(), cli)}`);
  }
  return 0;
}

export async function proposalsApply(cli: Cli, id: string, yes: boolean): Promise<number> {
  const { trees } = hostPaths(cli.cwd);
  const { acts_later, ...proposal } = await showProposal(trees, id);
  if (acts_later.length > 0 && !yes) {
    const message = `It changes files that other programs run later: ${acts_later.join(', ')}. Look at it with 'amplifier proposals show ${proposal.id.slice(0, SHORT_ID)}', then apply it with --yes.`;
    return refused(cli, 'PROPOSAL_ACTS_LATER', message);
  }
  const applied = await applyProposal(trees, proposal.id, { byPerson: true });
  if (applied.status === 'conflict')
    return refused(cli, 'APPLY_CONFLICT', conflictWords(applied.conflicts, 'Nothing was applied'));
  if (cli.json) cli.printJson({ ...proposal, ...applied });
  else
    cli.say(
      `Applied to ${proposal.target}. To undo it: amplifier proposals undo ${applied.id.slice(0, SHORT_ID)}`,
    );
  return 0;
}

export async function proposalsUndo(cli: Cli, id: string): Promise<number> {
  const undone = await undoProposal(hostPaths(cli.cwd).trees, id, { byPerson: true });
  if (undone.status === 'conflict')
    return refused(cli, 'APPLY_CONFLICT', conflictWords(undone.conflicts, 'Nothing was undone'));
  if (cli.json) cli.printJson(undone);
  else cli.say('Undone: the files are as they were before.');
  return 0;
}

export async function proposalsDiscard(cli: Cli, id: string): Promise<number> {
  const proposal = await discardProposal(hostPaths(cli.cwd).trees, id);
  if (cli.json) cli.printJson({ ...proposal, state: 'discarded' });
  else cli.say(`Discarded ${proposal.id} (${files(proposal)}).`);
  return 0;
}

export async function proposalsClean(cli: Cli, options: Options): Promise<number> {
  const { trees, cwd } = hostPaths(cli.cwd);
  const dry_run = Boolean(options.dryRun);
  const isHere = await isOfFolder(options.all ? null : cwd);
  const removed = await cleanProposals(trees, {
    older_than_days: whole('--days', options.days, 0),
    dry_run,
    only: async (target) => isHere(target),
  });
  if (cli.json) cli.printJson({ dry_run, proposals: removed });
  else {
    for (const proposal of removed) cli.print(line(proposal));
    cli.say(`${removed.length} ${dry_run ? 'would be removed' : 'removed'}.`);
  }
  return 0;
}

function line(proposal: Proposal): string {
  const { id, state, target, created_at, session_id, note } = proposal;
  const whose = session_id ? `, session ${session_id}` : '';
  const why = state === 'left' ? ', its process died' : note && !session_id ? `, ${shownText(note)}` : '';
  return `${id.slice(0, SHORT_ID)}  ${state}  ${files(proposal)} in ${shownText(target)}  ${created_at.slice(0, 16)}${whose}${why}`;
}

function files({ changes, more_changes }: Proposal): string {
  return counted(changes.length + more_changes, 'change');
}

function conflictWords(conflicts: readonly { path: string; reason: string }[], what: string): string {
  const named = conflicts.slice(0, 5).map(({ path, reason }) => `${shownText(path)} (${reason})`);
  return `${what}, because these files have changed since: ${named.join('; ')}.`;
}

function refused(cli: Cli, code: string, message: string): number {
  if (cli.json) cli.printJson({ error: { code, message } });
  else cli.say(`error: ${message}`);
  return 1;
}

/** Tells whether a proposal is for a folder or one around or below it; null is for every one. */
async function isOfFolder(folder: string | null): Promise<(target: string) => boolean> {
  if (folder === null) return () => true;
  const real = await realPathOf(folder).catch(() => folder);
  return (target) => isWithin(real, target) || isWithin(target, real);
}
