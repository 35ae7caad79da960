import type { ClientConnection, InitializeResponse } from '@agentclientprotocol/sdk';
import { type Clock, errorInfo, isPlainObject, type JsonObject, shorten, within } from '@amplifier/core';
import { type Grant, type RunningTree, type Sandbox, startTree, type TreeEnd } from '@amplifier/workspace';
import { AcpError } from '../acp-error.js';
import { CLOSE_GRACE_MS, EARLY_FRAMES, EXIT_CODE_MS } from '../defaults.js';
import type { AgentDescriptor } from '../roster/descriptor.js';
import type { AgentView } from './agent-view.js';
import type { ClientSide } from './client-side.js';
import type { AgentConfinement } from './confine-agent.js';
import type { FrameJournal, FrameSender } from './frame-journal.js';
import { frameStream } from './frame-stream.js';
import { StderrTail } from './output-tail.js';

/** Everything that makes one process of an agent different from another. */
export interface ProcessLaunch {
  agent: AgentDescriptor;
  command: readonly [string, ...string[]];
  env: Record<string, string>;
  view: AgentView;
  sandbox: Sandbox;
  /** What the session may do, by where its paths really lead. */
  grant: Grant;
  confinement: AgentConfinement;
  /** May the agent have commands run by us? */
  terminal: boolean;
  handshakeMs: number;
}

const CLIENT_INFO = { name: 'amplifier', title: 'Amplifier', version: '0.1.0' };

/** A running agent that has shaken hands. It takes prompts for one turn at a time. Ends with `close`. */
export class AgentProcess implements AsyncDisposable {
  readonly launch: ProcessLaunch;
  readonly stderr: StderrTail;
  initialized: InitializeResponse = { protocolVersion: 0 };
  #tree: RunningTree;
  #clock: Clock;
  #connection: ClientConnection | null = null;
  #client: ClientSide | null = null;
  #end: TreeEnd | null = null;
  #closing: Promise<void> | null = null;
  #journal: FrameJournal | null = null;
  /** Said before there was a turn that would keep it. */
  #early: [FrameSender, string][] = [];
  #spare: { cwd: string; opened: Promise<unknown> } | null = null;

  private constructor(launch: ProcessLaunch, tree: RunningTree, clock: Clock) {
    this.launch = launch;
    this.#tree = tree;
    this.#clock = clock;
    this.stderr = new StderrTail(tree.stderr);
    void tree.ended.then((end) => {
      this.#end = end;
    });
  }

  /** Starts it and shakes hands. Throws `AcpError`; then nothing is left running. */
  static async start(launch: ProcessLaunch, clock: Clock, signal?: AbortSignal): Promise<AgentProcess> {
    const tree = await startTree({
      command: launch.command,
      cwd: launch.view.cwd,
      overlays: launch.view.overlays,
      grant: launch.confinement.grant,
      sandbox: launch.sandbox,
      visible: [launch.view.cwd, ...launch.confinement.visible],
      staysOn: true,
      env: launch.env,
      clock,
    }).catch((cause: unknown) => {
      throw new AcpError(`${launch.agent.display_name} could not be started: ${errorInfo(cause).message}`, {
        code: 'ACP_SPAWN_FAILED',
        origin: launch.agent.id,
        cause,
      });
    });
    const process = new AgentProcess(launch, tree, clock);
    try {
      await process.#shakeHands(signal);
      return process;
    } catch (error) {
      await process.kill();
      throw error;
    }
  }

  get pid(): number {
    return this.#tree.pid;
  }

  get isAlive(): boolean {
    return this.#end === null && this.#closing === null && !this.#connection?.signal.aborted;
  }

  /** Aborts when its connection is closed, by whomever. */
  get gone(): AbortSignal {
    return this.#connection?.signal ?? AbortSignal.abort();
  }

  /** What the sandbox does not hold, one sentence each. */
  get missing(): string[] {
    return [
      ...this.launch.confinement.missing,
      ...(this.launch.sandbox.name === 'none' ? [] : this.#tree.unenforced),
    ];
  }

  /** Who answers from now on, and who keeps what is said. Null: nobody, and every request is refused. */
  serve(client: ClientSide | null, journal: FrameJournal | null = null): void {
    this.#client = client;
    this.#journal = journal;
    if (client === null) this.stderr.forget();
    if (journal) for (const [from, line] of this.#early.splice(0)) journal.take(from, line);
  }

  /** Rejects with the agent's own error, or with `AcpError` when the agent is gone. */
  async request<T>(method: string, params: JsonObject, signal?: AbortSignal): Promise<T> {
    try {
      return await this.#agent.request<T>(
        method,
        params,
        signal ? { cancellationSignal: signal, stopWaitingOnCancel: true } : {},
      );
    } catch (error) {
      if (signal?.aborted || errorInfo(error).type === 'RequestError') throw error;
      throw await this.#death(error);
    }
  }

  notify(method: string, params: JsonObject): Promise<void> {
    return this.#agent.notify(method, params).catch(() => {});
  }

  /** Opens a session ahead of the turn that will want one, for an agent that is kept waiting. */
  openSpare(cwd: string): void {
    const opened = this.request<unknown>('session/new', { cwd, mcpServers: [] }).catch(() => null);
    this.#spare = { cwd, opened };
  }

  /** The answer to an earlier `openSpare`, once; null when there was none or it failed. */
  async takeSpare(cwd: string): Promise<unknown> {
    const spare = this.#spare;
    this.#spare = null;
    return spare?.cwd === cwd ? spare.opened : null;
  }

  /** Lets it end by itself, then asks it to, then makes it. Resolves when nothing of it is left. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  kill(): Promise<void> {
    this.#closing = this.#tree.kill().then(() => this.#connection?.close());
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #agent() {
    if (!this.#connection) throw new Error('The agent was not connected.');
    return this.#connection.agent;
  }

  async #close(): Promise<void> {
    this.#tree.stdin.end();
    const ended = await within(this.#tree.ended, CLOSE_GRACE_MS, this.#clock);
    if (!ended.done) await this.#tree.end();
    this.#connection?.close();
  }

  async #shakeHands(signal?: AbortSignal): Promise<void> {
    const { agent, handshakeMs } = this.launch;
    const sdk = await import('@agentclientprotocol/sdk');
    const app = sdk.client({ name: CLIENT_INFO.name });
    for (const [method, serve] of Object.entries(SERVED)) {
      app.onRequest(
        method,
        (params: unknown) => params as JsonObject,
        async ({ params }) => {
          if (!this.#client) throw new sdk.RequestError(-32603, 'No turn is running.');
          const foreign = foreignSession(this.#client, method, params);
          if (foreign !== null)
            throw sdk.RequestError.invalidParams({ sessionId: foreign }, notOurs(foreign));
          try {
            return (await serve(this.#client, params as never)) ?? {};
          } catch (error) {
            throw new sdk.RequestError(-32603, errorInfo(error).message);
          }
        },
      );
    }
    const stream = frameStream(this.#tree.stdout, this.#tree.stdin, {
      onFrame: (frame) => this.#hear(frame),
      onLine: (from, line) => this.#keep(from, line),
      onJunk: () => {},
    });
    this.#connection = app.connect(stream);
    this.#connection.closed.catch(() => {});
    const capabilities = {
      fs: { readTextFile: agent.client_reads, writeTextFile: true },
      terminal: this.launch.terminal,
      // Of a proposal that is still open: agents that know it tell of their sub-agents.
      subagents: {},
    };
    const asked = this.request<InitializeResponse>(
      'initialize',
      { protocolVersion: sdk.PROTOCOL_VERSION, clientInfo: CLIENT_INFO, clientCapabilities: capabilities },
      signal,
    );
    const answer = await within(asked, handshakeMs, this.#clock).catch((cause) => {
      throw this.#handshakeFailed(errorInfo(cause).message, cause);
    });
    if (!answer.done) throw this.#handshakeFailed(`it said nothing for ${handshakeMs / 1000} s`);
    const { protocolVersion } = answer.value;
    if (protocolVersion !== sdk.PROTOCOL_VERSION) {
      throw this.#handshakeFailed(
        `it speaks version ${protocolVersion} of the protocol, and we speak ${sdk.PROTOCOL_VERSION}`,
      );
    }
    this.initialized = answer.value;
  }

  #keep(from: FrameSender, line: string): void {
    if (this.#journal) this.#journal.take(from, line);
    else if (this.#early.length < EARLY_FRAMES.count && line.length < EARLY_FRAMES.characters)
      this.#early.push([from, line]);
  }

  /** Updates go straight to the turn: in order, also those the SDK does not know. Other notifications mean nothing to us. */
  #hear(frame: unknown): boolean {
    if (!isPlainObject(frame) || typeof frame.method !== 'string' || frame.id !== undefined) return false;
    if (frame.method.startsWith('$/')) return false;
    const { params } = frame;
    if (frame.method === 'session/update' && isPlainObject(params) && isPlainObject(params.update))
      this.#client?.onUpdate(String(params.sessionId), params.update);
    return true;
  }

  #handshakeFailed(why: string, cause?: unknown): AcpError {
    const { agent } = this.launch;
    return new AcpError(
      `${agent.display_name} started and then failed: ${why.replace(/\.$/, '')}.${this.stderr.told}`,
      {
        code: 'ACP_HANDSHAKE_FAILED',
        origin: agent.id,
        cause,
      },
    );
  }

  /** The pipe closes a moment before the exit code is known. */
  async #death(cause: unknown): Promise<AcpError> {
    const ended = await within(this.#tree.ended, EXIT_CODE_MS, this.#clock);
    const { exit_code, signal } = ended.done ? ended.value : { exit_code: null, signal: null };
    const how = !ended.done
      ? `closed its connection (${errorInfo(cause).message})`
      : signal
        ? `was ended by ${signal}`
        : `ended with exit code ${exit_code}`;
    return new AcpError(`${this.launch.agent.display_name} ${how}.${this.stderr.told}`, {
      code: 'ACP_TURN_ERROR',
      origin: this.launch.agent.id,
      cause,
    });
  }
}

type Serve = (client: ClientSide, params: never) => Promise<unknown>;

/** The session that a request names if it is not one of the turn; null if it is. */
function foreignSession(client: ClientSide, method: string, params: unknown): string | null {
  const { sessionId } = isPlainObject(params) ? params : {};
  if (sessionId === undefined && method === WITHOUT_SESSION) return null;
  const named = typeof sessionId === 'string' ? sessionId : (JSON.stringify(sessionId) ?? 'none');
  return typeof sessionId === 'string' && client.isOwnSession(sessionId) ? null : shorten(named, 200);
}

function notOurs(sessionId: string): string {
  return `the session ${JSON.stringify(sessionId)} is not the one of this turn`;
}

/** Such a request may refer to another request instead of a session. */
const WITHOUT_SESSION = 'elicitation/create';

const SERVED: Record<string, Serve> = {
  'session/request_permission': (client, params) => client.requestPermission(params),
  'fs/read_text_file': (client, params) => client.readTextFile(params),
  'fs/write_text_file': (client, params) => client.writeTextFile(params),
  'terminal/create': (client, params) => client.createTerminal(params),
  'terminal/output': (client, params) => client.terminalOutput(params),
  'terminal/wait_for_exit': (client, params) => client.waitForTerminal(params),
  'terminal/kill': (client, params) => client.killTerminal(params),
  'terminal/release': (client, params) => client.releaseTerminal(params),
  /** There is nobody to fill in a form; an agent that asks goes on without. */
  [WITHOUT_SESSION]: async () => ({ action: 'decline' }),
};
