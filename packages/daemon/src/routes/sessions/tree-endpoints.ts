import { isPlainObject } from '@amplifier/core';
import type { SessionNode } from '@amplifier/sessions';
import { MAX_TREE_NODES, TREE_SCAN } from '../../defaults.js';
import { formatPosition } from '../../events/feed-position.js';
import { type Endpoint, endpoints, z } from '../../http/endpoint.js';
import { listOf, pageHeaders, paging } from '../../http/paging.js';
import type { Services } from '../../services.js';
import { SessionStatusSchema } from '../../sessions/session-schema.js';
import { firstWords } from '../../views/first-words.js';
import {
  addSpent,
  NOTHING_SPENT,
  type NodeFacts,
  nodeMembers,
  nodeView,
  SpentView,
  treeBelow,
  withinTree,
} from '../../views/tree-node.js';

const api = endpoints({ tag: 'trees' });

const TreeNodeView = z
  .object({
    ...nodeMembers,
    children: z
      .array(z.looseObject({}))
      .openapi({ type: 'array', items: { $ref: '#/components/schemas/SessionTreeNode' } }),
  })
  .openapi('SessionTreeNode');

const TreeSummary = z
  .object({
    ...nodeMembers,
    project: z.string().nullable(),
    sessions: z.int().openapi({ description: 'How many sessions the tree has.' }),
    running: z.int().openapi({ description: 'How many of them are active.' }),
    waits: z.int().openapi({ description: 'How many of them wait for a person.' }),
    total: SpentView,
    budget_usd: z
      .string()
      .nullable()
      .openapi({ description: 'The most that the tree may cost in US dollars; null for no limit.' }),
  })
  .openapi('TreeSummary');

/** Whole delegations. */
export function treeEndpoints(): Endpoint[] {
  return [
    api.get('/api/v1/sessions/{session_id}/tree', {
      shared: true,
      summary: 'Get a session with its descendants',
      description:
        'To follow it: the events of this session with `children=true` after `cursor`, ignoring those that `event_seq` of their node already covers. `feed_cursor` is the same position.',
      success: {
        status: 200,
        description: 'A tree.',
        schema: z.object({
          root: TreeNodeView,
          root_id: z.string(),
          total: SpentView,
          sessions: z.int(),
          truncated: z.boolean(),
          cursor: z.string(),
          feed_cursor: z.string(),
        }),
      },
      async handle({ params: { session_id }, services }) {
        const { root_id } = await services.store.metadata(session_id);
        const cursor = formatPosition(await services.store.feedCursor({ root_id }));
        const nodes = await services.store.tree(root_id, MAX_TREE_NODES + 1);
        const root = treeBelow(nodes, session_id, await factsOf(services, nodes));
        if (root && root.title === null) root.title = await firstWords(services.store, session_id);
        const shown = withinTree(nodes, session_id);
        return {
          body: {
            root,
            root_id,
            total: shown.reduce((sum, { usage }) => addSpent(sum, usage), NOTHING_SPENT),
            sessions: shown.length,
            truncated: nodes.length > MAX_TREE_NODES,
            cursor,
            feed_cursor: cursor,
          },
        };
      },
    }),
    api.get('/api/v1/trees', {
      summary: 'List delegations, newest first: their roots, with the totals of each tree',
      query: z.object({
        status: listOf(SessionStatusSchema),
        query: z
          .string()
          .max(200)
          .optional()
          .openapi({ description: 'Only those with this in id, title, agent or project.' }),
        ...paging,
      }),
      success: { status: 200, description: 'One page.', schema: z.array(TreeSummary) },
      errors: ['INVALID_CURSOR'],
      async handle({ query: { status, query, limit, cursor }, context, services }) {
        const wanted = query?.toLowerCase();
        const found: object[] = [];
        let next: string | null = cursor ?? null;
        let looked = 0;
        do {
          const page = await services.store.list({
            parent_id: null,
            limit: Math.min(limit - found.length, 50),
            ...(status ? { status } : {}),
            ...(next === null ? {} : { cursor: next }),
          });
          next = page.next_cursor;
          looked += page.sessions.length;
          for (const { session_id } of page.sessions) {
            const summary = await summaryOf(
              services,
              await services.store.tree(session_id, MAX_TREE_NODES),
              session_id,
            );
            if (summary && (wanted === undefined || matches(summary, wanted))) found.push(summary);
          }
        } while (next !== null && found.length < limit && looked < TREE_SCAN);
        return { body: found, headers: pageHeaders(context.req.url, next) };
      },
    }),
  ];
}

type Summary = z.infer<typeof TreeSummary>;

async function summaryOf(
  services: Services,
  nodes: readonly SessionNode[],
  root_id: string,
): Promise<Summary | null> {
  const root = nodes.find(({ session_id }) => session_id === root_id);
  if (!root) return null;
  const facts = await factsOf(services, nodes);
  const view = nodeView(root, 0, facts);
  return {
    ...view,
    title: view.title ?? (await firstWords(services.store, root_id)),
    project: root.project,
    sessions: nodes.length,
    running: nodes.filter(
      ({ status, session_id }) => status === 'active' && !facts.interrupted.has(session_id),
    ).length,
    waits: facts.waiting.size,
    total: nodes.reduce((sum, { usage }) => addSpent(sum, usage), NOTHING_SPENT),
    budget_usd: budgetOf(root),
  };
}

/** As its present turn is limited, or else its launch. */
function budgetOf({ launch, extra: { turn_start } }: SessionNode): string | null {
  const limits = isPlainObject(turn_start) ? turn_start.limits : launch?.limits;
  const most = isPlainObject(limits) ? limits.max_cost_usd : null;
  return typeof most === 'string' ? most : null;
}

function matches({ session_id, title, agent, project }: Summary, wanted: string): boolean {
  return [session_id, title, agent, project].some((text) => text?.toLowerCase().includes(wanted));
}

/** Who of them waits for a person, and whose process died. Only those that are at work can. */
async function factsOf(
  { approvals, runs }: Pick<Services, 'approvals' | 'runs'>,
  nodes: readonly SessionNode[],
): Promise<NodeFacts> {
  const active = nodes.filter(({ status }) => status === 'active');
  if (active.length === 0) return { waiting: new Map(), interrupted: new Set() };
  const open = await approvals.pendingIn(active.map(({ session_id }) => session_id));
  const dead = await Promise.all(active.map((node) => runs.isInterrupted(node)));
  return {
    waiting: new Map(open.map(({ session_id, kind }) => [session_id, kind])),
    interrupted: new Set(active.flatMap(({ session_id }, at) => (dead[at] ? [session_id] : []))),
  };
}
