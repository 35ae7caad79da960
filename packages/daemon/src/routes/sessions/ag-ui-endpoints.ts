import { isAcceptance, isPlainObject } from '@amplifier/core';
import { type AgUiEvent, agUiFrame } from '../../ag-ui/ag-ui-events.js';
import { type Progress, tellRun } from '../../ag-ui/ag-ui-run.js';
import type { Approval } from '../../approvals/fold-approvals.js';
import { DaemonError } from '../../daemon-error.js';
import { MAX_PAUSED_RUNS, MAX_UNREAD_BYTES, TOKEN_CHECK_MS } from '../../defaults.js';
import { type Endpoint, endpoints, z } from '../../http/endpoint.js';
import type { Services } from '../../services.js';
import { streamHeaders } from './event-endpoints.js';

const api = endpoints({ tag: 'ag-ui' });

const RunInput = z
  .looseObject({
    threadId: z.string().max(500),
    runId: z.string().max(500),
    messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })).default([]),
    resume: z
      .array(
        z.looseObject({
          interruptId: z.string(),
          status: z.enum(['resolved', 'cancelled']),
          payload: z.unknown().optional(),
        }),
      )
      .optional(),
  })
  .openapi('AgUiRunInput');
type RunInput = z.infer<typeof RunInput>;

/** Sessions for front ends that speak AG-UI. */
export function agUiEndpoints(): Endpoint[] {
  /** Runs that wait for a person, by their sessions. */
  const paused = new Map<string, Progress>();
  return [
    api.post('/api/v1/ag-ui/{session_id}', {
      summary: 'Run a session and stream AG-UI events',
      description:
        'The last message of the user is the instruction. Children are sub-agents; approvals and questions end the stream with the outcome `interrupt`, and `resume` answers them: `payload` is `{approved}`, `{answer}` or the answer itself. The run continues if the client disconnects.',
      body: RunInput,
      success: {
        status: 200,
        description: 'A stream of AG-UI events.',
        schema: z.string(),
        content_type: 'text/event-stream',
      },
      errors: [
        'APPROVAL_NOT_FOUND',
        'APPROVAL_ANSWERED',
        'APPROVAL_CLOSED',
        'WORKSPACE_NOT_TRUSTED',
        'READ_SCOPE_WIDER',
        'TOO_MANY_RUNS',
        'BUDGET_SPENT',
      ],
      async handle({ params: { session_id }, body, context, caller, services }) {
        const isAllowed = context.get('isAllowed');
        const { root_id } = await services.store.metadata(session_id);
        const progress = body.resume?.length
          ? await resume(services, session_id, body, paused)
          : await begin(services, session_id, body, caller.account);
        paused.delete(session_id);
        return {
          headers: streamHeaders,
          stream(response) {
            const gone = new AbortController();
            response.once('close', () => gone.abort());
            const emit = (event: AgUiEvent) => {
              if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
              else if (!response.writableEnded) response.write(agUiFrame(event));
            };
            const check = async () => {
              if (await isAllowed()) return;
              emit({ type: 'RUN_ERROR', message: 'The token was revoked.', code: 'UNAUTHENTICATED' });
              response.end();
              gone.abort();
            };
            // What cannot be looked up now is looked up again.
            const timer = setInterval(() => void check().catch(() => {}), TOKEN_CHECK_MS).unref();
            gone.signal.addEventListener('abort', () => clearInterval(timer), { once: true });
            tellRun({
              store: services.store,
              session_id,
              root_id,
              progress,
              input: body,
              pending: () => services.approvals.list(session_id, 'pending'),
              emit,
              signal: gone.signal,
            })
              .then((isWaiting) => {
                if (isWaiting) keep(paused, session_id, progress);
              })
              .catch((error: Error) => {
                if (!gone.signal.aborted) emit({ type: 'RUN_ERROR', message: error.message });
              })
              .finally(() => response.end());
          },
        };
      },
    }),
  ];

  async function begin(
    services: Services,
    session_id: string,
    { messages }: RunInput,
    caller: string,
  ): Promise<Progress> {
    const instruction = textOf(messages.findLast(({ role }) => role === 'user')?.content);
    if (instruction === '')
      throw new DaemonError(
        'VALIDATION_FAILED',
        'The body is invalid: messages: it has no user message, which is the instruction.',
        {
          errors: [{ path: 'messages', message: 'has no user message' }],
        },
      );
    const place = await placeOf(services, session_id);
    const { run_id } = await services.runs.submit({ session_id, instruction, caller });
    return { ...place, run_id };
  }
}

/** Answers what the run waits for; then it goes on. */
async function resume(
  services: Services,
  session_id: string,
  { resume: entries = [] }: RunInput,
  paused: ReadonlyMap<string, Progress>,
): Promise<Progress> {
  const { approvals, runs } = services;
  const known = paused.get(session_id) ?? null;
  const place = known ?? (await placeOf(services, session_id));
  const { value: run } = await runs.list({ session_id }).next();
  if (!run) throw new DaemonError('APPROVAL_NOT_FOUND', `Session ${session_id} has no waiting run.`);
  for (const { interruptId, status, payload } of entries) {
    const approval = await approvals.get(session_id, interruptId);
    await approvals.answer(
      approval,
      answerOf(approval, status === 'cancelled' ? { approved: false } : payload),
      'ag-ui',
    );
  }
  return { ...place, run_id: known?.run_id ?? run.run_id };
}

/** From now on. */
async function placeOf({ store }: Services, session_id: string): Promise<Omit<Progress, 'run_id'>> {
  const cursor = await store.feedCursor();
  const { root_id } = await store.metadata(session_id);
  const nodes = await store.tree(root_id);
  return {
    cursor,
    seqs: new Map(nodes.map((node) => [node.session_id, node.message_count])),
    children: new Map(),
  };
}

function keep(paused: Map<string, Progress>, session_id: string, progress: Progress): void {
  paused.set(session_id, progress);
  const [oldest] = paused.keys();
  if (paused.size > MAX_PAUSED_RUNS && oldest !== undefined) paused.delete(oldest);
}

/** A no is the answer to whatever cannot be read. */
function answerOf({ options, kind }: Approval, payload: unknown): string {
  const said = isPlainObject(payload) ? (payload.answer ?? payload.approved) : payload;
  if (kind === 'question') return typeof said === 'string' && said !== '' ? said : 'No answer was given.';
  const named = options.find(
    (option) => typeof said === 'string' && option.toLowerCase() === said.toLowerCase(),
  );
  return (
    named ??
    options.find((option) => isAcceptance(option) === (said === true)) ??
    (said === true ? 'Allow once' : 'Deny')
  );
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  const parts = Array.isArray(content) ? content : [];
  return parts
    .flatMap((part) => (isPlainObject(part) && typeof part.text === 'string' ? [part.text] : []))
    .join('\n')
    .trim();
}
