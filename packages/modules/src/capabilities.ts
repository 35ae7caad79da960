import type { Message, StoredToolCall, ToolResult } from '@amplifier/core';

declare module '@amplifier/core' {
  interface Capabilities {
    /** Where messages are kept for good. A context manager awaits it before `addMessage` resolves. */
    'session.message_log': MessageLog;
    /** The files as the user's editor has them, unsaved changes included. */
    'session.editor_files': EditorFiles;
    /**
     * What became of a tool call whose result was never stored because the process ended. Null when nobody knows. An
     * orchestrator asks at the start of a turn, before it declares the call interrupted.
     */
    'session.recover_tool_result': (call: StoredToolCall) => Promise<ToolResult | null>;
  }
}

/** Both are asked only for what the session's grant allows. */
export interface EditorFiles {
  /** Null when the editor does not have it or cannot say: then the disk counts. */
  read(path: string): Promise<string | null>;
  /** False when the editor did not take it: then it is written to the disk. */
  write(path: string, content: string): Promise<boolean>;
}

export interface MessageLog {
  /** Must resolve only when the message would survive the end of the process. */
  append(message: Message): Promise<void>;
}
