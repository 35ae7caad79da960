import { isAcceptance } from '@amplifier/core';
import type { Context } from 'hono';
import { type Approval, ApprovalView } from '../../approvals/fold-approvals.js';
import { DaemonError } from '../../daemon-error.js';
import { type Endpoint, endpoints, type Reply, z } from '../../http/endpoint.js';
import { pageOf, paging } from '../../http/paging.js';

const api = endpoints({ tag: 'approvals' });
const approvalParams = z.object({
  approval_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/, 'is not an approval id')
    .openapi({ example: 'question_6f1c1e0a-7d0b-4a4e-9a55-3f6f0b1d2c3e' }),
});

const AnswerApproval = z
  .strictObject({
    answer: z.string().trim().min(1).max(10_000).optional().openapi({
      description: 'One of the options; for a question, any text.',
    }),
    approved: z
      .boolean()
      .optional()
      .openapi({ description: 'Instead of `answer`: picks the first matching option.' }),
    message: z.string().trim().min(1).max(10_000).optional().openapi({
      description: 'Sent to the asking session with the answer, such as why not and what to do instead.',
    }),
    by: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .openapi({ description: 'The name of the person who answers.' }),
  })
  .openapi('AnswerApproval', { example: { approved: true, by: 'ada' } });

const ListQuery = z.object({ status: z.enum(['pending', 'answered', 'closed']).optional(), ...paging });

/** What sessions ask before they act, and the answers. */
export function approvalEndpoints(): Endpoint[] {
  return [
    api.get('/api/v1/approvals', {
      summary: 'List the pending approvals of all sessions, oldest first',
      query: z.object(paging),
      success: { status: 200, description: 'One page.', schema: z.array(ApprovalView) },
      errors: ['INVALID_CURSOR'],
      handle: async ({ query, context, services: { approvals } }) =>
        page(await approvals.pending(), query, context),
    }),
    api.get('/api/v1/sessions/{session_id}/approvals', {
      shared: true,
      summary: 'List the approvals of a session and its descendants, oldest first',
      query: ListQuery,
      success: { status: 200, description: 'One page.', schema: z.array(ApprovalView) },
      errors: ['INVALID_CURSOR'],
      async handle({ params: { session_id }, query, context, services: { approvals } }) {
        return page(await approvals.list(session_id, query.status), query, context);
      },
    }),
    api.get('/api/v1/sessions/{session_id}/approvals/{approval_id}', {
      summary: 'Get an approval',
      params: approvalParams,
      success: { status: 200, description: 'The approval.', schema: ApprovalView },
      errors: ['APPROVAL_NOT_FOUND'],
      handle: async ({ params: { session_id, approval_id }, services: { approvals } }) => ({
        body: await approvals.get(session_id, approval_id),
      }),
    }),
    api.post('/api/v1/sessions/{session_id}/approvals/{approval_id}/answer', {
      summary: 'Answer an approval, once',
      description:
        'The answer is on disk when the response arrives. It applies when the session continues, also after a restart of the daemon.',
      params: approvalParams,
      body: AnswerApproval,
      success: { status: 200, description: 'The approval with its answer.', schema: ApprovalView },
      errors: ['APPROVAL_NOT_FOUND', 'APPROVAL_ANSWERED', 'APPROVAL_CLOSED'],
      async handle({ params: { session_id, approval_id }, body, services: { approvals, store } }) {
        const approval = await approvals.get(session_id, approval_id);
        const text = readAnswer(approval, body);
        // The message first: whoever waits continues with the answer, and reads what was sent before.
        if (body.message && approval.status === 'pending')
          await store.send({
            to: approval.session_id,
            kind: 'message',
            from: 'user',
            id: `with_${approval_id}`,
            body: { text: body.message },
          });
        return { body: await approvals.answer(approval, text, body.by ?? null) };
      },
    }),
  ];
}

function readAnswer(
  { options, kind }: Approval,
  { answer, approved }: z.infer<typeof AnswerApproval>,
): string {
  if ((answer === undefined) === (approved === undefined))
    throw refused('answer', 'give either answer or approved');
  if (approved !== undefined) {
    if (kind === 'question') throw refused('approved', 'a question needs an answer in words');
    return options.find((option) => isAcceptance(option) === approved) ?? (approved ? 'Allow once' : 'Deny');
  }
  const text = answer ?? '';
  const known = options.find((option) => option.toLowerCase() === text.toLowerCase());
  if (options.length > 0 && known === undefined)
    throw refused('answer', `must be one of: ${options.join(', ')}`);
  return known ?? text;
}

function refused(path: string, message: string): DaemonError {
  return new DaemonError('VALIDATION_FAILED', `The answer is invalid: ${path}: ${message}.`, {
    errors: [{ path, message }],
  });
}

function page(
  all: readonly Approval[],
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  context: Context,
): Reply {
  // One that was answered meanwhile may not be in the list any more: then it begins anew.
  const known = all.some(({ approval_id }) => approval_id === cursor) ? cursor : undefined;
  return pageOf(all, ({ approval_id }) => approval_id, { limit, cursor: known }, context).reply;
}
