import { resolve } from 'node:path';
import type { SessionUpdate, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk';
import { describeToolCall, isPlainObject, type JsonObject, shownText } from '@amplifier/core';

/** What tools are, to an editor that shows each kind in its own way. */
const KINDS: readonly [pattern: RegExp, kind: ToolKind][] = [
  [/^(read|view|ls|list|open)/, 'read'],
  [/^(grep|glob|search|find)/, 'search'],
  [/^(edit|write|replace|apply|patch|create)/, 'edit'],
  [/^(delete|remove)/, 'delete'],
  [/^(bash|shell|run|exec|process)/, 'execute'],
  [/^(web|fetch|http)/, 'fetch'],
  [/^(think|todo|plan)/, 'think'],
];

const STATUSES = ['pending', 'in_progress', 'completed'] as const;
const PRIORITIES = ['low', 'medium', 'high'] as const;
const PROGRESS_LINES = 12;
const TITLE_CHARACTERS = 80;

/** Turns the events of a session and of everything below it into updates for an editor. One for each turn. */
export class TurnUpdates {
  #root: string;
  #cwd: string;
  #send: (update: SessionUpdate) => void;
  /** Calls of the root that the editor was told of. */
  #started = new Set<string>();
  /** Sessions below the root, and the tool call of the root that they work for. */
  #callOf = new Map<string, string>();
  #progress = new Map<string, string[]>();
  /** What the editor shows of calls by itself, by their ids: terminals. */
  #terminals = new Map<string, ToolCallContent[]>();
  /** Tokens of the last model call of the root: what its context holds now. */
  context: number | null = null;
  /** What the root has said since it last asked its model. */
  said = '';

  constructor(root: string, cwd: string, send: (update: SessionUpdate) => void) {
    this.#root = root;
    this.#cwd = cwd;
    this.#send = send;
  }

  take(name: string, data: Readonly<JsonObject>): void {
    if (name === 'delegate:agent_spawned') this.#spawned(data);
    else if (data.session_id === this.#root) this.#own[name]?.(data);
    else this.#below(name, data);
  }

  /** A call of the root runs in a terminal of the editor, which shows it there. */
  terminalOf(toolCallId: string, terminalId: string): void {
    if (!this.#started.has(toolCallId)) return;
    const content: ToolCallContent[] = [{ type: 'terminal', terminalId }];
    this.#terminals.set(toolCallId, content);
    this.#send({ sessionUpdate: 'tool_call_update', toolCallId, content });
  }

  /** What was not streamed is said at the end. */
  finish(text: string): void {
    if (text !== '' && this.said.trim() === '') this.#say(text);
  }

  #own: Record<string, (data: Readonly<JsonObject>) => void> = {
    'provider:request': () => {
      this.said = '';
    },
    'content_block:delta': ({ delta }) => {
      const { type, text = '' } = (isPlainObject(delta) ? delta : {}) as { type?: string; text?: string };
      if (type === 'text') this.#say(text);
      if (type === 'thinking') this.#think(text);
    },
    'thinking:delta': ({ text, delta }) => this.#think(String(text ?? delta ?? '')),
    'llm:response': ({ usage }) => {
      const { total_tokens } = isPlainObject(usage) ? usage : {};
      if (typeof total_tokens === 'number') this.context = total_tokens;
    },
    'tool:pre': (data) => this.#toolStarted(data),
    'tool:post': ({ tool_call_id, result }) => {
      const { success = true, output = '' } = isPlainObject(result) ? result : {};
      this.#toolEnded(String(tool_call_id), success === true, output);
    },
    'tool:error': ({ tool_call_id, error }) =>
      this.#toolEnded(String(tool_call_id), false, isPlainObject(error) ? error.message : error),
    'acp:plan': ({ entries }) => this.#plan(Array.isArray(entries) ? entries : []),
  };

  #spawned({ parent_session_id, tool_call_id, sub_session_id, agent }: Readonly<JsonObject>): void {
    const above = this.#callOf.get(String(parent_session_id));
    const call = parent_session_id === this.#root ? tool_call_id : above;
    if (typeof call !== 'string') return;
    this.#callOf.set(String(sub_session_id), call);
    this.#tell(call, `${agent} has begun (session ${sub_session_id})`);
  }

  /** A sub-agent is shown by the tool call it was made by. */
  #below(name: string, data: Readonly<JsonObject>): void {
    const { session_id, parent_id, tool_call_id, agent } = (
      isPlainObject(data.lineage) ? data.lineage : {}
    ) as {
      session_id?: string;
      parent_id?: string;
      tool_call_id?: string;
      agent?: string;
    };
    if (session_id === undefined) return;
    const call = parent_id === this.#root ? tool_call_id : this.#callOf.get(parent_id ?? '');
    if (typeof call !== 'string') return;
    this.#callOf.set(session_id, call);
    if (name === 'tool:pre') this.#tell(call, `${agent}: ${toolTitle(data)}`);
    if (name === 'tool:error') this.#tell(call, `${agent}: ${data.tool_name} failed`);
  }

  #say(text: string): void {
    this.said += text;
    this.#send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  }

  #think(text: string): void {
    this.#send({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } });
  }

  #toolStarted(data: Readonly<JsonObject>): void {
    const input = isPlainObject(data.tool_input) ? data.tool_input : {};
    if (data.tool_name === 'todo' && Array.isArray(input.todos)) this.#plan(input.todos);
    this.#started.add(String(data.tool_call_id));
    this.#send({
      sessionUpdate: 'tool_call',
      toolCallId: String(data.tool_call_id),
      title: toolTitle(data),
      kind: kindOf(String(data.tool_name), input),
      status: 'in_progress',
      rawInput: input,
      locations: pathsOf(input, this.#cwd),
    });
  }

  #plan(steps: readonly unknown[]): void {
    const entries = steps.filter(isPlainObject).map(({ content, status, priority }) => ({
      content: String(content ?? ''),
      status: STATUSES.find((known) => known === status) ?? 'pending',
      priority: PRIORITIES.find((known) => known === priority) ?? 'medium',
    }));
    this.#send({ sessionUpdate: 'plan', entries });
  }

  #toolEnded(toolCallId: string, success: boolean, output: unknown): void {
    const told = typeof output === 'string' ? output : JSON.stringify(output ?? '');
    const lines = this.#progress.get(toolCallId) ?? [];
    this.#send({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: success ? 'completed' : 'failed',
      content: this.#terminals.get(toolCallId) ?? textContent([...lines, told].join('\n')),
    });
  }

  #tell(toolCallId: string, line: string): void {
    const lines = [...(this.#progress.get(toolCallId) ?? []), line].slice(-PROGRESS_LINES);
    this.#progress.set(toolCallId, lines);
    this.#send({ sessionUpdate: 'tool_call_update', toolCallId, content: textContent(lines.join('\n')) });
  }
}

export function textContent(text: string) {
  return [{ type: 'content' as const, content: { type: 'text' as const, text } }];
}

function toolTitle({ tool_name, tool_input }: Readonly<JsonObject>): string {
  return describeToolCall(tool_name, tool_input, TITLE_CHARACTERS);
}

export function kindOf(tool: string, { kind }: JsonObject): ToolKind {
  const own = KINDS.find(([, known]) => known === kind)?.[1];
  return own ?? KINDS.find(([pattern]) => pattern.test(tool))?.[1] ?? 'other';
}

/** Where a call acts, as an editor can open it. */
export function pathsOf({ path, file_path }: JsonObject, cwd: string) {
  const found = path ?? file_path;
  return typeof found === 'string' ? [{ path: resolve(cwd, found) }] : [];
}

/** The members of an update that an editor shows as they are. Diffs and raw inputs are data, and stay exact. */
const SHOWN = new Set(['text', 'title', 'content', 'entries']);

/** An update whose texts are fit to be shown: editors draw them in terminals, too. */
export function shownUpdate<T extends SessionUpdate>(update: T): T {
  return shown(update) as T;
}

function shown(value: unknown): unknown {
  if (typeof value === 'string') return shownText(value);
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [
    key,
    SHOWN.has(key) ? shown(member) : member,
  ]);
  return Object.fromEntries(entries);
}
