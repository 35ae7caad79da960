import {
  applyProposal,
  cleanProposals,
  discardProposal,
  type FindOptions,
  type FolderCheck,
  listProposals,
  provenLooks,
  showProposal,
  undoProposal,
} from '@amplifier/host';
import { z } from 'zod';
import type { McpService } from '../service.js';
import { defineTool, LOOKS } from './tool.js';

const Proposal = z.object({
  id: z.string(),
  state: z
    .enum(['proposed', 'left', 'applied', 'undone'])
    .describe('proposed and left (its process died) are pending; applied can be undone.'),
  session_id: z.string().nullable().describe('The session that made it, if known.'),
  target: z.string().describe('The folder it is for.'),
  created_at: z.string(),
  note: z.string().nullable(),
  changes: z.array(z.object({ path: z.string(), kind: z.enum(['added', 'deleted', 'modified']) })),
  more_changes: z.number().describe('How many are left out of changes.'),
});
type Proposal = z.infer<typeof Proposal>;

const Id = z.string().min(4).describe('An id from list_proposals, or its first characters.');

export const listProposalsTool = defineTool({
  name: 'list_proposals',
  title: 'List proposals',
  description:
    'List pending proposals and applied ones that can be undone, oldest first. With id, show that one with its full diff.',
  input: z.strictObject({ id: Id.nullish() }),
  output: z.object({
    proposals: z.array(Proposal),
    diff: z.string().nullable().describe('The diff of the proposal with the given id.'),
    acts_later: z
      .array(z.string())
      .describe('Files in the requested proposal that other programs execute later, such as git hooks.'),
    unreadable: z.array(z.string()).describe('Ids of proposals whose record cannot be read.'),
  }),
  annotations: LOOKS,
  async run({ id }, { service }) {
    const find = ownFolders(service);
    if (!id) {
      const unreadable: string[] = [];
      const onUnreadable = ({ id: bad }: { id: string }) => unreadable.push(bad);
      const proposals = await listProposals(service.trees, { ...find, onUnreadable });
      return { proposals, diff: null, acts_later: [], unreadable };
    }
    const shown = await showProposal(service.trees, id, find);
    const { diff, acts_later, ignored: _, skipped: __, ...proposal } = shown;
    return { proposals: [proposal], diff, acts_later, unreadable: [] };
  },
  text: ({ proposals, diff, unreadable }) =>
    [
      ...proposals.map(line),
      ...unreadable.map((bad) => `${bad}: left out, because its record cannot be read`),
      ...(diff ? ['', '```diff', diff, '```'] : []),
    ].join('\n') || 'None.',
});

export const resolveProposal = defineTool({
  name: 'resolve_proposal',
  title: 'Apply, undo or discard a proposal',
  description:
    'apply makes the changes in its folder, all or none if a file has changed since, and needs a trusted folder; undo reverts an applied one exactly; discard deletes it. Do what the user decided.',
  input: z.strictObject({
    id: Id,
    action: z.enum(['apply', 'undo', 'discard']).describe('What to do with it.'),
    trust_workspace: z
      .boolean()
      .nullish()
      .default(false)
      .describe('As in delegate: allow changes to the folder for this call. Only after the user agreed.'),
  }),
  output: z.object({
    status: z.enum(['applied', 'undone', 'discarded', 'conflict']),
    id: z.string().describe('After apply: the id that undoes it.'),
    conflicts: z
      .array(z.object({ path: z.string(), reason: z.string() }))
      .describe('Files that have changed since. If there are any, nothing was applied.'),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run({ id, action, trust_workspace }, call) {
    const { service } = call;
    const { trees } = service;
    const find = ownFolders(service);
    if (action === 'discard') {
      const discarded = await discardProposal(trees, id, find);
      return { status: 'discarded' as const, id: discarded.id, conflicts: [] };
    }
    const resolve = action === 'undo' ? undoProposal : applyProposal;
    const check: FolderCheck = async (folder, looked) => {
      await service.allowed(folder, looked);
      await service.requireTrust(folder, trust_workspace === true, call, looked);
    };
    return outcome(await resolve(trees, id, { ...find, byPerson: false, check }), id);
  },
  text: ({ status, id, conflicts }) =>
    [`${status}: ${id}`, ...conflicts.map(({ path, reason }) => `${path}: ${reason}`)].join('\n'),
});

export const cleanProposalsTool = defineTool({
  name: 'clean_proposals',
  title: 'Remove old proposals',
  description:
    'Remove old proposals and old undo data, and empty proposals of any age. Only lists what it would remove unless dry_run is false.',
  input: z.strictObject({
    older_than_days: z.number().nonnegative().nullish().default(30).describe('Default 30.'),
    dry_run: z.boolean().nullish().default(true).describe('Default: yes.'),
  }),
  output: z.object({ dry_run: z.boolean(), proposals: z.array(Proposal) }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run({ older_than_days, dry_run }, { service }) {
    const find = ownFolders(service);
    const options = { ...find, older_than_days: older_than_days ?? 30, dry_run: dry_run ?? true };
    return { dry_run: options.dry_run, proposals: await cleanProposals(service.trees, options) };
  },
  text: ({ dry_run, proposals }) =>
    [`${proposals.length} ${dry_run ? 'would be removed' : 'removed'}.`, ...proposals.map(line)].join('\n'),
});

/** Only folders that callers may work in, by the real path that was recorded. */
function ownFolders(service: McpService): FindOptions {
  return {
    only: (target) =>
      service.allowed(target, provenLooks(target)).then(
        () => true,
        () => false,
      ),
  };
}

function outcome(
  result:
    | { status: 'applied' | 'undone'; id?: string }
    | { status: 'conflict'; conflicts: { path: string; reason: string }[] },
  id: string,
) {
  if (result.status !== 'conflict') return { status: result.status, id: result.id ?? id, conflicts: [] };
  return {
    status: result.status,
    id,
    conflicts: result.conflicts.map(({ path, reason }) => ({ path, reason })),
  };
}

function line({ id, state, changes, more_changes, target, created_at }: Proposal): string {
  return `${id}: ${state}, ${changes.length + more_changes} changes in ${target}, ${created_at}`;
}
