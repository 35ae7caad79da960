import type { Report } from '@amplifier/core';
import type { LaunchRecord } from '@amplifier/delegation';
import { expandMentions, type MentionResolver, mentionResolver, systemPrompt } from '@amplifier/foundation';
import type { Project } from './open-project.js';

/** How the files of a project reach its sessions: what `@path` means, what a system prompt is made of. */
export interface SessionPrompts {
  mentions(cwd: string): MentionResolver;
  system(launch: LaunchRecord): Promise<string | null>;
  instruction(text: string, cwd: string): Promise<string>;
}

export function sessionPrompts(
  { bundle, paths }: Pick<Project, 'bundle' | 'paths'>,
  report: Report,
): SessionPrompts {
  const mentions = (cwd: string) =>
    mentionResolver({
      baseDir: cwd,
      namespaces: { ...bundle.namespaces, user: paths.home, project: paths.project },
    });
  return {
    mentions,
    async system({ agent, workspace }) {
      // The bundle's own context belongs to the session the bundle describes; an agent brings its own.
      const context = agent.name === null ? bundle.context : {};
      const prompt = await systemPrompt(
        { instruction: agent.instruction, context },
        mentions(workspace.cwd),
        report,
      );
      return prompt === '' ? null : prompt;
    },
    async instruction(text, cwd) {
      const expanded = await expandMentions(text, { resolver: mentions(cwd) });
      return expanded.text;
    },
  };
}
