import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface ChaosSession {
  id: string;
  cwd: string;
  mcp_servers: string[];
  turns: { prompt: string; answer: string }[];
  model: string | null;
  effort: string | null;
  mode: string | null;
}

/** Where the agent keeps its conversations: below the home folder, as real ones do. */
const folder = () => join(homedir(), '.chaos');

export function newSession(cwd: string, mcp_servers: string[]): ChaosSession {
  return { id: `chaos-${randomUUID()}`, cwd, mcp_servers, turns: [], model: null, effort: null, mode: null };
}

/** Keeps the conversation where it can. In a sandbox that lets it write nowhere it just goes on. */
export function saveSession(session: ChaosSession): void {
  try {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), `${session.id}.json`), JSON.stringify(session));
  } catch (error) {
    process.stderr.write(`The session was not kept: ${(error as Error).message}\n`);
  }
}

export function findSession(id: string): ChaosSession | null {
  const file = join(folder(), `${id}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ChaosSession) : null;
}
