import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

export interface CodingAgent {
  id: string;
  program: string;
}

/** Programs that are coding agents of their own and may be delegated to, by the name of their command. */
const KNOWN: readonly [string, string][] = [
  ['claude_code', 'claude'],
  ['codex', 'codex'],
  ['gemini', 'gemini'],
  ['opencode', 'opencode'],
  ['goose', 'goose'],
  ['cursor', 'cursor-agent'],
];

/** Those that are installed, by looking along PATH. Starts none of them. */
export async function findCodingAgents(path = process.env.PATH ?? ''): Promise<CodingAgent[]> {
  const folders = path.split(delimiter).filter(Boolean);
  const found = await Promise.all(
    KNOWN.map(async ([id, command]) => {
      for (const folder of folders) {
        const program = join(folder, command);
        const runs = await access(program, constants.X_OK).then(
          () => true,
          () => false,
        );
        if (runs) return [{ id, program }];
      }
      return [];
    }),
  );
  return found.flat();
}
