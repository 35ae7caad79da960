import type {
  CreateTerminalRequest,
  ReadTextFileRequest,
  RequestPermissionRequest,
  RequestPermissionResponse,
  WriteTextFileRequest,
} from '@agentclientprotocol/sdk';
import type { JsonObject } from '@amplifier/core';

interface TerminalRef {
  terminalId: string;
}

/** What an agent may ask of us during a turn. Everything that comes in is untrusted. May throw: the agent is told the message. */
export interface ClientSide {
  /** Is this the session of the turn, or one that its agent announced below it? Every request for another is refused. */
  isOwnSession(sessionId: string): boolean;
  /** Called with every update of every session of the process, in order. Must not throw. */
  onUpdate(sessionId: string, update: JsonObject): void;
  requestPermission(request: RequestPermissionRequest): Promise<RequestPermissionResponse>;
  readTextFile(request: ReadTextFileRequest): Promise<{ content: string }>;
  writeTextFile(request: WriteTextFileRequest): Promise<void>;
  createTerminal(request: CreateTerminalRequest): Promise<TerminalRef>;
  terminalOutput(ref: TerminalRef): Promise<JsonObject>;
  waitForTerminal(ref: TerminalRef): Promise<JsonObject>;
  killTerminal(ref: TerminalRef): Promise<void>;
  releaseTerminal(ref: TerminalRef): Promise<void>;
}
