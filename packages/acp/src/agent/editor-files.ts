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
