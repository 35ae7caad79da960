import type { AgentContext } from '@agentclientprotocol/sdk';

/** The files as the editor has them, unsaved changes included. */
export interface EditorFiles {
  /** Null when the editor does not have it: then the disk counts. */
  read(path: string): Promise<string | null>;
  /** False when the editor did not take it. */
  write(path: string, content: string): Promise<boolean>;
}

export function editorFiles(client: AgentContext, sessionId: string, mayWrite: boolean): EditorFiles {
  return {
    read: (path) =>
      client.request('fs/read_text_file', { sessionId, path }).then(
        ({ content }) => content,
        () => null,
      ),
    write: async (path, content) => {
      if (!mayWrite) return false;
      return client.request('fs/write_text_file', { sessionId, path, content }).then(
        () => true,
        () => false,
      );
    },
  };
}

/** A command that the editor is to start. */
interface TerminalCommand {
  tool_call_id: string;
  program: string;
  args: string[];
  cwd: string;
  output_bytes: number;
}

/** The terminals of the editor, in which the person sees what runs. */
export interface EditorTerminal {
  /** Null when the editor does not start it. */
  start(command: TerminalCommand): Promise<{
    ended: Promise<{ exit_code: number | null; signal: string | null; output: string; truncated: boolean }>;
    kill(): Promise<void>;
  } | null>;
}

/** `onStarted` is told which terminal belongs to which call, before the command has ended. */
export function editorTerminal(
  client: AgentContext,
  sessionId: string,
  onStarted: (tool_call_id: string, terminalId: string) => void,
): EditorTerminal {
  return {
    async start({ tool_call_id, program, args, cwd, output_bytes: outputByteLimit }) {
      const wanted = { sessionId, command: program, args, cwd, outputByteLimit };
      const terminal = await client.createTerminal(wanted).catch(() => null);
      if (terminal === null) return null;
      onStarted(tool_call_id, terminal.id);
      const end = async () => {
        const { exitCode = null, signal = null } = await terminal.waitForExit();
        const { output, truncated } = await terminal.currentOutput();
        await terminal.release();
        return { exit_code: exitCode, signal, output, truncated };
      };
      return {
        ended: end(),
        kill: async () => {
          await terminal.kill().catch(() => {});
        },
      };
    },
  };
}
