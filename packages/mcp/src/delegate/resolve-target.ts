import { closestNames } from '@amplifier/host';
import { McpToolError } from '../mcp-error.js';

/** Who is to do it, and on which model where the caller cares. */
export interface Target {
  /** As the catalog has it: `explorer`, `acp:claude_code`; `amplifier` for the bundle's own session. */
  cli: string;
  model: string | null;
}

/** The session the active bundle describes, without any agent laid over it. */
export const OWN_SESSION = 'amplifier';

/** What a caller may write for a target: `agent`, `agent:model`, or both apart. */
export type TargetInput = string | { cli: string; model?: string | null | undefined };

/**
 * Finds the agent a caller means. `acp:<id>` is always of the roster, `amplifier:<agent>` always a Markdown agent; a bare
 * name prefers the roster here. What follows the longest known name after a colon is a model.
 */
export function resolveTarget(input: TargetInput, known: readonly string[]): Target {
  const { cli, model = null } = typeof input === 'string' ? { cli: input } : input;
  const wanted = cli.trim();
  const names = spellings(known);
  const fitting = [...names.keys()]
    .filter(
      (name) =>
        wanted === name ||
        (model === null && wanted.startsWith(`${name}:`) && wanted.length > name.length + 1),
    )
    .sort((a, b) => b.length - a.length);
  const [longest] = fitting;
  const found = longest === undefined ? undefined : names.get(longest);
  if (longest === undefined || found === undefined) throw unknownTarget(wanted, [...names.keys()]);
  return { cli: found, model: wanted === longest ? model : wanted.slice(longest.length + 1) };
}

export function targetLabel({ cli, model }: Target): string {
  return model === null ? cli : `${cli}:${model}`;
}

/** Every way to write a known name, and the name it means. */
function spellings(known: readonly string[]): Map<string, string> {
  const names = new Map<string, string>([[OWN_SESSION, OWN_SESSION]]);
  for (const name of known) {
    names.set(name, name);
    if (!name.startsWith('acp:')) names.set(`amplifier:${name}`, name);
  }
  for (const name of known) if (name.startsWith('acp:')) names.set(name.slice('acp:'.length), name);
  return names;
}

function unknownTarget(name: string, known: string[]): McpToolError {
  const guesses = closestNames(name, known);
  const hint =
    guesses.length > 0
      ? `Did you mean ${guesses.map((guess) => `'${guess}'`).join(' or ')}?`
      : `There are: ${known.sort().join(', ')}.`;
  return new McpToolError('UNKNOWN_TARGET', `No agent is called '${name}'. ${hint}`);
}
