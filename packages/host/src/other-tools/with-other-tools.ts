import { errorInfo, type JsonObject, type MountPlan, type Report } from '@amplifier/core';
import type { Project } from '../open-project.js';
import { allowedVariables } from '../trust/folder-trust.js';
import { withoutLoosening } from '../trust/only-tighter.js';
import { withoutVariables } from '../trust/without-variables.js';
import { claudeHooksIn, claudeSettingsFiles, shellHooks } from './claude-settings.js';
import { enabledTools, userHome } from './enabled-tools.js';
import { mcpJsonFile, mcpServersIn, withServers } from './mcp-json.js';

type Source = Pick<Project, 'paths' | 'settings' | 'environment' | 'trust'>;

/**
 * The plan with what the files of other tools add to it: hooks of Claude Code's settings and the servers of `.mcp.json`. Those of
 * the project count only where the folder is trusted.
 */
export async function withOtherTools(plan: MountPlan, project: Source, report: Report): Promise<MountPlan> {
  const { paths, settings, environment, trust } = project;
  const configured = settings.settings.mcp_servers ?? {};
  const tools = enabledTools(settings.settings);
  const isTrusted = trust.state === 'trusted';
  if (!tools.has('claude_code')) return withServers(plan, configured);
  const home = userHome(environment);
  const variables = allowedVariables(settings.scopes.user);
  const files = [
    ...claudeSettingsFiles(home).slice(0, 1),
    ...(isTrusted && home !== paths.cwd ? claudeSettingsFiles(paths.cwd) : []),
  ];
  const hooks: JsonObject[] = [];
  for (const file of files) {
    const found = shellHooks(await claudeHooksIn(file));
    hooks.push(...found.hooks);
    if (found.left_out.length > 0) report(leftOut(file, found.left_out));
  }
  const servers = isTrusted ? await projectServers(paths.cwd, report) : {};
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
  return withServers(withHooks, {
    ...withoutLoosening(withoutVariables(servers, variables)),
    ...configured,
  });
}

/** A session runs without the servers of a file that cannot be read; it does not run without hooks, which may be guards. */
async function projectServers(cwd: string, report: Report): Promise<Record<string, JsonObject>> {
  try {
    return await mcpServersIn(mcpJsonFile(cwd));
  } catch (error) {
    report({ level: 'error', code: 'OTHER_FILE_INVALID', message: errorInfo(error).message, error });
    return {};
  }
}

function leftOut(file: string, names: readonly string[]) {
  const message = `${file}: The hooks ${names.join(', ')} have no counterpart and are not run.`;
  return { level: 'warning', code: 'NOT_CARRIED_OVER', message } as const;
}
