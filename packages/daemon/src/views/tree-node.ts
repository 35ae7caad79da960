import { addCosts, shorten } from '@amplifier/core';
import { outcomeIn } from '@amplifier/delegation';
import type { SessionNode } from '@amplifier/sessions';
import { z } from '@hono/zod-openapi';
import { SessionStatusSchema } from '../sessions/session-schema.js';

const time = z.string().openapi({ format: 'date-time' });
const money = z
  .string()
  .nullable()
  .openapi({ description: 'US dollars as a decimal string; null when unknown, which is not free.' });

/** What a node, or a whole tree, has used. */
export const SpentView = z
  .object({
    tokens: z.int(),
    cost_usd: money,
    unpriced_tokens: z.int().openapi({ description: 'Tokens of sessions with unknown cost.' }),
  })
  .openapi('Spent');
export type Spent = z.infer<typeof SpentView>;

export const nodeMembers = {
  session_id: z.string(),
  parent_id: z.string().nullable(),
  agent: z.string().nullable(),
  status: SessionStatusSchema,
  outcome_status: z
    .string()
    .nullable()
    .openapi({ description: 'How its current turn ended; null if it has not.', example: 'completed' }),
  interrupted: z.boolean(),
  waiting: z
    .enum(['approval', 'question'])
    .nullable()
    .openapi({ description: 'What it waits for from a person.' }),
  error: z.string().nullable(),
  title: z.string().nullable(),
  model: z.string().nullable(),
  engine: z
    .string()
    .nullable()
    .openapi({ description: '`in_process`, or the external agent.', example: 'acp:claude' }),
  depth: z.int(),
  tool_call_id: z.string().nullable(),
  created_at: time,
  started_at: time.nullable(),
  updated_at: time,
  ended_at: time.nullable(),
  tokens: z.int(),
  cost_usd: money,
  message_count: z.int(),
  event_seq: z.int().openapi({ description: 'The seq of the last event that this includes.' }),
};

type NodeView = z.infer<z.ZodObject<typeof nodeMembers>>;

/** A node with what is below it. */
export interface TreeNode extends NodeView {
  children: TreeNode[];
}

/** What only others than the node itself can tell. */
export interface NodeFacts {
  waiting: ReadonlyMap<string, 'approval' | 'question'>;
  interrupted: ReadonlySet<string>;
}

const TITLE_LENGTH = 200;

export function nodeView(node: SessionNode, depth: number, { waiting, interrupted }: NodeFacts): NodeView {
  const { session_id, launch, usage } = node;
  return {
    session_id,
    parent_id: node.parent_id,
    agent: node.agent_name,
    status: node.status,
    outcome_status: outcomeStatus(node),
    interrupted: node.interrupted || interrupted.has(session_id),
    waiting: waiting.get(session_id) ?? null,
    error: node.error?.message ?? null,
    title: node.name ?? titleOf(launch?.instruction),
    model: node.model,
    engine: typeof launch?.engine === 'string' ? launch.engine : null,
    depth,
    tool_call_id: node.tool_call_id,
    created_at: node.created,
    started_at: node.started,
    updated_at: node.updated,
    ended_at: node.ended,
    tokens: usage.total_tokens,
    cost_usd: usage.cost_usd,
    message_count: node.message_count,
    event_seq: node.event_count,
  };
}

/** The outcome of the present turn, as the session keeps it. */
function outcomeStatus(node: SessionNode): string | null {
  return outcomeIn(node)?.status ?? null;
}

/** The first line of what it was told to do. */
export function titleOf(text: unknown): string | null {
  const line = typeof text === 'string' ? text.trim().split('\n', 1)[0]?.trim() : '';
  return line ? shorten(line, TITLE_LENGTH) : null;
}

export const NOTHING_SPENT: Spent = { tokens: 0, cost_usd: null, unpriced_tokens: 0 };

export function addSpent(a: Spent, { total_tokens, cost_usd }: SessionNode['usage']): Spent {
  return {
    tokens: a.tokens + total_tokens,
    cost_usd: addCosts(a.cost_usd, total_tokens === 0 && cost_usd === '0' ? null : cost_usd),
    unpriced_tokens: a.unpriced_tokens + (cost_usd === null ? total_tokens : 0),
  };
}

/** One of them with all that are below it, parents first. */
export function withinTree(nodes: readonly SessionNode[], top: string): SessionNode[] {
  const below = byParent(nodes);
  const found = nodes.filter(({ session_id }) => session_id === top);
  for (const { session_id } of found) found.push(...(below.get(session_id) ?? []));
  return found;
}

/** The nodes below one of them, as a tree. Those whose parent is not among them are left out. */
export function treeBelow(nodes: readonly SessionNode[], top: string, facts: NodeFacts): TreeNode | null {
  const below = byParent(nodes);
  const first = nodes.find(({ session_id }) => session_id === top);
  if (!first) return null;
  const root: TreeNode = { ...nodeView(first, 0, facts), children: [] };
  const queue = [root];
  for (const at of queue) {
    for (const child of below.get(at.session_id) ?? []) {
      const view: TreeNode = { ...nodeView(child, at.depth + 1, facts), children: [] };
      at.children.push(view);
      queue.push(view);
    }
  }
  return root;
}

function byParent(nodes: readonly SessionNode[]): Map<string | null, SessionNode[]> {
  const below = new Map<string | null, SessionNode[]>();
  for (const node of nodes) {
    const siblings = below.get(node.parent_id);
    if (siblings) siblings.push(node);
    else below.set(node.parent_id, [node]);
  }
  return below;
}
