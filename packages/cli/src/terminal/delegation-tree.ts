import type { JsonObject } from '@amplifier/host';

export type NodeState = 'waiting' | 'thinking' | 'tool' | 'done' | 'failed' | 'cancelled' | 'asking';

/** One session of a running tree, as far as its events tell. */
export interface TreeNode {
  session_id: string;
  parent_id: string | null;
  agent: string;
  state: NodeState;
  /** What it does right now, in a few words. */
  doing: string;
  /** Tools that run, by the ids of their calls, in words. */
  tools: ReadonlyMap<string, string>;
  /** When a wait ends that it is in, such as before a call is tried again. */
  until: number | null;
  started: number;
  ended: number | null;
  tokens: number;
  /** US dollars; null while nothing has a price. */
  cost: number | null;
}

/** Sessions in the order they appeared. */
export type DelegationTree = ReadonlyMap<string, TreeNode>;

export const EMPTY_TREE: DelegationTree = new Map();

/** The tree after one more event. `now` in milliseconds. */
export function foldEvent(
  tree: DelegationTree,
  name: string,
  data: Readonly<JsonObject>,
  now: number,
): DelegationTree {
  const spawned = name === 'delegate:agent_spawned' || name === 'delegate:agent_resumed';
  if (spawned && typeof data.sub_session_id === 'string') {
    const { sub_session_id: id, parent_session_id: parent, agent } = data;
    const known = tree.get(id);
    if (known) return withNode(tree, { ...known, state: 'waiting', doing: '', ended: null });
    return withNode(tree, newNode(id, typeof parent === 'string' ? parent : null, nameOf(agent), now));
  }
  const ending = ENDINGS[name];
  if (ending && typeof data.sub_session_id === 'string') {
    const node = tree.get(data.sub_session_id);
    if (!node) return tree;
    const state = ending === 'done' && data.success === false ? 'asking' : ending;
    const doing = typeof data.error === 'string' ? data.error : '';
    return withNode(tree, { ...node, state, doing, ended: now });
  }
  return foldOwn(tree, name, data, now);
}

const ENDINGS: Record<string, NodeState | undefined> = {
  'delegate:agent_completed': 'done',
  'delegate:agent_cancelled': 'cancelled',
  'delegate:error': 'failed',
};

/** An event a session emitted about itself. */
function foldOwn(
  tree: DelegationTree,
  name: string,
  data: Readonly<JsonObject>,
  now: number,
): DelegationTree {
  const { session_id, lineage } = data;
  if (typeof session_id !== 'string') return tree;
  const known = tree.get(session_id) ?? fromLineage(session_id, lineage, now);
  const node = known && step(known, name, data, now);
  return node && node !== tree.get(session_id) ? withNode(tree, node) : tree;
}

function step(node: TreeNode, name: string, data: Readonly<JsonObject>, now: number): TreeNode {
  switch (name) {
    case 'provider:request':
      return { ...withTools(node, new Map()), until: null };
    case 'provider:retry':
      return { ...node, doing: retryWords(data), until: now + Number(data.delay ?? 0) * 1000 };
    case 'provider:wait':
      return { ...node, ...waitWords(data, now) };
    case 'content_block:delta':
      return node.until === null ? node : { ...node, doing: '', until: null };
    case 'tool:pre':
      return {
        ...withTools(node, new Map(node.tools).set(String(data.tool_call_id), toolWords(data))),
        until: null,
      };
    case 'tool:post':
    case 'tool:error':
      return withTools(node, new Map([...node.tools].filter(([id]) => id !== String(data.tool_call_id))));
    case 'llm:response': {
      const { total_tokens = 0, cost_usd = null } = (data.usage ?? {}) as {
        total_tokens?: number;
        cost_usd?: string | null;
      };
      const cost = cost_usd === null ? node.cost : (node.cost ?? 0) + Number(cost_usd);
      return { ...node, tokens: node.tokens + total_tokens, cost, until: null };
    }
    case 'execution:end':
      return { ...node, state: LOOP_ENDINGS[String(data.status)] ?? 'done', doing: '', ended: now };
    default:
      return node;
  }
}

/** The newest of the tools that run is told; without any it thinks. */
function withTools(node: TreeNode, tools: TreeNode['tools']): TreeNode {
  return {
    ...node,
    tools,
    state: tools.size > 0 ? 'tool' : 'thinking',
    doing: [...tools.values()].at(-1) ?? '',
  };
}

const LOOP_ENDINGS: Record<string, NodeState | undefined> = { cancelled: 'cancelled', error: 'failed' };

/** `openai: 429 slow down`: why a call is tried again. */
function retryWords({ provider, error }: Readonly<JsonObject>): string {
  const { message = '', status_code } = (error ?? {}) as { message?: string; status_code?: number };
  return `${String(provider)}: ${status_code === undefined ? '' : `${status_code} `}${message}`;
}

function waitWords(
  { provider, delay, reason }: Readonly<JsonObject>,
  now: number,
): Pick<TreeNode, 'doing' | 'until'> {
  const until = typeof delay === 'number' ? now + delay * 1000 : null;
  return { doing: `waits for ${String(provider)}: ${String(reason)}`, until };
}

const TOLD_INPUTS = ['file_path', 'path', 'pattern', 'command', 'agent', 'query', 'url'];

/** `read_file README.md`: the tool and the one input that tells most. */
function toolWords({ tool_name, tool_input }: Readonly<JsonObject>): string {
  const input = (tool_input ?? {}) as JsonObject;
  const told = TOLD_INPUTS.map((key) => input[key]).find((value) => typeof value === 'string');
  return told === undefined ? String(tool_name) : `${String(tool_name)} ${String(told)}`;
}

function fromLineage(session_id: string, lineage: unknown, now: number): TreeNode | null {
  const { parent_id = null, agent } = (lineage ?? {}) as { parent_id?: string | null; agent?: unknown };
  return newNode(session_id, parent_id, nameOf(agent), now);
}

function newNode(session_id: string, parent_id: string | null, agent: string, now: number): TreeNode {
  const start = { started: now, ended: null, tokens: 0, cost: null, until: null, tools: new Map() };
  return { session_id, parent_id, agent, state: 'waiting', doing: '', ...start };
}

function nameOf(agent: unknown): string {
  return typeof agent === 'string' ? agent : 'amplifier';
}

function withNode(tree: DelegationTree, node: TreeNode): DelegationTree {
  return new Map(tree).set(node.session_id, node);
}
