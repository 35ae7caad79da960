import { basename } from 'node:path';
import type { Diagnostic } from '@amplifier/core';
import { mappingError } from '../documents/describe-issue.js';
import { parseYamlMapping } from '../documents/parse-yaml.js';
import { splitFrontmatter } from '../documents/split-frontmatter.js';
import { formatPlace, type Place } from '../errors.js';
import { type Agent, AgentFrontmatter } from './agent-schema.js';

export interface ParsedAgent {
  agent: Agent;
  /** Where the file says its name. */
  place: Place;
  warnings: Diagnostic[];
}

/** Reads an agent file. The file's own name serves where the frontmatter gives none. Throws with file and line. */
export function parseAgent(text: string, file: string): ParsedAgent {
  const { frontmatter, first_line, body } = splitFrontmatter(text, file);
  const mapping = parseYamlMapping({ text: frontmatter ?? '', file, first_line });
  const checked = AgentFrontmatter.safeParse(mapping.data);
  if (!checked.success) throw mappingError(checked.error, mapping, 'INVALID_AGENT');
  const { meta, name, description, system } = checked.data;
  const agent: Agent = {
    name: meta?.name ?? name ?? basename(file, '.md'),
    description: meta?.description ?? description ?? '',
    instruction: body.trim() || system?.instruction?.trim() || null,
    frontmatter: withoutAbsent(checked.data),
  };
  const warnings = mapping.duplicate_keys.map(
    (place): Diagnostic => ({
      level: 'warning',
      code: 'DUPLICATE_KEY',
      message: `${formatPlace(place)}: This key stands here a second time; the last one counts. Remove one.`,
    }),
  );
  return { agent, warnings, place: mapping.placeOf(meta?.name === undefined ? ['name'] : ['meta', 'name']) };
}

function withoutAbsent(data: AgentFrontmatter): AgentFrontmatter {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}
