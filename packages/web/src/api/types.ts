import type { components, paths } from '@amplifier/daemon/client';

export type { TreeNode } from '@amplifier/core/browser';

type Schemas = components['schemas'];
export type TreeSummary = Schemas['TreeSummary'];
export type InboxItem = Schemas['InboxItem'];
export type Approval = Schemas['Approval'];
export type Launch = Schemas['Launch'];
export type LaunchOfSession = Schemas['LaunchOfSession'];
export type ResolvedProposal = Schemas['ResolvedProposal'];
export type Span = Schemas['Span'];
export type Agent = Schemas['Agent'];
export type SpendRow = Schemas['SpendRow'];
export type Settings = Schemas['Settings'];
export type Provider = Schemas['Provider'];
export type BrowserSession = Schemas['BrowserSession'];

/** The body that a POST takes. */
export type Body<Path extends keyof paths> = paths[Path] extends {
  post: { requestBody?: { content: { 'application/json': infer T } } };
}
  ? T
  : never;

/** A block of a message. The description of the API leaves its members open. */
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

export type Json = Record<string, unknown>;
