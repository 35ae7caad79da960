import { randomUUID } from 'node:crypto';
import type { CreateTerminalRequest } from '@agentclientprotocol/sdk';
import type { Clock, JsonObject } from '@amplifier/core';
import {
  commandEnv,
  type Grant,
  type ProcessEnd,
  resolveInside,
  type Sandbox,
  startProcess,
} from '@amplifier/workspace';
import { AcpError } from '../acp-error.js';
import { MAX_TERMINALS, TERMINAL_OUTPUT_BYTES } from '../defaults.js';
import type { AgentView } from '../process/agent-view.js';
import { ByteTail } from '../process/output-tail.js';

interface Terminal {
  output: ByteTail;
  end: ProcessEnd | null;
  done: Promise<ProcessEnd>;
  kill(): Promise<unknown>;
}

export interface TerminalRights {
  grant: Grant;
  view: AgentView;
  sandbox: Sandbox;
  clock: Clock;
}

/** Commands an agent has run by us, under the session's grant and in its sandbox. `close` ends what is left. */
export class ClientTerminals {
  #rights: TerminalRights;
  #terminals = new Map<string, Terminal>();

  constructor(rights: TerminalRights) {
    this.#rights = rights;
  }

  async create({
    command,
    args = [],
    env = [],
    cwd,
    outputByteLimit,
  }: CreateTerminalRequest): Promise<string> {
    const { grant, sandbox, clock, view } = this.#rights;
    if (this.#terminals.size >= MAX_TERMINALS)
      throw new Error(`${MAX_TERMINALS} terminals are open; release one first.`);
    const place = await resolveInside(grant, 'read', await view.real(cwd ?? view.cwd), view.cwd);
    if (!place.allowed) throw new Error(place.because);
    const added = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const terminal: Terminal = {
      output: new ByteTail(outputLimit(outputByteLimit)),
      end: null,
      done: Promise.resolve(null as never),
      kill: async () => {},
    };
    const process = await startProcess({
      command: [command, ...args],
      cwd: view.seen(place.path),
      visible: [view.cwd],
      overlays: view.overlays,
      grant,
      sandbox,
      clock,
      env: { ...commandEnv(), ...added },
      memoryBytes: 0,
      onOutput: (_stream, chunk) => terminal.output.add(chunk),
    });
    terminal.done = process.done;
    terminal.kill = () => process.stop();
    void process.done.then((end) => {
      terminal.end = end;
    });
    const id = `terminal-${randomUUID()}`;
    this.#terminals.set(id, terminal);
    return id;
  }

  output(id: string): JsonObject {
    const { output, end } = this.#get(id);
    return {
      output: output.text,
      truncated: output.isTruncated,
      ...(end ? { exitStatus: exitStatus(end) } : {}),
    };
  }

  async wait(id: string): Promise<JsonObject> {
    return exitStatus(await this.#get(id).done);
  }

  async kill(id: string): Promise<void> {
    await this.#get(id).kill();
  }

  async release(id: string): Promise<void> {
    const terminal = this.#get(id);
    this.#terminals.delete(id);
    await terminal.kill();
  }

  async close(): Promise<void> {
    const open = [...this.#terminals.values()];
    this.#terminals.clear();
    await Promise.all(open.map((terminal) => terminal.kill()));
  }

  #get(id: string): Terminal {
    const terminal = this.#terminals.get(id);
    if (terminal) return terminal;
    throw new AcpError(`There is no terminal ${id}.`, { code: 'ACP_TURN_ERROR' });
  }
}

function exitStatus({ exit_code, signal }: ProcessEnd): JsonObject {
  return { exitCode: exit_code, signal };
}

/** An agent may ask for less than we keep, not for more. */
function outputLimit(asked: number | null | undefined): number {
  const bytes = Math.floor(Number(asked ?? TERMINAL_OUTPUT_BYTES));
  return bytes >= 0 ? Math.min(bytes, TERMINAL_OUTPUT_BYTES) : TERMINAL_OUTPUT_BYTES;
}
