import {
  applyProposal,
  cleanProposals,
  discardProposal,
  type FindOptions,
  type FolderCheck,
  isWiderMode,
  listProposals,
  provenLooks,
  showProposal,
  undoProposal,
  WorkspaceError,
} from '@amplifier/workspace';
import { checkScope } from '../auth/scope.js';
import { DaemonError } from '../daemon-error.js';
import { type Endpoint, endpoints, z } from '../http/endpoint.js';
import type { Services } from '../services.js';

const api = endpoints({ tag: 'proposals' });
const params = z.object({
  proposal_id: z
    .string()
    .regex(/^[0-9a-f-]{36}$/, 'is not a proposal id')
    .openapi({ example: '0d1f2c3b-6a51-4f0e-9a55-3f6f0b1d2c3e' }),
});

const ProposalView = z
  .object({
    id: z.string(),
    state: z.enum(['proposed', 'left', 'applied', 'undone']).openapi({
      description: '`proposed` and `left` (its process died) are pending; `applied` can be undone.',
    }),
    session_id: z.string().nullable(),
    target: z.string().openapi({ description: 'The folder it is for.' }),
    created_at: z.string().openapi({ format: 'date-time' }),
    note: z.string().nullable(),
    changes: z
      .array(z.object({ path: z.string(), kind: z.enum(['added', 'deleted', 'modified']) }))
      .openapi({ description: 'The first 1,000, sorted by path.' }),
    more_changes: z.number().int().openapi({ description: 'How many are left out of `changes`.' }),
  })
  .openapi('Proposal');

const ProposalDetailView = ProposalView.extend({
  diff: z.string(),
  ignored: z.array(z.string()).openapi({ description: 'Created, but ignored by git: not applied.' }),
  skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
  acts_later: z.array(z.string()).openapi({
    description:
      'Files among the changes that other programs execute later. Only a person may apply such a proposal.',
  }),
}).openapi('ProposalDetail');

const Resolved = z
  .object({
    status: z.enum(['applied', 'undone', 'conflict']),
    id: z.string().openapi({ description: 'After an apply: the id that undoes it.' }),
    conflicts: z.array(z.object({ path: z.string(), reason: z.string() })),
  })
  .openapi('ResolvedProposal');

/** What agents would change and nobody has applied, and what was applied and can be undone. */
export function proposalEndpoints(): Endpoint[] {
  /** By the real path that was recorded: a link that has its name now leads neither in nor out. */
  const within =
    ({ folders }: Services) =>
    (target: string) =>
      folders.allowed(target, provenLooks(target)).then(
        () => true,
        () => false,
      );
  /** One outside of these folders does not exist, and every id that does not is answered in the same words. */
  async function known<T>(
    services: Services,
    id: string,
    act: (find: FindOptions) => Promise<T>,
  ): Promise<T> {
    try {
      return await act({ only: within(services) });
    } catch (error) {
      if (!(error instanceof WorkspaceError) || error.code !== 'PROPOSAL_NOT_FOUND') throw error;
      throw new DaemonError('PROPOSAL_NOT_FOUND', `There is no proposal '${id}'.`);
    }
  }
  const checkedBy =
    ({ folders }: Services): FolderCheck =>
    async (folder, looked) => {
      await folders.allowed(folder, looked);
      await folders.requireTrust(folder, 'write', looked);
    };
  const change = (
    verb: 'apply' | 'undo',
    summary: string,
    carryOut: (...args: Parameters<typeof applyProposal>) => Promise<Parameters<typeof resolved>[0]>,
  ) =>
    api.post(`/api/v1/proposals/{proposal_id}/${verb}`, {
      summary,
      description:
        'Needs a trusted folder, like the mode `write`, and the scope `admin` if sessions may not write (`runs.safety_mode`).',
      params,
      success: { status: 200, description: 'The result.', schema: Resolved },
      errors: [
        'PROPOSAL_NOT_FOUND',
        'PROPOSAL_NOT_WAITING',
        'PROPOSAL_ACTS_LATER',
        'PROPOSAL_TOO_LARGE',
        'WORKSPACE_CHANGED',
        'WORKSPACE_NOT_TRUSTED',
      ],
      async handle({ params: { proposal_id: id }, caller, services }) {
        // Where sessions may only propose, changing the folder is for the operator.
        if (isWiderMode('write', services.folders.widest)) checkScope(caller, 'admin');
        const check = checkedBy(services);
        const result = await known(services, id, (find) =>
          carryOut(services.home.trees, id, { ...find, byPerson: false, check }),
        );
        return { body: resolved(result, id) };
      },
    });
  return [
    api.get('/api/v1/proposals', {
      summary: 'List pending proposals and those that can be undone, oldest first',
      success: { status: 200, description: 'All of them.', schema: z.array(ProposalView) },
      async handle({ services }) {
        const onUnreadable = ({ message }: { message: string }) =>
          services.report({
            level: 'warning',
            code: 'RECORD_INVALID',
            message: `A proposal is left out: ${message}`,
          });
        return { body: await listProposals(services.home.trees, { only: within(services), onUnreadable }) };
      },
    }),
    api.post('/api/v1/proposals/clean', {
      scope: 'admin',
      operator: false,
      summary: 'Remove old proposals and old undo data',
      body: z.strictObject({
        older_than_days: z.number().nonnegative().default(30),
        dry_run: z.boolean().default(false),
      }),
      success: {
        status: 200,
        description: 'What was, or would be, removed.',
        schema: z.object({ dry_run: z.boolean(), proposals: z.array(ProposalView) }),
      },
      async handle({ body: { older_than_days, dry_run }, services }) {
        const only = within(services);
        const proposals = await cleanProposals(services.home.trees, { older_than_days, dry_run, only });
        return { body: { dry_run, proposals } };
      },
    }),
    api.get('/api/v1/proposals/{proposal_id}', {
      summary: 'Get a proposal with its diff',
      params,
      success: { status: 200, description: 'The proposal.', schema: ProposalDetailView },
      errors: ['PROPOSAL_NOT_FOUND'],
      async handle({ params: { proposal_id }, services }) {
        return {
          body: await known(services, proposal_id, (find) =>
            showProposal(services.home.trees, proposal_id, find),
          ),
        };
      },
    }),
    change('apply', 'Apply a proposal: all of it, or nothing if a file has changed since', applyProposal),
    change('undo', 'Undo an applied proposal exactly', undoProposal),
    api.delete('/api/v1/proposals/{proposal_id}', {
      summary: 'Throw a proposal away',
      params,
      success: { status: 204, description: 'It is gone.' },
      errors: ['PROPOSAL_NOT_FOUND', 'PROPOSAL_NOT_WAITING'],
      async handle({ params: { proposal_id }, services }) {
        await known(services, proposal_id, (find) => discardProposal(services.home.trees, proposal_id, find));
        return { status: 204 };
      },
    }),
  ];
}

function resolved(
  result:
    | { status: 'applied' | 'undone'; id?: string }
    | { status: 'conflict'; conflicts: { path: string; reason: string }[] },
  id: string,
): z.infer<typeof Resolved> {
  if (result.status !== 'conflict') return { status: result.status, id: result.id ?? id, conflicts: [] };
  const conflicts = result.conflicts.map(({ path, reason }) => ({ path, reason }));
  return { status: 'conflict', id, conflicts };
}
