import type { JsonObject, MountPlan, Report } from '@amplifier/core';
import { type Settings, shellHooks } from '@amplifier/foundation';
import type { Project } from '../project/project.js';
import { amplifierHookFiles, claudeHooksIn, claudeSettingsFiles } from './claude-settings.js';
import { enabledTools, userHome } from './enabled-tools.js';
import { withServers } from './mcp-json.js';
import { otherServers } from './other-servers.js';

type Source = Pick<Project, 'paths' | 'settings' | 'environment' | 'trust'>;

/**
 * The plan with what the files of other tools add to it: hooks as Claude Code writes them, and MCP servers. Those of the project
 * count only where the folder is trusted.
 */
export async function withOtherTools(plan: MountPlan, project: Source, report: Report): Promise<MountPlan> {
  const hooks = await claudeHooks(project, report);
  const { servers, problems } = await otherServers(project);
  for (const message of problems) report({ level: 'error', code: 'OTHER_FILE_INVALID', message });
  const theirs = servers.filter(({ used }) => used).map(({ name, config }) => [name, config]);
  const withHooks =
    hooks.length === 0
      ? plan
      : {
          ...plan,
          hooks: [
            ...(plan.hooks ?? []),
            { module: 'hooks-shell', id: 'hooks-shell:claude', config: { hooks } },
          ],
        };
  const named = { ...Object.fromEntries(theirs), ...project.settings.settings.mcp_servers };
  // The first server that has a name of a tool keeps it: a project does not take one of the user's.
  const users = Object.keys(project.settings.scopes.user?.mcp_servers ?? {});
  const first = users.filter((name) => name in named).map((name) => [name, named[name]]);
  return withServers(withHooks, { ...Object.fromEntries(first), ...named });
}

/** Rejects for a file that cannot be read: a session does not run without hooks, which may be guards. */
async function claudeHooks(
  { paths, settings, environment, trust }: Source,
  report: Report,
): Promise<JsonObject[]> {
  const home = userHome(environment);
  const isTrusted = trust.state === 'trusted';
  const isOn = (said: Settings = {}) => enabledTools(said).has('claude_code');
  const files = [
    // The user's may be guards: a project does not switch them off.
    ...(isOn(settings.scopes.user) ? claudeSettingsFiles(home).slice(0, 1) : []),
    ...(isTrusted && home !== paths.cwd && isOn(settings.settings) ? claudeSettingsFiles(paths.cwd) : []),
    ...(isTrusted ? await amplifierHookFiles(paths.project) : []),
  ];
  const hooks: JsonObject[] = [];
  for (const file of files) {
    const found = shellHooks(await claudeHooksIn(file));
    hooks.push(...found.hooks);
    if (found.left_out.length > 0) report(leftOut(file, found.left_out));
  }
  return hooks;
}

function leftOut(file: string, names: readonly string[]) {
  const message = `${file}: The hooks ${names.join(', ')} have no counterpart and are not run.`;
  return { level: 'warning', code: 'NOT_CARRIED_OVER', message, module_id: 'hooks-shell' } as const;
}
