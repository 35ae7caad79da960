import type { SessionNode } from '@amplifier/sessions';
import { type Approval, askedCall } from '../approvals/fold-approvals.js';
import { INBOX_DAYS, INBOX_SCAN } from '../defaults.js';
import { type Endpoint, endpoints, z } from '../http/endpoint.js';
import { pageOf, paging } from '../http/paging.js';
import type { Services } from '../services.js';
import { firstWords } from '../views/first-words.js';

const api = endpoints({ tag: 'trees' });

const DAY_MS = 24 * 60 * 60 * 1_000;

const InboxItem = z
  .object({
    kind: z.enum(['approval', 'question', 'failed', 'interrupted']),
    session_id: z.string(),
    root_id: z.string(),
    agent: z.string().nullable(),
    title: z.string().nullable(),
    asked_at: z.string().openapi({ format: 'date-time' }),
    prompt: z.string(),
    options: z.array(z.string()),
    approval_id: z.string().nullable(),
    ...askedCall,
    expires_at: z.string().nullable().openapi({ format: 'date-time' }),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .openapi('InboxItem');
type InboxItem = z.infer<typeof InboxItem>;

/** Everything that waits for a person, of all entry points. */
export function inboxEndpoints(): Endpoint[] {
  return [
    api.get('/api/v1/inbox', {
      summary: 'List what waits for a person, newest first',
      description: `Approvals and questions of all sessions, delegations that failed within ${INBOX_DAYS} days, and those whose process died.`,
      query: z.object(paging),
      success: { status: 200, description: 'One page.', schema: z.array(InboxItem) },
      errors: ['INVALID_CURSOR'],
      async handle({ query: { limit, cursor }, context, services }) {
        const all = [...(await asked(services)), ...(await ended(services))].sort(byTime);
        const from = cursor === undefined ? all : all.filter((item) => placeOf(item) < cursor);
        return pageOf(from, placeOf, { limit }, context).reply;
      },
    }),
  ];
}

/** A place that stays while items come and go. */
function placeOf({ asked_at, kind, session_id, approval_id }: InboxItem): string {
  return `${asked_at} ${kind} ${approval_id ?? session_id}`;
}

function byTime(a: InboxItem, b: InboxItem): number {
  return placeOf(a) < placeOf(b) ? 1 : -1;
}

async function asked({ approvals, store }: Services): Promise<InboxItem[]> {
  const open = await approvals.pending();
  const titles = new Map<string, string | null>();
  for (const { root_session_id: id } of open) if (!titles.has(id)) titles.set(id, await titleFor(store, id));
  return open.map((approval: Approval) => ({
    kind: approval.kind,
    session_id: approval.session_id,
    root_id: approval.root_session_id,
    agent: approval.agent,
    title: titles.get(approval.root_session_id) ?? null,
    asked_at: approval.asked_at,
    prompt: approval.prompt,
    options: approval.options,
    approval_id: approval.approval_id,
    tool_call_id: approval.tool_call_id,
    tool_name: approval.tool_name,
    tool_input: approval.tool_input,
    expires_at: approval.expires_at,
    error: null,
  }));
}

/** A tree that was deleted meanwhile has none. */
async function titleFor(store: Services['store'], session_id: string): Promise<string | null> {
  try {
    return (await store.metadata(session_id)).name ?? (await firstWords(store, session_id));
  } catch {
    return null;
  }
}

/** Roots alone: what becomes of a child is its parent's to deal with. */
async function ended({ store, runs, clock }: Services): Promise<InboxItem[]> {
  const since = new Date(clock.now() - INBOX_DAYS * DAY_MS).toISOString();
  const failed = await store.list({
    parent_id: null,
    status: 'failed',
    created_after: since,
    limit: INBOX_SCAN,
  });
  const left = (await store.orphaned()).filter(({ parent_id }) => parent_id === null).slice(0, INBOX_SCAN);
  const dead = await Promise.all(left.map((session) => session.interrupted || runs.isInterrupted(session)));
  const items = [
    ...failed.sessions.map(({ session_id }) => ({ session_id, kind: 'failed' as const })),
    ...left
      .filter((_, at) => dead[at])
      .map(({ session_id }) => ({ session_id, kind: 'interrupted' as const })),
  ];
  const nodes = await Promise.all(items.map(({ session_id }) => store.tree(session_id, 1)));
  const titles = await Promise.all(items.map(({ session_id }) => titleFor(store, session_id)));
  return items.flatMap(({ kind }, at) => {
    const node = nodes[at]?.[0];
    return node ? [endedItem(node, kind, titles[at] ?? null)] : [];
  });
}

function endedItem(node: SessionNode, kind: 'failed' | 'interrupted', title: string | null): InboxItem {
  const error = node.error ? { code: node.error.code, message: node.error.message } : null;
  return {
    kind,
    session_id: node.session_id,
    root_id: node.root_id,
    agent: node.agent_name,
    title,
    asked_at: node.ended ?? node.updated,
    prompt:
      kind === 'failed'
        ? (error?.message ?? 'It failed.')
        : 'Its process died during a turn. Continue it, or cancel it.',
    options: [],
    approval_id: null,
    tool_call_id: null,
    tool_name: null,
    tool_input: null,
    expires_at: null,
    error,
  };
}
