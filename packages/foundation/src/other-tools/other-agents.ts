import { sep } from 'node:path';
import { type ParsedAgent, parseAgent } from '../agents/parse-agent.js';
import { parseClaudeAgent } from './claude-agent.js';
import { parseCodexAgent } from './codex-agent.js';
import { parseOpencodeAgent } from './opencode-agent.js';

/** Reads a file by the rules of the tool in whose folder it lies. */
export function parseAnyAgent(text: string, file: string): ParsedAgent {
  const lies = (folder: string) => file.includes(`${sep}${folder.replaceAll('/', sep)}${sep}`);
  if (lies('.claude/agents')) return parseClaudeAgent(text, file);
  if (['.opencode/agents', '.opencode/agent', '.config/opencode/agents', '.config/opencode/agent'].some(lies))
    return parseOpencodeAgent(text, file);
  if (lies('.codex/agents')) return parseCodexAgent(text, file);
  return parseAgent(text, file);
}
