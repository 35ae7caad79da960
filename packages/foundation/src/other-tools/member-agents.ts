import type { AgentMember } from './agent-member.js';
import { readCodexMember } from './codex-config.js';
import { readOpencodeMember } from './opencode-config.js';

/** Such an agent goes by a path of its own: `opencode.json/NAME`, `config.toml/NAME`. */
const MEMBER = /^(.*[\\/](?:opencode\.jsonc?|\.codex[\\/]config\.toml))[\\/](.+)$/;

/** The agent at such a path; null for any other path. */
export async function readMember(path: string): Promise<AgentMember | null> {
  const [, file = '', name = ''] = MEMBER.exec(path) ?? [];
  if (file === '') return null;
  return file.endsWith('.toml') ? readCodexMember(file, name) : readOpencodeMember(file, name);
}

/** The file that an agent's path leads to. */
export function fileOfAgent(path: string): string {
  return MEMBER.exec(path)?.[1] ?? path;
}
