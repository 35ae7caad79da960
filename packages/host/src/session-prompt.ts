import type { Report } from '@amplifier/core';
import type { LaunchRecord } from '@amplifier/delegation';
import { expandMentions, type MentionResolver, mentionResolver, systemPrompt } from '@amplifier/foundation';
import { type Grant, isWithin, openInside, realPathOf, resolveInside } from '@amplifier/workspace';
import type { FolderContextOf } from './folder-context.js';
import type { Project } from './open-project.js';

/** Where a session works and what it may read. */
interface Reader {
  cwd: string;
  grant: Grant;
}

/** How the files of a project reach its sessions: what `@path` means, what a system prompt is made of. */
export interface SessionPrompts {
  mentions(reader: Reader): MentionResolver;
  system(launch: LaunchRecord): Promise<string | null>;
  instruction(text: string, reader: Reader): Promise<string>;
}

type PromptSource = Pick<Project, 'bundle' | 'paths' | 'trust'>;

export function sessionPrompts(
  project: PromptSource,
  folder: FolderContextOf,
  report: Report,
): SessionPrompts {
  const { bundle, paths, trust } = project;
  const mentions = ({ cwd, grant }: Reader) =>
    mentionResolver({
      baseDir: cwd,
      namespaces: { ...bundle.namespaces, user: paths.home, project: paths.project },
      open: (path) => openInside(grant, 'read', path, { cwd }),
      allows: async (path) =>
        (await realPathOf(path)) !== (await realPathOf(paths.keys)) &&
        (await resolveInside(grant, 'read', path, cwd)).allowed,
      trusts: (path) => isTrustedText(path, project),
    });
  return {
    mentions,
    async system({ agent, workspace, grant }) {
      // The bundle's own context belongs to the session the bundle describes; an agent brings its own.
      const context = agent.name === null ? bundle.context : {};
      const isKnown = trust.state === 'trusted' && [...trust.agents.values()].includes(agent.digest ?? '');
      const trusted = agent.origin !== 'project' || isKnown;
      const prompt = await systemPrompt(
        { instruction: agent.instruction, trusted, context },
        mentions({ cwd: workspace.cwd, grant }),
        report,
      );
      return [prompt, (await folder(workspace.cwd)).text].filter(Boolean).join('\n\n---\n\n');
    },
    async instruction(text, reader) {
      const expanded = await expandMentions(text, { resolver: mentions(reader) });
      return expanded.text;
    },
  };
}

/** Files of the user's own and of bundles. Whatever else a project holds is text, however much the folder is trusted. */
function isTrustedText(path: string, { bundle, paths, trust }: PromptSource): boolean {
  if (isWithin(paths.home, path)) return true;
  const isBundles = Object.values(bundle.namespaces).some((root) => isWithin(root, path));
  return isBundles && (trust.state === 'trusted' || !isWithin(paths.cwd, path));
}
