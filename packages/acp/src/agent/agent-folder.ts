import type { McpServer } from '@agentclientprotocol/sdk';
import type { CancellationToken } from '@amplifier/core';
import type { Attachment, Outcome, RootRequest } from '@amplifier/delegation';
import type { SessionStore } from '@amplifier/sessions';
import type { SafetyMode } from '@amplifier/workspace';

/** What an editor has said about a session before it begins. */
export interface FolderSession {
  id: string;
  cwd: string;
  safety_mode: SafetyMode;
  model: string | null;
  mcp_servers: readonly McpServer[];
}

/** A model an editor may choose. */
export interface AgentModel {
  id: string;
  name: string;
  /** Tokens, where it is known. */
  context_window?: number | undefined;
}

/** One prompt of the editor. */
export interface FolderTurn {
  instruction: string;
  /** Images and files that came with it. */
  attachments?: Attachment[];
  cancellation: CancellationToken;
  onEvent: NonNullable<RootRequest['onEvent']>;
}

/** The product in one folder, as far as an editor needs it. Failures of the work are outcomes; a turn that cannot begin throws. */
export interface AgentFolder {
  readonly store: SessionStore;
  /** The first is the one a session has unless the editor chooses. */
  models(): Promise<readonly AgentModel[]>;
  /** Runs the first turn of a session. Must use the session's id. */
  start(session: FolderSession, turn: FolderTurn): Promise<Outcome>;
  /** Runs another turn of a session that is on disk. */
  resume(session: FolderSession, turn: FolderTurn): Promise<Outcome>;
}
