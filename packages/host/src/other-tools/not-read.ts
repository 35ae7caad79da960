import { join, relative } from 'node:path';
import type { Diagnostic } from '@amplifier/core';
import type { OtherTool } from '@amplifier/foundation';
import type { Project } from '../open-project.js';
import { readSmallFile } from '../read-json-file.js';
import { enabledTools, userHome } from './enabled-tools.js';

interface Settings {
  tool: OtherTool;
  files: (home: string, cwd: string) => string[];
  /** The beginning of a section that names something people may look for, with its name. */
  sections: RegExp;
  instead: string;
}

const OPENCODE = ['opencode.json', 'opencode.jsonc'];

const SETTINGS: readonly Settings[] = [
  {
    tool: 'opencode',
    files: (home, cwd) =>
      [cwd, join(cwd, '.opencode'), join(home, '.config/opencode')].flatMap((folder) =>
        OPENCODE.map((name) => join(folder, name)),
      ),
    sections: /"(command)"\s*:\s*\{\s*"/g,
    instead: 'Write commands as files in .opencode/command',
  },
  {
    tool: 'codex',
    files: (home, cwd) => [cwd, home].map((folder) => join(folder, '.codex/config.toml')),
    sections: /^\s*\[(agents)\./gm,
    instead: 'Write agents as files in .codex/agents',
  },
];

/** Settings of other tools that name agents or commands which are not there here, each with what to do instead. */
export async function notRead({
  paths,
  settings,
  environment,
}: Pick<Project, 'paths' | 'settings' | 'environment'>): Promise<Diagnostic[]> {
  const tools = enabledTools(settings.settings);
  const home = userHome(environment);
  const found = SETTINGS.filter(({ tool }) => tools.has(tool)).flatMap(({ files, sections, instead }) =>
    [...new Set(files(home, paths.cwd))].map(async (file): Promise<Diagnostic[]> => {
      const text = (await readSmallFile(file).catch(() => null)) ?? '';
      const named = [...new Set([...text.matchAll(sections)].map(([, name]) => `'${name}'`))];
      if (named.length === 0) return [];
      const place = relative(paths.cwd, file).startsWith('..') ? file : relative(paths.cwd, file);
      const message = `${place}: ${named.join(', ')} in it are not read. ${instead}.`;
      return [{ level: 'warning', code: 'NOT_CARRIED_OVER', message }];
    }),
  );
  return (await Promise.all(found)).flat();
}
