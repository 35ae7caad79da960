import type { Message, StoredToolCall, ToolResult } from '@amplifier/core';

declare module '@amplifier/core' {
  interface Capabilities {
    /** Where messages are kept for good. A context manager awaits it before `addMessage` resolves. */
    'session.message_log': MessageLog;
    /**
     * What became of a tool call whose result was never stored because the process ended. Null when nobody knows. An
     * orchestrator asks at the start of a turn, before it declares the call interrupted.
     */
    'session.recover_tool_result': (call: StoredToolCall) => Promise<ToolResult | null>;
  }
}

export interface MessageLog {
  /** Must resolve only when the message would survive the end of the process. */
  append(message: Message): Promise<void>;
}
