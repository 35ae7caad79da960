import type {
  CreateTerminalRequest,
  ReadTextFileRequest,
  RequestPermissionRequest,
  RequestPermissionResponse,
  WriteTextFileRequest,
} from '@agentclientprotocol/sdk';
import { errorInfo, type JsonObject } from '@amplifier/core';
import { realPathOf } from '@amplifier/workspace';
import type { ClientSide } from '../process/client-side.js';
import { type AskedCall, askedCall } from './asked-call.js';
import { type ClientFiles, clientFiles } from './client-files.js';
import { ClientTerminals, type TerminalRights } from './client-terminals.js';
import {
  chooseOption,
  decidePermission,
  type PermissionContext,
  type PermissionVerdict,
} from './decide-permission.js';
import { type AskRules, ruleCall, terminalLine } from './rule-call.js';

export interface TurnClientOptions extends PermissionContext, TerminalRights {
  /** See `ClientSide`. */
  isOwnSession(sessionId: string): boolean;
  onUpdate(sessionId: string, update: JsonObject): void;
  /** A tool call was asked about or refused. */
  onRequest(what: { kind: string; title: string; id: string; allowed: boolean; because: string }): void;
  /** Something of the workspace was changed through us. */
  onEffect(): void;
  /** Asks a person; null when there is none. */
  /** The user's permission rules; null where there are none. */
  rules: AskRules | null;
  ask: AskPerson | null;
  /** How the person knows a place of the agent's: their own folder, not the tree the agent works in. */
  shown(path: string): string;
  /** Aborts when the turn is to end. */
  signal: AbortSignal;
}

/** Asks a person, with the call it is about where there is one. */
export type AskPerson = (prompt: string, signal: AbortSignal, call?: AskedCall) => Promise<boolean>;

type ToolCall = RequestPermissionRequest['toolCall'];

/** Members of a call that come with its announcement and are often left out of the question about it. */
const ANNOUNCED = ['title', 'kind', 'locations', 'content', 'rawInput'] as const;
/** Calls an agent announces and never ends are not kept for ever. */
const CALLS_KEPT = 256;

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

/** Serves one turn of an agent: permissions by the safety mode, files and terminals by the grant. */
export class TurnClient implements ClientSide {
  #options: TurnClientOptions;
  #files: ClientFiles;
  #terminals: ClientTerminals;
  /** What the agent announced of calls that have not ended, by their ids. */
  #calls = new Map<string, JsonObject>();

  constructor(options: TurnClientOptions) {
    this.#options = options;
    this.#files = clientFiles(options.grant, options.view);
    this.#terminals = new ClientTerminals(options);
  }

  isOwnSession(sessionId: string): boolean {
    return this.#options.isOwnSession(sessionId);
  }

  onUpdate(sessionId: string, update: JsonObject): void {
    this.#announced(update);
    this.#options.onUpdate(sessionId, update);
  }

  async requestPermission({
    toolCall: asked,
    options = [],
  }: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const { signal, onRequest, view } = this.#options;
    if (signal.aborted) return CANCELLED;
    const toolCall = { ...this.#calls.get(String(asked?.toolCallId)), ...given(asked) } as Partial<ToolCall>;
    const kind = toolCall?.kind ?? 'other';
    const title = toolCall?.title ?? kind;
    const paths = await Promise.all(pathsOf(toolCall).map(async (path) => realPathOf(await view.real(path))));
    const { verdict, because } = await this.#decide(kind, paths, toolCall?.rawInput);
    const allowed = verdict === 'ask' ? await this.#askPerson(title, because, toolCall) : verdict === 'allow';
    if (signal.aborted) return CANCELLED;
    const optionId = chooseOption(options, allowed);
    const granted = allowed && optionId !== null;
    onRequest({ kind, title, id: String(toolCall?.toolCallId ?? ''), allowed: granted, because });
    return optionId === null ? CANCELLED : { outcome: { outcome: 'selected', optionId } };
  }

  async readTextFile(request: ReadTextFileRequest): Promise<{ content: string }> {
    await this.#requireRules('read', String(request.path));
    return this.#files.read(request);
  }

  async writeTextFile(request: WriteTextFileRequest): Promise<void> {
    try {
      await this.#requireRules('edit', String(request.path));
      await this.#files.write(request);
    } catch (error) {
      const title = `write ${String(request.path)}`;
      const because = errorInfo(error).message;
      this.#options.onRequest({ kind: 'edit', title, id: '', allowed: false, because });
      throw error;
    }
    this.#options.onEffect();
  }

  async createTerminal(request: CreateTerminalRequest): Promise<{ terminalId: string }> {
    const command = terminalLine(request, this.#options.view.cwd);
    const { verdict, because } = await this.#decide('execute', [], { command });
    const call = { kind: 'execute', rawInput: { command } } as const;
    const allowed = verdict === 'ask' ? await this.#askPerson(command, because, call) : verdict === 'allow';
    if (!allowed) throw new Error(because);
    const terminalId = await this.#terminals.create(request);
    if (this.#options.safety_mode !== 'read_only') this.#options.onEffect();
    return { terminalId };
  }

  async terminalOutput({ terminalId }: { terminalId: string }): Promise<JsonObject> {
    return this.#terminals.output(terminalId);
  }

  waitForTerminal({ terminalId }: { terminalId: string }): Promise<JsonObject> {
    return this.#terminals.wait(terminalId);
  }

  killTerminal({ terminalId }: { terminalId: string }): Promise<void> {
    return this.#terminals.kill(terminalId);
  }

  releaseTerminal({ terminalId }: { terminalId: string }): Promise<void> {
    return this.#terminals.release(terminalId);
  }

  close(): Promise<void> {
    return this.#terminals.close();
  }

  /** An agent that has a file read or written by us was asked by nobody: the rules are, in any case. */
  async #requireRules(kind: 'read' | 'edit', path: string): Promise<void> {
    if (this.#options.rules === null) return;
    const real = await realPathOf(await this.#options.view.real(path));
    const { verdict, because } = await this.#decide(kind, [real], {});
    const allowed =
      verdict === 'ask'
        ? await this.#askPerson(`${kind} ${path}`, because, { kind, locations: [{ path }] })
        : verdict === 'allow';
    if (!allowed) throw new Error(because);
  }

  /** What the safety mode refuses stays refused; a rule may deny or ask on top, or answer for the person who would be asked. */
  async #decide(kind: string, paths: readonly string[], rawInput: unknown): Promise<PermissionVerdict> {
    const { rules, view } = this.#options;
    const decided = decidePermission(kind, paths, this.#options);
    if (decided.verdict === 'refuse' || rules === null) return decided;
    const cwd = await realPathOf(await view.real(view.cwd));
    const rule = await rules(ruleCall(kind, paths, rawInput, cwd, view.cwd)).catch((error) => ({
      action: 'deny' as const,
      because: errorInfo(error).message,
    }));
    if (rule === null) return decided;
    if (rule.action === 'deny') return { verdict: 'refuse', because: rule.because };
    if (rule.action === 'ask') return { verdict: 'ask', because: rule.because };
    return decidePermission(kind, paths, { ...this.#options, approves: false });
  }

  async #askPerson(title: string, because: string, call: Partial<ToolCall>): Promise<boolean> {
    const { ask, signal, shown } = this.#options;
    return ask ? ask(`${title}\n${because}`, signal, askedCall(call, shown)) : false;
  }

  #announced({ sessionUpdate, toolCallId, status, ...call }: JsonObject): void {
    if (sessionUpdate !== 'tool_call' && sessionUpdate !== 'tool_call_update') return;
    const id = String(toolCallId);
    const known = { ...this.#calls.get(id), ...given(call) };
    this.#calls.delete(id);
    if (status === 'completed' || status === 'failed') return;
    this.#calls.set(id, known);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > CALLS_KEPT && oldest !== undefined) this.#calls.delete(oldest);
  }
}

function given(call: object | null | undefined): JsonObject {
  const entries = Object.entries(call ?? {});
  return Object.fromEntries(
    entries.filter(
      ([name, value]) => value != null && ([...ANNOUNCED, 'toolCallId'] as string[]).includes(name),
    ),
  );
}

/** Every place a tool call names: its locations, and the files of its diffs. */
function pathsOf(toolCall: Partial<ToolCall>): string[] {
  const places = [...(toolCall?.locations ?? []), ...(toolCall?.content ?? [])];
  return places.flatMap((place) => ('path' in place && typeof place.path === 'string' ? [place.path] : []));
}
