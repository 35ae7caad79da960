import { resolve } from 'node:path';
import { type Clock, errorInfo } from '@amplifier/core';
import {
  commandEnv,
  exceptFromDenied,
  type Grant,
  type RunningTree,
  realGrant,
  realPathOf,
  type Sandbox,
  startTree,
  widenScope,
} from '@amplifier/workspace';
import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { StdioServer } from './mcp-config.js';
import { serverState } from './server-state.js';

const KEPT_COMPLAINT = 2000;

/** Where a server runs, and what it may do there: what its session may. */
export interface ServerPlace {
  /** Of the session. */
  cwd: string;
  /**
   * May what is there act? If not, a server without a `cwd` starts outside of all projects: launchers prefer the packages and
   * settings of the folder they start in, and the server has variables that the folder must not get.
   */
  isTrusted: boolean;
  grant: Grant;
  sandbox: Sandbox;
}

/**
 * MCP over the pipes of a process, in the session's sandbox. The SDK's own transport ends only the process it started; a
 * server begun through a launcher would stay behind. This one ends the whole tree.
 */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  #server: StdioServer;
  #place: ServerPlace;
  #clock: Clock;
  #buffer = new ReadBuffer();
  #tree: RunningTree | undefined;
  #complaint = '';
  #closed = false;

  constructor(server: StdioServer, place: ServerPlace, clock: Clock) {
    this.#server = server;
    this.#place = place;
    this.#clock = clock;
  }

  /** The last that the server wrote to its standard error. */
  get complaint(): string {
    return this.#complaint.trim();
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#server;
    const { grant, sandbox, isTrusted } = this.#place;
    const named = cwd === undefined ? null : await realPathOf(resolve(this.#place.cwd, cwd));
    const state = await serverState(this.#server, grant);
    const write = exceptFromDenied(widenScope(grant.write, state.paths), state.paths);
    const start = named ?? (isTrusted ? this.#place.cwd : null);
    const tree = await startTree({
      command: [command, ...args],
      cwd: start,
      env: { ...commandEnv(), ...state.env, ...env },
      grant: await realGrant({ ...grant, write }),
      sandbox,
      staysOn: true,
      // A server may lie in a folder that the sandbox shows empty.
      visible: [...(start === null ? [] : [start]), ...[command, ...args].flatMap(temporaryPlace)],
      clock: this.#clock,
    });
    this.#tree = tree;
    if (this.#closed) return tree.end();
    tree.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    tree.stderr.on('data', (chunk: Buffer) => {
      this.#complaint = (this.#complaint + chunk.toString('utf8')).slice(-KEPT_COMPLAINT);
    });
    void tree.ended.then(() => this.onclose?.());
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#tree) return reject(new Error('The server is not running.'));
      this.#tree.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#tree?.stdin.end();
    await this.#tree?.end();
  }

  #receive(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
      for (let message = this.#buffer.readMessage(); message; message = this.#buffer.readMessage())
        this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(errorInfo(error).message));
    }
  }
}

/** The whole of what lies beside a program in a temporary folder: its packages may be anywhere above it. */
function temporaryPlace(word: string): string[] {
  return /^(?:\/var)?\/tmp\/[^/]+/.exec(word)?.slice(0, 1) ?? [];
}
