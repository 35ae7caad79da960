import { isOpen, orderOf } from '@amplifier/host/runs';
import type { RunRecord } from '@amplifier/sessions';
import { checkScope } from '../../auth/scope.js';
import { DaemonError } from '../../daemon-error.js';
import { MAX_WAIT_SECONDS } from '../../defaults.js';
import { type Endpoint, endpoints, type Reply, z } from '../../http/endpoint.js';
import type { Once } from '../../http/idempotency.js';
import { JsonList } from '../../http/json-list.js';
import { invalidCursor, listOf, pageHeaders, paging } from '../../http/paging.js';
import {
  CancelRun,
  ContinueRun,
  NewDelegation,
  NewRun,
  RunStateSchema,
  RunSummary,
  RunView,
  runId,
} from '../../runs/run-schema.js';
import { runSummary, runView } from '../../runs/run-view.js';
import type { Services } from '../../services.js';

const api = endpoints({ tag: 'runs' });
const runParams = z.object({ run_id: runId });
const accepted = {
  status: 202,
  description: 'Accepted, and on disk. 200 if it has ended.',
  schema: RunView,
} as const;

const ListQuery = z.object({ status: listOf(RunStateSchema), ...paging });

/** Letting sessions work, and looking after the work. */
export function runEndpoints(): Endpoint[] {
  const reply = async ({ runs, store }: Services, run: RunRecord): Promise<Reply> => {
    await runs.settle(run);
    return {
      status: isOpen(run) ? 202 : 200,
      body: await runView(run, store),
      headers: { location: `/api/v1/sessions/${orderOf(run).session_id}/runs/${run.run_id}` },
    };
  };
  const list = async (
    { runs }: Services,
    query: z.infer<typeof ListQuery>,
    url: string,
    session_id?: string,
  ): Promise<Reply> => {
    const before = readCursor(query.cursor);
    const list = new JsonList(query.limit);
    let last: number | null = null;
    let isCut = false;
    for await (const run of runs.list({ session_id, status: query.status, before })) {
      isCut = !list.add(runSummary(run));
      if (isCut) break;
      last = run.seq;
    }
    return { json: list.json, headers: pageHeaders(url, isCut ? String(last) : null) };
  };

  return [
    api.post('/api/v1/sessions/{session_id}/runs', {
      summary: 'Run a session with an instruction',
      description:
        'The run is on disk when the response arrives, and continues if the client disconnects. A session that has ended becomes active again.',
      body: NewRun,
      idempotent: true,
      recordOnly: true,
      success: accepted,
      errors: [
        'SESSION_RUNNING',
        'WORKSPACE_NOT_TRUSTED',
        'READ_SCOPE_WIDER',
        'RUN_EXISTS',
        'TOO_MANY_RUNS',
        'BUDGET_SPENT',
        'STORAGE_FULL',
      ],
      async handle({ params: { session_id }, body: { wait, ...order }, context, once, caller, services }) {
        const named = { session_id, caller: caller.account, ...keyedRun(once) };
        const run = await services.runs.submit({ ...named, ...defined(order) }, 'process');
        return reply(services, await services.runs.wait(run, wait, context.req.raw.signal));
      },
    }),
    api.post('/api/v1/sessions/{session_id}/delegate', {
      summary: 'Delegate a task to a child of a session',
      description:
        'The options decide what the child inherits from the session. The session itself need not be running; several delegations can run at once. With `session_id`, an existing child gets another instruction.',
      body: NewDelegation,
      idempotent: true,
      recordOnly: true,
      success: accepted,
      errors: [
        'AGENT_NOT_FOUND',
        'DELEGATION_REFUSED',
        'INVALID_WORKING_DIR',
        'WORKSPACE_NOT_TRUSTED',
        'READ_SCOPE_WIDER',
        'MOUNT_PLAN_NOT_FOUND',
        'RUN_EXISTS',
        'BUDGET_SPENT',
        'STORAGE_FULL',
      ],
      async handle({ params: { session_id }, body, context, once, caller, services }) {
        const { wait, run_id, limits, approvals, priority, ...delegate } = body;
        // Hooks guard the session; who may not change it may not leave them out either.
        if (delegate.exclude_hooks?.length) checkScope(caller, 'admin');
        if (delegate.agent === undefined && delegate.session_id === undefined) throw nobodyNamed();
        const { instruction } = delegate;
        const order = defined({ run_id, limits, approvals, priority, instruction });
        const named = { session_id, caller: caller.account, ...keyedRun(once) };
        const task = { kind: 'delegate' as const, delegate: defined(delegate) };
        const run = await services.runs.submit({ ...named, ...order, ...task }, 'process');
        return reply(services, await services.runs.wait(run, wait, context.req.raw.signal));
      },
    }),
    api.get('/api/v1/sessions/{session_id}/runs', {
      large: true,
      summary: 'List the runs of a session, newest first',
      query: ListQuery,
      success: { status: 200, description: 'One page.', schema: z.array(RunSummary) },
      errors: ['INVALID_CURSOR'],
      async handle({ params: { session_id }, query, context, services }) {
        await services.store.metadata(session_id);
        return list(services, query, context.req.url, session_id);
      },
    }),
    api.get('/api/v1/runs', {
      large: true,
      summary: 'List the runs of all sessions, newest first',
      description: 'Ended runs are kept for a week; their effects stay in the sessions.',
      query: ListQuery,
      success: { status: 200, description: 'One page.', schema: z.array(RunSummary) },
      errors: ['INVALID_CURSOR'],
      handle: ({ query, context, services }) => list(services, query, context.req.url),
    }),
    api.get('/api/v1/runs/{run_id}', {
      summary: 'Get a run by its id alone',
      params: z.object({ run_id: runId }),
      success: { status: 200, description: 'The run.', schema: RunView },
      errors: ['RUN_NOT_FOUND'],
      handle: async ({ params: { run_id }, services: { runs, store } }) => ({
        body: await runView(await runs.get(run_id), store),
      }),
    }),
    api.get('/api/v1/sessions/{session_id}/runs/{run_id}', {
      summary: 'Get a run',
      params: runParams,
      query: z.object({
        wait: z.coerce.number().nonnegative().max(MAX_WAIT_SECONDS).optional().openapi({
          description: 'Wait this many seconds for its end.',
        }),
      }),
      success: { status: 200, description: 'The run.', schema: RunView },
      errors: ['RUN_NOT_FOUND'],
      async handle({ params: { session_id, run_id }, query: { wait }, context, services: { runs, store } }) {
        const known = await runs.get(run_id, session_id);
        const run = await runs.wait(known, wait, context.req.raw.signal);
        if (wait) await runs.settle(run);
        return { body: await runView(run, store) };
      },
    }),
    api.post('/api/v1/sessions/{session_id}/runs/{run_id}/cancel', {
      summary: 'Stop a run',
      description:
        'A queued run ends immediately. The request is stored, so it also applies if the daemon dies.',
      params: runParams,
      body: CancelRun,
      success: accepted,
      errors: ['RUN_NOT_FOUND', 'RUN_ENDED'],
      async handle({ params: { session_id, run_id }, body: { wait, ...wish }, context, services }) {
        const run = await services.runs.cancel(await services.runs.get(run_id, session_id), wish);
        return reply(services, await services.runs.wait(run, wait, context.req.raw.signal));
      },
    }),
    api.post('/api/v1/sessions/{session_id}/runs/{run_id}/continue', {
      summary: 'Continue an interrupted run',
      description:
        'Creates a new run. Completed work is kept: finished children are not run again, and answers given meanwhile are used.',
      params: runParams,
      body: ContinueRun,
      success: accepted,
      errors: [
        'RUN_NOT_FOUND',
        'RUN_NOT_INTERRUPTED',
        'WORKSPACE_NOT_TRUSTED',
        'READ_SCOPE_WIDER',
        'BUDGET_SPENT',
      ],
      async handle({ params: { session_id, run_id }, body, context, caller, services }) {
        const { runs } = services;
        const run = await runs.continue(await runs.get(run_id, session_id), caller.account, body.run_id);
        return reply(services, await services.runs.wait(run, body.wait, context.req.raw.signal));
      },
    }),
  ];
}

/** The run of a request with a key has the same id in every attempt, so that there is only one. */
function keyedRun(once: Once | null): { run_id?: string } {
  return once ? { run_id: `run_${once.id}` } : {};
}

function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw invalidCursor();
}

function nobodyNamed(): DaemonError {
  return new DaemonError('VALIDATION_FAILED', 'Name an agent to delegate to, or a session_id to resume.', {
    errors: [{ path: 'agent', message: 'is needed, unless session_id is given' }],
  });
}

/** Without the members that were left out. */
function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}
