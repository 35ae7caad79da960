import { AnswerRoom, isPlainObject, type JsonObject, shorten } from '@amplifier/core';
import { MAX_OUTPUT_CHARACTERS } from '../defaults.js';

const OUTPUT_CUT = `\n[The output was cut after ${MAX_OUTPUT_CHARACTERS} characters.]`;

/** A tool call of the agent, as far as it is known. */
export interface AgentToolCall {
  id: string;
  name: string;
  title: string;
  kind: string;
  input: JsonObject;
  status: 'running' | 'completed' | 'failed';
  /** What it gave, in words. */
  output: string;
}

export interface FoldListeners {
  onText(text: string): void;
  onThought(text: string): void;
  /** `said`: what the agent had said since its last tool call. */
  onToolStart(call: AgentToolCall, said: string): void;
  onToolEnd(call: AgentToolCall): void;
  onPlan(entries: unknown[]): void;
  onCost(amount: number): void;
}

/** What one prompt led to, put together from the updates in the order they came. */
export class TurnFold {
  #listeners: FoldListeners;
  #segments: string[] = [''];
  #messageId: string | null = null;
  readonly #answers: string | null;
  #room: AnswerRoom;
  #calls = new Map<string, AgentToolCall>();
  /** What agents told of each model call beside their words. */
  usages: JsonObject[] = [];
  /** Any sign that the agent began to act. */
  acted = false;
  cost: number | null = null;
  /** The last the agent said of its own state was that its provider, or itself, had failed. */
  failing = false;

  /** `answers`: a folder for what is too long to keep; null drops it. */
  constructor(listeners: FoldListeners, answers: string | null) {
    this.#listeners = listeners;
    this.#answers = answers;
    this.#room = new AnswerRoom(answers);
  }

  /** The last thing that was said: after the last tool call, or before it when nothing came after. */
  get text(): string {
    const said = this.#segments.findLast((segment) => segment.trim() !== '') ?? '';
    return `${said.trim()}${this.#room.note}`;
  }

  /** Did the turn end with words? */
  get endsWithText(): boolean {
    return (this.#segments.at(-1) ?? '').trim() !== '';
  }

  get toolCalls(): AgentToolCall[] {
    return [...this.#calls.values()];
  }

  /** Another prompt of the same turn: what was said before is not its answer. */
  begin(): void {
    this.#segments = [''];
    this.#room = new AnswerRoom(this.#answers);
    this.#messageId = null;
    this.failing = false;
    this.usages = [];
  }

  take(update: JsonObject): void {
    this.#kinds[String(update.sessionUpdate)]?.(update);
  }

  /** A tool call that was only announced by asking for permission. */
  announce(update: JsonObject): void {
    if (!this.#calls.has(String(update.toolCallId))) this.#tool(update);
  }

  /** Titles, commands, modes and whatever comes next year are not here: nothing of it decides a turn. */
  #kinds: Record<string, (update: JsonObject) => void> = {
    agent_message_chunk: (update) => this.#say(update),
    agent_thought_chunk: ({ content }) => this.#listeners.onThought(textIn(content)),
    // Old words of the user: what came before was history that arrived late.
    user_message_chunk: () => this.begin(),
    tool_call: (update) => this.#tool(update),
    tool_call_update: (update) => this.#tool(update),
    plan: ({ entries }) => this.#listeners.onPlan(Array.isArray(entries) ? entries : []),
    usage_update: ({ cost }) => this.#spend(cost),
    session_info_update: ({ _meta }) => this.#state(_meta),
  };

  #say(update: JsonObject): void {
    if (isPlainObject(update._meta) && isPlainObject(update._meta.usage))
      this.usages.push(update._meta.usage);
    const text = textIn(update.content);
    if (text === '') return;
    const messageId = typeof update.messageId === 'string' ? update.messageId : null;
    if (messageId !== null && messageId !== this.#messageId && this.#segments.at(-1) !== '')
      this.#segments.push('');
    this.#messageId = messageId ?? this.#messageId;
    const kept = this.#room.take(text);
    if (kept === '') return;
    this.#segments[this.#segments.length - 1] += kept;
    this.#listeners.onText(kept);
  }

  #tool(update: JsonObject): void {
    const id = String(update.toolCallId ?? '');
    if (id === '') return;
    this.acted = true;
    const known = this.#calls.get(id);
    const call = known ?? newCall(id);
    if (typeof update.title === 'string') call.title = update.title;
    if (typeof update.kind === 'string') call.kind = update.kind;
    if (isPlainObject(update.rawInput)) call.input = update.rawInput;
    call.name = typeof update.name === 'string' ? update.name : call.name || call.kind;
    const output = outputOf(update);
    if (output !== '') call.output = output;
    else call.output += terminalOutput(update._meta);
    call.output = shorten(call.output, MAX_OUTPUT_CHARACTERS, OUTPUT_CUT);
    if (!known) {
      this.#calls.set(id, call);
      const said = (this.#segments.at(-1) ?? '').trim();
      this.#segments.push('');
      this.#listeners.onToolStart(call, said);
    }
    const ended = update.status === 'completed' || update.status === 'failed';
    if (!ended || call.status !== 'running') return;
    call.status = update.status as 'completed' | 'failed';
    this.#listeners.onToolEnd(call);
  }

  /** The state of a thread is told under the agent's own name, and by no field of the protocol. */
  #state(meta: unknown): void {
    for (const own of isPlainObject(meta) ? Object.values(meta) : []) {
      const status = isPlainObject(own) ? own.threadStatus : undefined;
      if (isPlainObject(status)) this.failing = status.type === 'systemError';
    }
  }

  #spend(cost: unknown): void {
    if (!isPlainObject(cost) || typeof cost.amount !== 'number' || cost.currency !== 'USD') return;
    this.cost = cost.amount;
    this.#listeners.onCost(cost.amount);
  }
}

function newCall(id: string): AgentToolCall {
  return { id, name: '', title: '', kind: 'other', input: {}, status: 'running', output: '' };
}

function textIn(content: unknown): string {
  return isPlainObject(content) && typeof content.text === 'string' ? content.text : '';
}

/** What a terminal of the agent's own has printed comes in pieces. */
function terminalOutput(meta: unknown): string {
  const piece = isPlainObject(meta) ? (meta.terminal_output_delta ?? meta.terminal_output) : undefined;
  return isPlainObject(piece) && typeof piece.data === 'string' ? piece.data : '';
}

function outputOf({ content, rawOutput }: JsonObject): string {
  const parts = (Array.isArray(content) ? content : []).filter(isPlainObject).map((part) => {
    if (part.type === 'diff') return `changed ${String(part.path ?? '')}`;
    return textIn(part.content);
  });
  const told = parts.filter((part) => part !== '').join('\n');
  if (told !== '') return told;
  return typeof rawOutput === 'string'
    ? rawOutput
    : isPlainObject(rawOutput)
      ? JSON.stringify(rawOutput)
      : '';
}
