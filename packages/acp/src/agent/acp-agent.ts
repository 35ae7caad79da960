import type {
  AgentApp,
  AgentContext,
  ClientCapabilities,
  LoadSessionRequest,
  NewSessionRequest,
  PromptRequest,
  PromptResponse,
  SessionUpdate,
  Stream,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import {
  CancellationToken,
  errorInfo,
  isPlainObject,
  previewLines,
  rootSessionId,
  shownText,
  ulidSource,
} from '@amplifier/core';
import type { Delegator, LaunchRecord, Outcome, Question } from '@amplifier/delegation';
import { isSessionId } from '@amplifier/sessions';
import { realPathOf, SafetyMode } from '@amplifier/workspace';
import type { AgentFolder, AgentModel, FolderSession, FolderTurn } from './agent-folder.js';
import { configOptions, permissionOptions, sessionModes } from './editor-choices.js';
import { type EditorFiles, type EditorTerminal, editorFiles, editorTerminal } from './editor-ports.js';
import { diffOfCall, textOnDisk } from './file-diffs.js';
import { outcomeUpdates, turnEnd } from './outcome-updates.js';
import { promptAttachments, promptText } from './prompt-text.js';
import { replayTranscript } from './replay-transcript.js';
import { kindOf, pathsOf, shownUpdate, TurnUpdates, textContent } from './turn-updates.js';

export interface AcpAgentOptions {
  /** The product in a folder; for a session that is on disk, where that session lies. Asked once for each session. */
  open(cwd: string, session_id?: string): Promise<AgentFolder>;
  /** The folder whose sessions are listed when the editor names none. */
  cwd: string;
  defaultMode?: SafetyMode;
  version?: string;
}

interface OpenSession extends FolderSession {
  folder: AgentFolder;
  /** It is on disk: its model is what it is. */
  begun: boolean;
  running: CancellationToken | null;
  /** Of the turn that runs. */
  updates: TurnUpdates | null;
}

const MESSAGES_REPLAYED = 500;
const SESSIONS_LISTED = 100;

/**
 * Amplifier as an agent for editors. Tell `onQuestion` of every question, so that permissions are asked for in the editor, and
 * `connect` it to a stream.
 */
export class AcpAgent {
  readonly #options: AcpAgentOptions;
  readonly #sessions = new Map<string, OpenSession>();
  readonly #nextUlid = ulidSource();
  readonly #turns = new Set<Promise<unknown>>();
  #client: AgentContext | null = null;
  #capabilities: ClientCapabilities = {};

  constructor(options: AcpAgentOptions) {
    this.#options = options;
  }

  /** Serves one editor until it goes or the signal aborts. What runs then is cancelled; nothing runs when it resolves. */
  async connect(stream: Stream, signal?: AbortSignal): Promise<void> {
    const connection = (await this.app()).connect(stream);
    this.#client = connection.client;
    signal?.addEventListener('abort', () => connection.close(), { once: true });
    if (signal?.aborted) connection.close();
    await connection.closed.catch(() => {});
    this.#client = null;
    for (const { running } of this.#sessions.values()) running?.request('immediate');
    await Promise.allSettled(this.#turns);
  }

  /** The handlers, for a client in the same process. */
  async app(): Promise<AgentApp> {
    const { agent, PROTOCOL_VERSION, RequestError } = await import('@agentclientprotocol/sdk');
    const refuse = (message: string) => new RequestError(-32602, message);
    const known = (id: string) => {
      if (this.#sessions.has(id)) return;
      throw new RequestError(-32002, `There is no session ${id} here. Open or load it first.`);
    };
    return agent({ name: 'amplifier' })
      .onConnect(({ client }) => {
        this.#client = client;
      })
      .onRequest('initialize', ({ params }) => {
        this.#capabilities = params.clientCapabilities ?? {};
        return {
          protocolVersion: PROTOCOL_VERSION,
          agentInfo: { name: 'amplifier', title: 'Amplifier', version: this.#options.version ?? '0.1.0' },
          authMethods: [],
          agentCapabilities: {
            loadSession: true,
            promptCapabilities: { embeddedContext: true, image: true },
            mcpCapabilities: { http: true },
            sessionCapabilities: { resume: {}, list: {}, close: {} },
          },
        };
      })
      .onRequest('session/new', ({ params }) => this.#open(params))
      .onRequest('session/load', async ({ params, client }) => {
        const opened = await this.#reopen(params);
        const lines = await this.#session(params.sessionId).folder.store.tail(
          params.sessionId,
          MESSAGES_REPLAYED,
        );
        for (const update of replayTranscript(lines))
          await client.notify('session/update', { sessionId: params.sessionId, update: shownUpdate(update) });
        return opened;
      })
      .onRequest('session/resume', ({ params }) =>
        this.#reopen({ ...params, mcpServers: params.mcpServers ?? [] }),
      )
      .onRequest('session/list', ({ params }) => this.#list(params.cwd ?? null))
      .onRequest('session/close', async ({ params }) => {
        this.#sessions.get(params.sessionId)?.running?.request('immediate');
        this.#sessions.delete(params.sessionId);
      })
      .onRequest('session/set_mode', async ({ params }) => {
        known(params.sessionId);
        this.#choose(params.sessionId, 'mode', params.modeId, refuse);
      })
      .onRequest('session/set_config_option', async ({ params }) => {
        known(params.sessionId);
        const session = this.#choose(params.sessionId, params.configId, String(params.value), refuse);
        return { configOptions: (await this.#shown(session)).configOptions };
      })
      .onRequest('session/prompt', async ({ params, client }) => {
        known(params.sessionId);
        const turn = this.#prompt(params, client).catch((error: unknown) => errorInfo(error));
        this.#turns.add(turn);
        const answer = await turn.finally(() => this.#turns.delete(turn));
        if ('stopReason' in answer) return answer;
        throw new RequestError(-32603, answer.message, 'code' in answer ? { code: answer.code } : undefined);
      })
      .onNotification('session/cancel', ({ params }) => {
        this.#sessions.get(params.sessionId)?.running?.request('immediate');
      });
  }

  /** Asks the editor what a session, or one below it, wants to know. Must be told of every question, and who asked it. */
  async onQuestion(
    question: Question,
    { control, store }: Pick<Delegator, 'control' | 'store'>,
  ): Promise<void> {
    const { id, session_id } = question;
    const answer = await this.#ask(question, (await store.metadata(session_id)).root_id);
    // Whoever stopped the session, or answered elsewhere, was faster.
    await control.answer(session_id, id, answer).catch(() => {});
  }

  async #ask({ id, prompt, options, agent, subject }: Question, sessionId: string): Promise<string> {
    const session = this.#sessions.get(sessionId);
    if (!this.#client || !session) return 'deny';
    const title = agent === null ? prompt : `${agent}: ${prompt}`;
    const call = await this.#callOf(session, subject);
    try {
      const { outcome } = await this.#client.request('session/request_permission', {
        sessionId,
        toolCall: { toolCallId: id, kind: 'other', ...call, title, status: 'pending' },
        options: permissionOptions(options),
      });
      return outcome.outcome === 'selected' ? outcome.optionId : 'deny';
    } catch {
      return 'deny';
    }
  }

  /** The call a question is about, with what it would change. Its id is the one the editor has been told. */
  async #callOf(session: OpenSession, subject: Question['subject']): Promise<Partial<ToolCallUpdate>> {
    if (!subject || typeof subject.tool_call_id !== 'string') return {};
    const { tool_call_id: toolCallId, tool_name, call } = subject;
    const rawInput = isPlainObject(subject.tool_input) ? subject.tool_input : {};
    if (isPlainObject(call)) return { toolCallId, rawInput, ...call };
    const files = this.files(session.id);
    const read = async (path: string) => (await files?.read(path)) ?? textOnDisk(path);
    const [place] = pathsOf(rawInput, session.cwd);
    const input = { ...rawInput, file_path: place?.path };
    const content = await diffOfCall(String(tool_name), input, read);
    const kind = kindOf(String(tool_name), {});
    return {
      toolCallId,
      kind,
      rawInput,
      content: content.length > 0 ? content : textContent(shownText(previewLines(subject).join('\n'))),
      locations: place ? [place] : [],
    };
  }

  /** The files as the editor has them; null when it does not lend them, or does not know the session. */
  files(sessionId: string): EditorFiles | null {
    const { readTextFile, writeTextFile } = this.#capabilities.fs ?? {};
    if (!this.#client || !this.#sessions.has(sessionId) || !readTextFile) return null;
    return editorFiles(this.#client, sessionId, writeTextFile === true);
  }

  /** Where the editor shows commands; null when it has no terminals, or does not know the session. */
  terminal(sessionId: string): EditorTerminal | null {
    const session = this.#sessions.get(sessionId);
    if (!this.#client || !session || this.#capabilities.terminal !== true) return null;
    return editorTerminal(this.#client, sessionId, (call, id) => session.updates?.terminalOf(call, id));
  }

  async #open({ cwd, mcpServers }: NewSessionRequest) {
    const session: OpenSession = {
      id: rootSessionId(this.#nextUlid()),
      folder: await this.#options.open(cwd),
      cwd,
      safety_mode: this.#options.defaultMode ?? 'write',
      model: null,
      mcp_servers: mcpServers,
      begun: false,
      running: null,
      updates: null,
    };
    this.#sessions.set(session.id, session);
    return { sessionId: session.id, ...(await this.#shown(session)) };
  }

  async #reopen({ sessionId, cwd, mcpServers }: LoadSessionRequest) {
    const { RequestError } = await import('@agentclientprotocol/sdk');
    const folder = isSessionId(sessionId) ? await this.#options.open(cwd, sessionId) : null;
    if (!folder || !(await folder.store.has(sessionId)))
      throw new RequestError(-32002, `There is no session ${sessionId}.`);
    const { store } = folder;
    // The editor shows and lends files of this folder only.
    const { working_dir } = await store.metadata(sessionId);
    if (working_dir && (await realPathOf(working_dir)) !== (await realPathOf(cwd)))
      throw new RequestError(
        -32602,
        `The session ${sessionId} works in ${working_dir}, not in ${cwd}. Open that folder to load it.`,
      );
    const launch = (await store.document(sessionId, 'launch')) as LaunchRecord | null;
    const session: OpenSession = {
      id: sessionId,
      folder,
      cwd,
      safety_mode: launch?.safety_mode ?? 'read_only',
      model: shownModel(launch, await folder.models()),
      mcp_servers: mcpServers,
      begun: true,
      running: null,
      updates: null,
    };
    this.#sessions.set(sessionId, session);
    return this.#shown(session);
  }

  async #list(cwd: string | null) {
    const { store } = await this.#options.open(cwd ?? this.#options.cwd);
    const { sessions } = await store.list({ parent_id: null, limit: SESSIONS_LISTED });
    const listed = await Promise.all(
      sessions.map(async ({ session_id, name, updated }) => {
        const { working_dir } = await store.metadata(session_id);
        return { sessionId: session_id, cwd: working_dir ?? '/', title: name, updatedAt: updated };
      }),
    );
    return { sessions: listed.filter((session) => cwd === null || session.cwd === cwd) };
  }

  async #shown({ safety_mode, model, folder }: OpenSession) {
    return {
      modes: sessionModes(safety_mode),
      configOptions: configOptions(safety_mode, model, await folder.models()),
    };
  }

  #session(id: string): OpenSession {
    const session = this.#sessions.get(id);
    if (session) return session;
    throw new Error(`There is no session ${id}. Open or load it first.`);
  }

  #choose(id: string, what: string, value: string, refuse: (message: string) => Error): OpenSession {
    const session = this.#sessions.get(id);
    if (!session) throw refuse(`There is no session ${id}.`);
    if (session.running) throw refuse('The session is at work. Cancel it first, or wait.');
    if (session.begun && what === 'model')
      throw refuse(
        'The model of a session is settled with its first prompt. Open another session for another.',
      );
    if (what === 'model') session.model = value;
    else if (what === 'mode' && SafetyMode.safeParse(value).success)
      session.safety_mode = value as SafetyMode;
    else throw refuse(`There is no ${what} '${value}'.`);
    return session;
  }

  async #prompt(
    { sessionId, prompt }: PromptRequest,
    client: AgentContext,
  ): Promise<PromptResponse | { message: string; code: string }> {
    const session = this.#session(sessionId);
    if (session.running) throw new Error('The session is at work. Cancel it first, or wait.');
    const cancellation = new CancellationToken();
    session.running = cancellation;
    const sent: Promise<unknown>[] = [];
    const send = (update: SessionUpdate) =>
      void sent.push(client.notify('session/update', { sessionId, update: shownUpdate(update) }));
    const updates = new TurnUpdates(sessionId, session.cwd, send);
    session.updates = updates;
    try {
      const onEvent: FolderTurn['onEvent'] = (name, data) => updates.take(name, data);
      const attachments = promptAttachments(prompt);
      const turn = { instruction: promptText(prompt), attachments, cancellation, onEvent };
      const outcome = await this.#run(session, turn);
      const end = turnEnd(outcome);
      if (!('error' in end)) updates.finish(end.text);
      for (const update of outcomeUpdates(outcome, this.#showsNotices)) send(update);
      const usage = await this.#usage(session, updates.context);
      if (usage) send(usage);
      await Promise.all(sent);
      return 'error' in end ? { message: end.error, code: end.code } : { stopReason: end.stopReason };
    } finally {
      session.running = null;
      session.updates = null;
    }
  }

  get #showsNotices(): boolean {
    return Boolean((this.#capabilities as { session?: { notices?: unknown } }).session?.notices);
  }

  /** How full the context is, and what the session has cost. Nothing where nobody knows how much would fit. */
  async #usage({ id, folder, model }: OpenSession, used: number | null): Promise<SessionUpdate | null> {
    if (used === null) return null;
    const models = await folder.models();
    const size = (models.find((each) => each.id === model) ?? models[0])?.context_window;
    if (size === undefined) return null;
    const { cost_usd } = (await folder.store.metadata(id)).usage;
    const cost = cost_usd === null ? {} : { cost: { amount: Number(cost_usd), currency: 'USD' } };
    return { sessionUpdate: 'usage_update', used, size, ...cost };
  }

  async #run(session: OpenSession, turn: FolderTurn): Promise<Outcome> {
    const { folder, id, begun } = session;
    if (begun) return folder.resume(session, turn);
    try {
      return await folder.start(session, turn);
    } finally {
      // A turn that was refused before it began leaves the choice of the model open.
      session.begun = await folder.store.has(id);
    }
  }
}

/** The model a session was launched on, by the id it is offered under. */
function shownModel(launch: LaunchRecord | null, models: readonly AgentModel[]): string | null {
  const { provider, model } = launch?.model.chosen ?? {};
  const known = models.find(({ id }) => id === `${provider}/${model}` || id === model);
  return known?.id ?? model ?? null;
}
