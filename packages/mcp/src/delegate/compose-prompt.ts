import type { Role } from '../roles/built-in-roles.js';

/** What the agent is told: who to be, what to look at, what to do. */
export function composePrompt(prompt: string, role: Role | null, files: readonly string[]): string {
  const persona = role ? `${role.prompt}\n\n---\n\n` : '';
  const scope = files.length > 0 ? `\n\nFiles in scope:\n${files.map((file) => `- ${file}`).join('\n')}` : '';
  return `${persona}${prompt}${scope}`;
}
