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
import { type ClientFiles, clientFiles } from './client-files.js';
import { ClientTerminals, type TerminalRights } from './client-terminals.js';
import { chooseOption, decidePermission, type PermissionContext } from './decide-permission.js';

export interface TurnClientOptions extends PermissionContext, TerminalRights {
  onUpdate(sessionId: string, update: JsonObject): void;
  /** A tool call was asked about or refused. */
  onRequest(what: { kind: string; title: string; id: string; allowed: boolean; because: string }): void;
  /** Something of the workspace was changed through us. */
  onEffect(): void;
  /** Asks a person; null when there is none. */
  ask: ((prompt: string, signal: AbortSignal) => Promise<boolean>) | null;
  /** Aborts when the turn is to end. */
  signal: AbortSignal;
}

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

/** Serves one turn of an agent: permissions by the safety mode, files and terminals by the grant. */
export class TurnClient implements ClientSide {
  #options: TurnClientOptions;
  #files: ClientFiles;
  #terminals: ClientTerminals;

  constructor(options: TurnClientOptions) {
    this.#options = options;
    this.#files = clientFiles(options.grant, options.view);
    this.#terminals = new ClientTerminals(options);
  }

  onUpdate(sessionId: string, update: JsonObject): void {
    this.#options.onUpdate(sessionId, update);
  }

  async requestPermission({
    toolCall,
    options = [],
  }: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const { signal, onRequest, view } = this.#options;
    if (signal.aborted) return CANCELLED;
    const kind = toolCall?.kind ?? 'other';
    const title = toolCall?.title ?? kind;
    const paths = await Promise.all(pathsOf(toolCall).map(async (path) => realPathOf(await view.real(path))));
    const { verdict, because } = decidePermission(kind, paths, this.#options);
    const allowed = verdict === 'ask' ? await this.#askPerson(title, because) : verdict === 'allow';
    if (signal.aborted) return CANCELLED;
    const optionId = chooseOption(options, allowed);
    const granted = allowed && optionId !== null;
    onRequest({ kind, title, id: String(toolCall?.toolCallId ?? ''), allowed: granted, because });
    return optionId === null ? CANCELLED : { outcome: { outcome: 'selected', optionId } };
  }

  readTextFile(request: ReadTextFileRequest): Promise<{ content: string }> {
    return this.#files.read(request);
  }

  async writeTextFile(request: WriteTextFileRequest): Promise<void> {
    try {
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
    const verdict = decidePermission('execute', [], this.#options);
    const allowed =
      verdict.verdict === 'ask'
        ? await this.#askPerson(request.command, verdict.because)
        : verdict.verdict === 'allow';
    if (!allowed) throw new Error(verdict.because);
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

  async #askPerson(title: string, because: string): Promise<boolean> {
    const { ask, signal } = this.#options;
    return ask ? ask(`${title}\n${because}`, signal) : false;
  }
}

/** Every place a tool call names: its locations, and the files of its diffs. */
function pathsOf(toolCall: RequestPermissionRequest['toolCall'] | undefined): string[] {
  const places = [...(toolCall?.locations ?? []), ...(toolCall?.content ?? [])];
  return places.flatMap((place) => ('path' in place && typeof place.path === 'string' ? [place.path] : []));
}
