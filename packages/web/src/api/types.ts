/** What the daemon answers, as far as the rooms look at it. Members it does not know, a room ignores. */

export interface TreeNode {
  session_id: string;
  parent_id: string | null;
  agent: string | null;
  status: string;
  outcome_status: string | null;
  interrupted: boolean;
  model: string | null;
  started_at: string | null;
  ended_at: string | null;
  tokens: number;
  /** Null where a model without a known price had part in it. */
  cost_usd: string | null;
  waiting: 'approval' | 'question' | null;
  error: string | null;
  title: string | null;
  depth: number;
  tool_call_id: string | null;
  /** The last event that is in it. */
  event_seq: number;
  children: TreeNode[];
}

export interface TreeAnswer {
  root: TreeNode;
  root_id: string;
  /** The place in the events of this session and those below it. */
  cursor: string;
  /** The place in the events of all sessions, at or before this picture. */
  feed_cursor: string;
  truncated: boolean;
}

export interface Block {
  type: string;
  text?: string;
  thinking?: string;
  id?: string;
  name?: string;
  input?: Record<string, unknown>;
  tool_call_id?: string;
  output?: unknown;
  content?: unknown[];
  summary?: unknown[];
}

export interface Message {
  id: string;
  seq: number;
  turn: number;
  timestamp: string;
  role: string;
  content: string | Block[];
  tool_call_id?: string;
  tool_calls?: { id: string; tool: string; arguments: Record<string, unknown> }[];
  metadata?: Record<string, unknown>;
}

export interface TranscriptPage {
  messages: Message[];
  /** Are there older ones (newer ones, when asked forwards)? */
  has_more: boolean;
}

export interface SessionEvent {
  seq: number;
  id: string;
  name: string;
  time: string;
  session_id: string;
  parent_id: string | null;
  root_id: string;
  data: Record<string, unknown>;
}

export interface Delta {
  session_id: string;
  root_id: string;
  message_id: string;
  part: 'text' | 'reasoning';
  offset: number;
  delta: string;
}

export interface Snapshot {
  session_id: string;
  root_id: string;
  message_id: string;
  part: 'text' | 'reasoning';
  text: string;
}

export interface InboxItem {
  kind: 'approval' | 'question' | 'failed' | 'interrupted';
  session_id: string;
  root_id: string;
  agent: string | null;
  asked_at: string;
  prompt: string;
  options: string[];
  approval_id: string | null;
  tool_call_id: string | null;
  tool_name: string | null;
  tool_input: Record<string, unknown> | null;
  title: string | null;
  error: { code: string; message: string } | null;
}

interface Spent {
  tokens: number;
  cost_usd: string | null;
  unpriced_tokens: number;
}

/** A whole delegation in one line. */
export interface TreeSummary extends Omit<TreeNode, 'children'> {
  updated_at: string;
  project: string | null;
  sessions: number;
  running: number;
  waits: number;
  total: Spent;
  /** What the whole tree may cost; null: no limit. */
  budget_usd: string | null;
}

/** One bar of the timeline. */
export interface Span {
  session_id: string;
  kind: 'turn' | 'model' | 'tool' | 'wait';
  name: string;
  start: string;
  end: string | null;
  tokens: number | null;
  cost_usd: string | null;
  ok: boolean | null;
  seq: number;
  tool_call_id: string | null;
}

export interface Agent {
  name: string;
  description: string | null;
  source: string;
  path: string | null;
  hides: { path: string; source: string }[];
  tools: string[];
  model_role: string[];
  resolves_to: { provider: string; model: string | null } | null;
  /** Why it is not usable now. */
  problem: string | null;
  external: boolean;
  state: 'ready' | 'not_installed' | 'unusable';
}

export interface SpendRow {
  key: string;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  cost_usd: string | null;
  unpriced_tokens: number;
  sessions: number;
}

export interface TreeSpend {
  session_id: string;
  title: string | null;
  total_tokens: number;
  cost_usd: string | null;
}

export interface Settings {
  home: string;
  folder: string | null;
  trust: string | null;
  files: { scope: string; path: string; exists: boolean; says: Json }[];
}

export interface Provider {
  name: string;
  module: string;
  default_model: string | null;
  problem: string | null;
}

export interface BrowserSession {
  scope: string;
  expires_at: string | null;
  /** The only session that a shared link shows. */
  shared_session: string | null;
  version: string;
}

export type Json = Record<string, unknown>;
