import { basename } from 'node:path';
import type { Diagnostic, JsonObject } from '@amplifier/core';
import type { ParsedAgent } from '../agents/parse-agent.js';
import { parseToml } from '../documents/parse-toml.js';
import { FoundationError, formatPlace, type Place } from '../errors.js';
import { textOf } from './frontmatter.js';

/** What of a file is not carried over, and why. Other settings of Codex have no counterpart either. */
const NOT_CARRIED: Readonly<Record<string, string>> = {
  mcp_servers: "An agent's own MCP servers are not started. Put them into '.mcp.json'.",
  skills: 'Skills are found in the usual folders, not by an agent of Codex.',
};

/** Read, or only for show. */
const KNOWN = new Set([
  'name',
  'description',
  'developer_instructions',
  'model',
  'model_reasoning_effort',
  'sandbox_mode',
  'nickname_candidates',
]);

/** Each is looked for in the whole file, which anybody may have written. */
const MAX_WARNINGS = 20;

/**
 * Reads an agent of Codex's, a TOML file. Everything it says can only narrow what a child gets. What the settings say of the
 * agent goes first, and then nothing is missing in the file.
 */
export function parseCodexAgent(
  text: string,
  file: string,
  declared?: { name: string; description: string },
): ParsedAgent {
  const data = parseToml(text, file);
  for (const key of declared ? [] : ['description', 'developer_instructions'])
    if (textOf(data[key]) === '')
      throw new FoundationError(
        `${file}: An agent of Codex needs '${key}'. Write it as Codex wants it: ${key} = "…".`,
        { code: 'INVALID_AGENT', place: { file } },
      );
  const model = textOf(data.model);
  const effort = textOf(data.model_reasoning_effort);
  const config = effort === '' ? {} : { config: { reasoning_effort: effort } };
  const frontmatter: JsonObject = {
    ...(model === '' ? {} : { provider_preferences: [{ provider: 'openai', model, ...config }] }),
    ...(data.sandbox_mode === 'read-only' ? { safety_mode: 'read_only' } : {}),
  };
  const warnings = Object.keys(data)
    .filter((key) => !KNOWN.has(key))
    .slice(0, MAX_WARNINGS)
    .map((key): Diagnostic => {
      const why = NOT_CARRIED[key] ?? `There is no counterpart to '${key}'.`;
      const message = `${formatPlace(placeOf(text, file, key))}: ${why}`;
      return { level: 'warning', code: 'NOT_CARRIED_OVER', message };
    });
  return {
    agent: {
      name: declared?.name || textOf(data.name) || basename(file, '.toml'),
      description: declared?.description || textOf(data.description),
      instruction: textOf(data.developer_instructions) || null,
      frontmatter,
    },
    place: placeOf(text, file, 'name'),
    warnings,
  };
}

/** The line on which a member begins, as far as that can be told from its name. */
function placeOf(text: string, file: string, key: string): Place {
  const begins = (line: string) => line.replace(/^[\s[]+/, '').startsWith(key);
  const at = text.split('\n').findIndex(begins);
  return at === -1 ? { file } : { file, line: at + 1 };
}
