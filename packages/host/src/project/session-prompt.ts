import type { Provider, Report } from '@amplifier/core';
import {
  type ContextFiles,
  childPrompt,
  type ExpandedInstruction,
  type LaunchRecord,
} from '@amplifier/delegation';
import {
  expandMentions,
  isProjectOrigin,
  type MentionResolver,
  mentionResolver,
  systemPrompt,
} from '@amplifier/foundation';
import {
  type Grant,
  isWithin,
  openInside,
  realPathOf,
  resolveInside,
  widenScope,
} from '@amplifier/workspace';
import { commandTurn } from '../other-tools/command-turn.js';
import { expandCommand, promptCommands } from '../other-tools/commands.js';
import type { FolderContextOf } from './folder-context.js';
import { planPrompt } from './plan-prompt.js';
import type { Project } from './project.js';
import { skillPlaces, skillTexts } from './skills.js';

/** Files that are shown to a model where they are mentioned. Whether one is an image is told by what it holds. */
const IMAGES = /\.(png|jpe?g|gif|webp)$/i;

/** Where a session works and what it may read. */
interface Reader {
  cwd: string;
  grant: Grant;
}

/** How the files of a project reach its sessions: what `@path` means, what a system prompt is made of. */
export interface SessionPrompts {
  mentions(reader: Reader): MentionResolver;
  system(launch: LaunchRecord): Promise<string | null>;
  instruction(text: string, reader: Reader): Promise<ExpandedInstruction>;
  /** What the folder adds to a system prompt. */
  files(cwd: string): Promise<ContextFiles>;
  /** The text a session of the project's own bundle begins with, whole. */
  bundle(reader: Reader): Promise<string>;
}

type PromptSource = Pick<Project, 'bundle' | 'paths' | 'trust' | 'settings' | 'environment' | 'isDeployment'>;

export function sessionPrompts(
  project: PromptSource,
  folder: FolderContextOf,
  providers: ReadonlyMap<string, Provider>,
  report: Report,
): SessionPrompts {
  const { bundle, paths, trust } = project;
  const mentions = ({ cwd, grant: given }: Reader, within?: string) => {
    // Files of bundles are part of the prompt, also where the session may read few folders.
    const grant = { ...given, read: widenScope(given.read, Object.values(bundle.namespaces)) };
    return mentionResolver({
      baseDir: cwd,
      namespaces: { ...bundle.namespaces, user: paths.home, project: paths.project },
      open: (path) => openInside(grant, 'read', path, { cwd }),
      allows: async (path) =>
        (within === undefined || isWithin(await realPathOf(within), await realPathOf(path))) &&
        (await realPathOf(path)) !== (await realPathOf(paths.keys)) &&
        (await resolveInside(grant, 'read', path, cwd)).allowed,
      trusts: (path) => isTrustedText(path, project),
    });
  };
  return {
    mentions,
    async system(launch) {
      const { agent, workspace, grant, skills = [] } = launch;
      // The bundle's own context belongs to the session the bundle describes; an agent brings its own.
      const context = agent.name === null ? bundle.context : {};
      const isKnown = trust.state === 'trusted' && [...trust.agents.values()].includes(agent.digest ?? '');
      const trusted = !project.isDeployment && (!isProjectOrigin(agent.origin) || isKnown);
      const prompt =
        planPrompt(launch) ??
        (await systemPrompt(
          { instruction: agent.instruction, trusted, context },
          mentions({ cwd: workspace.cwd, grant }),
          report,
        ));
      const handed = await skillTexts(skills, skillPlaces(project, launch));
      return [prompt, handed, (await folder(workspace.cwd)).text, childPrompt(launch)]
        .filter(Boolean)
        .join('\n\n---\n\n');
    },
    files: async (cwd) => (await folder(cwd)).files,
    bundle: (reader) =>
      systemPrompt({ instruction: bundle.instruction, context: bundle.context }, mentions(reader), report),
    async instruction(text, reader) {
      // What a deployment is sent comes from its app's users: nothing is read because of what it mentions.
      if (project.isDeployment) return { text, attachments: [] };
      const command = text.startsWith('/') ? expandCommand(text, await promptCommands(project)) : null;
      const isProjects = command !== null && isProjectOrigin(command.origin);
      // A project's file chooses a model where it is trusted, and allows nothing: that is for the user's own to do.
      const forTurn = command
        ? commandTurn(isProjects ? { ...command, allowed: [] } : command, providers)
        : undefined;
      // Before the folder is trusted nothing is read because of what its file mentions; after that, what lies in it.
      if (isProjects && trust.state !== 'trusted') return { text: command.text, attachments: [] };
      const resolver = mentions(reader, isProjects ? paths.cwd : undefined);
      const expanded = await expandMentions(command?.text ?? text, { resolver });
      const images = expanded.missing.flatMap(({ path }) =>
        path && IMAGES.test(path) && (!isProjects || isWithin(paths.cwd, path)) ? [{ path }] : [],
      );
      return { text: expanded.text, attachments: images, forTurn };
    },
  };
}

/** Files of the user's own and of bundles. Whatever else a project holds is text, however much the folder is trusted. */
function isTrustedText(path: string, { bundle, paths, trust }: PromptSource): boolean {
  if (isWithin(paths.home, path)) return true;
  const isBundles = Object.values(bundle.namespaces).some((root) => isWithin(root, path));
  return isBundles && (trust.state === 'trusted' || !isWithin(paths.cwd, path));
}
