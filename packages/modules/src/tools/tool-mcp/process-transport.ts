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
import { MCP_MESSAGE_BYTES } from '../defaults.js';
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
  #buffer = new ReadBuffer({ maxBufferSize: MCP_MESSAGE_BYTES });
  /** The message that has not ended yet. Joined once: the buffer of the SDK copies all of it for each chunk. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
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
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      this.#keep(rest.subarray(0, end + 1));
      this.#deliver();
      rest = rest.subarray(end + 1);
    }
    this.#keep(rest);
  }

  /** Of a message that is too large, only the beginning and the end: one of them says which request it answers. */
  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#pendingBytes += part.length;
    this.#pending.push(part);
    if (this.#pendingBytes <= MCP_MESSAGE_BYTES) return;
    const all = Buffer.concat(this.#pending);
    this.#pending = [
      Buffer.from(all.subarray(0, KEPT_EDGE)),
      Buffer.from(all.subarray(Math.max(KEPT_EDGE, all.length - KEPT_EDGE))),
    ];
  }

  #deliver(): void {
    const line = Buffer.concat(this.#pending);
    const isTooLarge = this.#pendingBytes > MCP_MESSAGE_BYTES;
    this.#pending = [];
    this.#pendingBytes = 0;
    try {
      if (isTooLarge) this.#refuse(line.toString());
      else this.#buffer.append(line);
      for (let message = this.#buffer.readMessage(); message; message = this.#buffer.readMessage())
        this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(errorInfo(error).message));
    }
  }

  /** Answers the request in place of the server. If the id cannot be read, the connection ends. */
  #refuse(edges: string): void {
    const message = `It sent a message of more than ${MCP_MESSAGE_BYTES} bytes, which was not read. Ask for less.`;
    const id = (FIRST_ID.exec(edges) ?? LAST_ID.exec(edges))?.[1];
    if (id === undefined) {
      this.onerror?.(new Error(message));
      void this.close();
    } else this.onmessage?.({ jsonrpc: '2.0', id: JSON.parse(id), error: { code: INTERNAL_ERROR, message } });
  }
}

const NEWLINE = 0x0a;
const KEPT_EDGE = 200;
const INTERNAL_ERROR = -32603;
const FIRST_ID = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[\w-]*")\s*,/;
const LAST_ID = /"id"\s*:\s*(\d{1,15}|"[\w-]*")\s*\}\s*$/;

/** The whole of what lies beside a program in a temporary folder: its packages may be anywhere above it. */
function temporaryPlace(word: string): string[] {
  return /^(?:\/var)?\/tmp\/[^/]+/.exec(word)?.slice(0, 1) ?? [];
}
