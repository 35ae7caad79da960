import type { ReadTextFileRequest, WriteTextFileRequest } from '@agentclientprotocol/sdk';
import { type Grant, openInside, WorkspaceError } from '@amplifier/workspace';
import type { AgentView } from '../process/agent-view.js';

/** Files an agent reads and writes through us: inside the session's scopes, and nowhere else. */
export interface ClientFiles {
  read(request: ReadTextFileRequest): Promise<{ content: string }>;
  write(request: WriteTextFileRequest): Promise<void>;
}

export function clientFiles(grant: Grant, { real, cwd }: AgentView): ClientFiles {
  return {
    async read({ path, line, limit }) {
      await using file = await openInside(grant, 'read', await real(checked(path)), { cwd });
      const text = await file.readFile('utf8');
      if (line == null && limit == null) return { content: text };
      const first = Math.max(0, (line ?? 1) - 1);
      const lines = text.split('\n');
      return { content: lines.slice(first, limit == null ? undefined : first + limit).join('\n') };
    },
    async write({ path, content }) {
      await using file = await openInside(grant, 'write', await real(checked(path)), { cwd, parents: true });
      await file.writeFile(String(content));
    },
  };
}

function checked(path: unknown): string {
  if (typeof path === 'string' && path !== '') return path;
  throw new WorkspaceError('The request names no path.', { code: 'PATH_INVALID' });
}
