declare module '@amplifier/core' {
  interface Capabilities {
    /** Told of every file that a tool changes, so that the change can be taken back. */
    'session.changes': ChangeKeeper;
    /** The folder of the user's home with their logins at MCP servers. */
    'session.mcp_logins': string;
    /** May what is in the working folder act? Absent: it may not. */
    'session.folder_trusted': boolean;
    /** The files as the user's editor has them, unsaved changes included. */
    'session.editor_files': EditorFiles;
    /** Where the user's editor shows commands while they run. */
    'session.editor_terminal': EditorTerminal;
  }
}

export interface ChangeKeeper {
  /** `before` is null for a file that was not there, undefined for one that is too large to be kept. Called after the change. */
  keep(path: string, before: Buffer | null | undefined, after: string | Uint8Array): Promise<void>;
  /** Called before a command runs. What it resolves with is called when the command has ended, and keeps what it changed. */
  watchCommand(): Promise<() => Promise<void>>;
}

/** Both are asked only for what the session's grant allows. */
export interface EditorFiles {
  /** Null when the editor does not have it or cannot say: then the disk counts. */
  read(path: string): Promise<string | null>;
  /** False when the editor did not take it: then it is written to the disk. */
  write(path: string, content: string): Promise<boolean>;
}

export interface EditorTerminal {
  /** Has the editor start a command. Null when it does not: then the command runs without it. */
  start(command: TerminalCommand): Promise<TerminalRun | null>;
}

export interface TerminalCommand {
  /** The call it belongs to, for the editor to show it there. */
  tool_call_id: string;
  program: string;
  args: string[];
  cwd: string;
  /** How much of its output is kept, from its end. */
  output_bytes: number;
}

export interface TerminalRun {
  /** Resolves when it has ended. Rejects when the editor is gone. */
  ended: Promise<{ exit_code: number | null; signal: string | null; output: string; truncated: boolean }>;
  /** Ends it; what it said stays to be read. */
  kill(): Promise<void>;
}
