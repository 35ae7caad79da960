import { describeToolCall } from '../text/describe-tool-call.js';
import { isDecimal } from './decimal.js';
import { isPlainObject, type JsonObject } from './json.js';
import { addCosts } from './usage.js';

/** One session of a delegation tree. The daemon answers such nodes; `foldEvent` keeps them up to date. */
export interface TreeNode {
  session_id: string;
  parent_id: string | null;
  agent: string | null;
  title: string | null;
  depth: number;
  /** The call of the parent that created it. */
  tool_call_id: string | null;
  status: string;
  /** How its current turn ended; null if it has not. */
  outcome_status: string | null;
  interrupted: boolean;
  /** What it waits for from a person. */
  waiting: 'approval' | 'question' | null;
  error: string | null;
  model: string | null;
  started_at: string | null;
  ended_at: string | null;
  tokens: number;
  /** The known part in US dollars; null if none is known. */
  cost_usd: string | null;
  /** The seq of the last event that this includes. */
  event_seq: number;
  children: TreeNode[];
  /** Running tool calls in words, by their ids; undefined until its turn begins. */
  tools?: Map<string, string> | undefined;
  /** A model call that is delayed. `until` in milliseconds; null if unknown. */
  delay?: { because: string; until: number | null } | undefined;
}

/** Nodes by session id, in the order in which they appeared. */
export type DelegationTree = Map<string, TreeNode>;

/**
 * A stored event of the record, or an event of a running session. Running sessions send theirs without the first three members:
 * `data` has the session id and the lineage.
 */
export interface TreeEvent {
  seq?: number | null;
  session_id?: string;
  parent_id?: string | null;
  name: string;
  /** ISO 8601. */
  time: string;
  data: Readonly<JsonObject>;
}

/** Applies an event to the tree in place; true if a node changed. Stored events may arrive more than once. */
export function foldEvent(tree: DelegationTree, event: TreeEvent): boolean {
  const session_id = event.session_id ?? text(event.data.session_id);
  if (session_id === null) return false;
  const known = tree.get(session_id);
  if (known && typeof event.seq === 'number') {
    if (event.seq <= known.event_seq) return false;
    known.event_seq = event.seq;
  }
  // The parent sends these about its child.
  if (event.name.startsWith('delegate:')) return foldDelegation(tree, event);
  const node = known ?? addNode(tree, session_id, parentOf(event), event);
  node.agent ??= text(memberOf(event.data.lineage, 'agent'));
  return step(node, event) || !known;
}

function foldDelegation(tree: DelegationTree, event: TreeEvent): boolean {
  const { name, time, data } = event;
  const session_id = text(data.sub_session_id);
  if (session_id === null) return false;
  const known = tree.get(session_id);
  if (name === 'delegate:agent_spawned' || name === 'delegate:agent_resumed') {
    const node = known ?? addNode(tree, session_id, text(data.parent_session_id), { ...event, seq: 0 });
    identify(node, data.agent, data.tool_call_id);
    return begin(node);
  }
  if (!known) return false;
  const outcome = text(data.status) ?? (name === 'delegate:agent_completed' ? 'completed' : 'failed');
  return end(known, outcome, text(data.error), known.ended_at ?? time);
}

/** Applies an event that a session sent about itself. */
function step(node: TreeNode, { name, time, data }: TreeEvent): boolean {
  switch (name) {
    case 'session:created':
      node.title = text(data.name) ?? node.title;
      return identify(node, data.agent_name, data.tool_call_id);
    case 'session:status':
      return foldStatus(node, time, data);
    case 'run:started':
      return begin(node);
    case 'run:ended':
      return end(
        node,
        outcomeOf(data.outcome) ?? text(data.status),
        errorOf(data) ?? errorOf(data.outcome),
        time,
      );
    case 'execution:end':
      return end(node, LOOP_OUTCOMES[String(data.status)] ?? 'completed', null, time);
    case 'question:asked':
    case 'approval:required':
      node.waiting = data.kind === 'question' ? 'question' : 'approval';
      return true;
    case 'question:answered':
    case 'question:closed':
    case 'approval:granted':
    case 'approval:denied':
      node.waiting = null;
      return true;
    case 'llm:response':
      return foldUsage(node, data);
    case 'provider:request':
      begin(node);
      node.tools = new Map();
      return true;
    case 'provider:retry':
    case 'provider:wait':
      node.delay = delayOf(name, time, data);
      return true;
    case 'content_block:delta':
      if (!node.delay) return false;
      node.delay = undefined;
      return true;
    case 'tool:pre':
      node.delay = undefined;
      node.tools ??= new Map();
      node.tools.set(String(data.tool_call_id), describeToolCall(data.tool_name, data.tool_input));
      return true;
    case 'tool:post':
    case 'tool:error':
      return node.tools?.delete(String(data.tool_call_id)) ?? false;
    default:
      return false;
  }
}

/** What `execution:end` says of the loop, as an outcome. */
const LOOP_OUTCOMES: Record<string, string> = { cancelled: 'cancelled', error: 'failed' };

function begin(node: TreeNode): boolean {
  node.status = 'active';
  node.outcome_status = null;
  node.ended_at = null;
  node.error = null;
  node.delay = undefined;
  node.tools = undefined;
  return true;
}

function end(node: TreeNode, outcome: string | null, error: string | null, time: string): boolean {
  node.outcome_status = outcome ?? node.outcome_status;
  node.ended_at = time;
  node.error = error;
  node.waiting = null;
  node.delay = undefined;
  if (node.status === 'active') node.status = 'idle';
  return true;
}

function foldStatus(node: TreeNode, time: string, data: Readonly<JsonObject>): boolean {
  const status = text(data.status) ?? node.status;
  const outcome = memberOf(data.last_outcome, 'outcome');
  if (status === 'active') begin(node);
  else end(node, outcomeOf(outcome), errorOf(data) ?? errorOf(outcome), time);
  node.status = status;
  node.interrupted = data.interrupted === true;
  return true;
}

function foldUsage(node: TreeNode, data: Readonly<JsonObject>): boolean {
  const { total_tokens, cost_usd } = isPlainObject(data.usage) ? data.usage : {};
  node.model = text(data.model) ?? node.model;
  node.cost_usd = addCosts(
    node.cost_usd,
    typeof cost_usd === 'string' && isDecimal(cost_usd) ? cost_usd : null,
  );
  node.tokens += typeof total_tokens === 'number' ? total_tokens : 0;
  node.delay = undefined;
  return true;
}

/** `openai: 429 slow down`, or `waits for openai: its limit`. */
function delayOf(name: string, time: string, { provider, delay, reason, error }: Readonly<JsonObject>) {
  const { message = '', status_code } = isPlainObject(error) ? error : {};
  const because =
    name === 'provider:wait'
      ? `waits for ${provider}: ${reason}`
      : `${provider}: ${status_code === undefined ? '' : `${status_code} `}${message}`;
  return { because, until: typeof delay === 'number' ? Date.parse(time) + delay * 1000 : null };
}

function addNode(
  tree: DelegationTree,
  session_id: string,
  parent_id: string | null,
  { time, seq }: TreeEvent,
): TreeNode {
  const parent = parent_id === null ? undefined : tree.get(parent_id);
  const node: TreeNode = {
    session_id,
    parent_id,
    agent: null,
    title: null,
    depth: (parent?.depth ?? -1) + 1,
    tool_call_id: null,
    status: 'active',
    outcome_status: null,
    interrupted: false,
    waiting: null,
    error: null,
    model: null,
    started_at: time,
    ended_at: null,
    tokens: 0,
    cost_usd: null,
    event_seq: seq ?? 0,
    children: [],
  };
  parent?.children.push(node);
  tree.set(session_id, node);
  return node;
}

function identify(node: TreeNode, agent: unknown, tool_call_id: unknown): boolean {
  node.agent = text(agent) ?? node.agent;
  node.tool_call_id = text(tool_call_id) ?? node.tool_call_id;
  return true;
}

function parentOf({ parent_id, data }: TreeEvent): string | null {
  return parent_id === undefined ? text(memberOf(data.lineage, 'parent_id')) : parent_id;
}

const outcomeOf = (value: unknown): string | null => text(memberOf(value, 'status'));
const errorOf = (value: unknown): string | null => text(memberOf(memberOf(value, 'error'), 'message'));

function memberOf(value: unknown, name: string): unknown {
  return isPlainObject(value) ? value[name] : undefined;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
