import { isTerminal } from '@amplifier/sessions';
import { DaemonError } from '../../daemon-error.js';
import { MAX_MESSAGE_BYTES } from '../../defaults.js';
import { type Endpoint, endpoints, z } from '../../http/endpoint.js';
import { RunView } from '../../runs/run-schema.js';
import { runView } from '../../runs/run-view.js';

const api = endpoints({ tag: 'trees' });

/** Taking the wheel of a session, whichever process runs it: everything here goes through the record. */
export function steeringEndpoints(): Endpoint[] {
  return [
    api.post('/api/v1/sessions/{session_id}/steer', {
      summary: 'Send a message to a running session',
      description:
        'The session reads it at its next step, also if another process, such as a terminal, runs it. An idle session reads it before its next instruction.',
      body: z.object({ text: z.string().trim().min(1).max(MAX_MESSAGE_BYTES) }),
      success: {
        status: 202,
        description: 'It is on disk.',
        schema: z.object({ session_id: z.string(), is_running: z.boolean() }),
      },
      async handle({ params: { session_id }, body: { text }, services: { store, runs } }) {
        const { status } = await store.metadata(session_id);
        await runs.steer(session_id, text);
        const is_running = status === 'active' && (await store.owner(session_id)) !== null;
        return { body: { session_id, is_running } };
      },
    }),
    api.post('/api/v1/sessions/{session_id}/cancel', {
      summary: 'Cancel a session, alone or with its descendants',
      description: 'Also if another process, such as a terminal, runs it. Its queued runs are withdrawn.',
      body: z.object({
        scope: z.enum(['session', 'subtree']).default('subtree'),
        mode: z.enum(['graceful', 'immediate']).default('immediate').openapi({
          description: '`graceful` finishes the current step.',
        }),
      }),
      success: {
        status: 202,
        description: 'They were told.',
        schema: z.object({ session_ids: z.array(z.string()) }),
      },
      async handle({ params: { session_id }, body: { scope, mode }, services: { store, runs } }) {
        await store.metadata(session_id);
        return { body: { session_ids: await runs.cancelSession(session_id, mode, scope === 'subtree') } };
      },
    }),
    api.post('/api/v1/sessions/{session_id}/continue', {
      summary: 'Continue a session whose process died during a turn',
      description: 'Completed work is kept: finished children are not run again.',
      body: z.object({ wait: z.number().nonnegative().max(300).optional() }),
      success: { status: 202, description: 'The run that continues it.', schema: RunView },
      errors: ['RUN_NOT_INTERRUPTED', 'WORKSPACE_NOT_TRUSTED', 'READ_SCOPE_WIDER'],
      async handle({ params: { session_id }, body: { wait }, context, caller, services: { store, runs } }) {
        const { status } = await store.metadata(session_id);
        if (isTerminal(status))
          throw new DaemonError(
            'RUN_NOT_INTERRUPTED',
            `Session ${session_id} is ${status}; start a new run instead.`,
          );
        const run = await runs.continueSession(session_id, caller.account);
        return { body: await runView(await runs.wait(run, wait, context.req.raw.signal), store) };
      },
    }),
  ];
}
