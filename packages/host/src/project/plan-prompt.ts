import { isPlainObject } from '@amplifier/core';
import type { LaunchRecord } from '@amplifier/delegation';

/**
 * The system prompt of a session whose plan carries all its text: the instruction of `session.system`, then each context under
 * the name by which the instruction mentions it. Null where the plan carries none; an agent brings its own.
 */
export function planPrompt({ agent, plan }: Pick<LaunchRecord, 'agent' | 'plan'>): string | null {
  if (agent.name !== null) return null;
  const system = isPlainObject(plan.session.system) ? plan.session.system : {};
  const instruction = typeof system.instruction === 'string' ? system.instruction : '';
  const context = Array.isArray(system.context) ? system.context.filter(isNamedText) : [];
  const blocks = context.map(
    ({ name, content }) =>
      `<context name="${name.replaceAll('"', '&quot;')}">\n${content.trimEnd()}\n</context>`,
  );
  const prompt = [instruction.trim(), blocks.join('\n\n')].filter(Boolean).join('\n\n---\n\n');
  return prompt === '' ? null : prompt;
}

function isNamedText(entry: unknown): entry is { name: string; content: string } {
  return isPlainObject(entry) && typeof entry.name === 'string' && typeof entry.content === 'string';
}
