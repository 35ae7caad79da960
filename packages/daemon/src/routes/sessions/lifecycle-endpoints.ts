import { isTerminal } from '@amplifier/sessions';
import { type Endpoint, endpoints, z } from '../../http/endpoint.js';
import { checkIfMatch } from '../../http/etag.js';
import type { Services } from '../../services.js';
import { nextStatus, type Transition } from '../../sessions/lifecycle.js';
import { versionOf } from '../../sessions/session-schema.js';
import { sessionTree } from '../../sessions/session-tree.js';

const api = endpoints({ tag: 'sessions' });
const freeForm = z.record(z.string(), z.unknown());
const TerminateSession = z.object({
  cascade: z.boolean().optional().openapi({ description: 'Also its descendants.' }),
});

/** The steps of a session's life. */
export function lifecycleEndpoints(): Endpoint[] {
  const transition = (name: Transition, summary: string) =>
    api.post(`/api/v1/sessions/{session_id}/${name}`, {
      summary,
      ...(name === 'terminate' ? { body: TerminateSession } : {}),
      success: { status: 204, description: 'Done.' },
      errors: ['INVALID_TRANSITION', 'SESSION_BUSY', 'VERSION_MISMATCH'],
      async handle({ params: { session_id }, body, context, services }) {
        const { cascade = false } = body as { cascade?: boolean };
        const isStopped = name === 'terminate' && (await stopRuns(services, session_id, cascade));
        if (!isStopped)
          await services.logs.use(session_id, (log) => {
            checkIfMatch(context, versionOf(log.metadata));
            return log.transition(nextStatus(session_id, log.metadata.status, name));
          });
        if (cascade) await terminateBelow(services, session_id);
        return {};
      },
    });

  return [
    transition('start', 'Start a session'),
    transition('complete', 'Complete a session'),
    api.post('/api/v1/sessions/{session_id}/fail', {
      summary: 'Mark a session as failed',
      query: z.object({ error_message: z.string().optional() }),
      inQuery: { members: ['error_message'], rest: 'error_details' },
      body: z
        .object({ error_message: z.string().min(1).max(10_000), error_details: freeForm.nullish() })
        .openapi('FailSessionRequest', { example: { error_message: 'The provider refused the key.' } }),
      success: { status: 204, description: 'Done.' },
      errors: ['INVALID_TRANSITION', 'SESSION_BUSY', 'VERSION_MISMATCH'],
      async handle({ params: { session_id }, body, context, services: { logs } }) {
        const { error_message: message, error_details: details } = body;
        await logs.use(session_id, (log) => {
          checkIfMatch(context, versionOf(log.metadata));
          const status = nextStatus(session_id, log.metadata.status, 'fail');
          return log.transition(status, {
            error: { code: 'FAILED_BY_CLIENT', message, ...(details ? { details } : {}) },
          });
        });
        return {};
      },
    }),
    transition('terminate', 'Terminate a session'),
    transition('resume', 'Make an ended session active again'),
  ];
}

/** Whoever terminates a session at work stops the work. True when that has terminated the session. */
async function stopRuns({ runs, store }: Services, session_id: string, cascade: boolean): Promise<boolean> {
  if (!(await runs.isBusy(session_id))) return false;
  await runs.stopAll(session_id, { mode: 'immediate', cascade, by: 'terminate' });
  return (await store.metadata(session_id)).status === 'terminated';
}

async function terminateBelow({ store, logs }: Services, session_id: string): Promise<void> {
  const [, ...below] = await sessionTree(store, session_id);
  for (const id of below)
    await logs.use(id, async (log) => {
      if (!isTerminal(log.metadata.status)) await log.transition('terminated');
    });
}
