import { type Clock, errorInfo } from '@amplifier/core';
import { commandEnv, FULL_GRANT, NoSandbox, type RunningTree, startTree } from '@amplifier/workspace';
import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { StdioServer } from './mcp-config.js';

/** The operator named the program: it is not the session's. */
const OPERATORS_OWN = new NoSandbox('MCP servers belong to whoever runs the session, not to the session.');
const KEPT_COMPLAINT = 2000;

/**
 * MCP over the pipes of a process. The SDK's own transport ends only the process it started; a server begun through a
 * launcher would stay behind. This one ends the whole tree.
 */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  #server: StdioServer;
  #workingDir: string;
  #clock: Clock;
  #buffer = new ReadBuffer();
  #tree: RunningTree | undefined;
  #complaint = '';

  constructor(server: StdioServer, workingDir: string, clock: Clock) {
    this.#server = server;
    this.#workingDir = workingDir;
    this.#clock = clock;
  }

  /** The last that the server wrote to its standard error. */
  get complaint(): string {
    return this.#complaint.trim();
  }

  async start(): Promise<void> {
    const { command, args, env, cwd = this.#workingDir } = this.#server;
    const tree = await startTree({
      command: [command, ...args],
      cwd,
      env: { ...commandEnv(), ...env },
      grant: FULL_GRANT,
      sandbox: OPERATORS_OWN,
      clock: this.#clock,
    });
    this.#tree = tree;
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
