import type { LaunchRecord } from '@amplifier/delegation';
import { pendingProposals } from '@amplifier/workspace';
import { DaemonError } from '../../daemon-error.js';
import { MAX_TREE_NODES } from '../../defaults.js';
import { type Endpoint, endpoints, z } from '../../http/endpoint.js';
import { NewDelegation } from '../../runs/run-schema.js';
import { LaunchView, launchView } from '../../views/launch-view.js';
import { withinTree } from '../../views/tree-node.js';

const api = endpoints({ tag: 'trees' });

/** What sessions were launched with, and what one would be launched with. */
export function launchEndpoints(): Endpoint[] {
  return [
    api.get('/api/v1/sessions/{session_id}/launch', {
      shared: true,
      summary: 'Get what a session was launched with: permissions, limits and usage, model, context',
      success: {
        status: 200,
        description: 'The launch record, in parts and whole.',
        schema: LaunchView.extend({
          proposals: z.array(z.string()).openapi({ description: 'Its pending proposals.' }),
        }).openapi('LaunchOfSession'),
      },
      errors: ['LAUNCH_NOT_FOUND'],
      async handle({ params: { session_id }, services: { store, home } }) {
        const { root_id } = await store.metadata(session_id);
        const launch = (await store.document(session_id, 'launch')) as LaunchRecord | null;
        if (!launch)
          throw new DaemonError(
            'LAUNCH_NOT_FOUND',
            `Session ${session_id} has not been launched: it has had no run yet.`,
          );
        const below = withinTree(await store.tree(root_id, MAX_TREE_NODES), session_id);
        const proposals = await pendingProposals(home.trees, session_id);
        return { body: { ...launchView(launch, below), proposals } };
      },
    }),
    api.post('/api/v1/sessions/{session_id}/delegate/dry-run', {
      summary: 'Show the launch record of a delegation without running it',
      body: NewDelegation.omit({ wait: true, run_id: true, approvals: true, session_id: true }),
      success: { status: 200, description: 'The launch record it would have.', schema: LaunchView },
      errors: ['AGENT_NOT_FOUND', 'DELEGATION_REFUSED', 'WORKSPACE_NOT_TRUSTED', 'READ_SCOPE_WIDER'],
      async handle({ params: { session_id }, body, services: { store, runs } }) {
        await store.metadata(session_id);
        return { body: launchView(await runs.planDelegation(session_id, body)) };
      },
    }),
  ];
}
