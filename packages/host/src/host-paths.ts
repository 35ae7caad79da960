import { join, resolve } from 'node:path';
import { type SettingsScope, settingsFiles } from '@amplifier/foundation';
import { projectSlug } from '@amplifier/sessions';
import { amplifierHome, type Environment } from './amplifier-home.js';

/** Where everything of one project lies. Nothing here is made or looked at; these are names only. */
export interface HostPaths {
  cwd: string;
  /** The user's folder, `~/.amplifier` unless `AMPLIFIER_HOME` says otherwise. */
  home: string;
  /** The trees of sessions that work apart. Beside the home, because no session may look into that. */
  trees: string;
  /** `<cwd>/.amplifier`. */
  project: string;
  settings: Record<SettingsScope, string>;
  keys: string;
  cache: string;
  logs: string;
  /** Holds one folder for each project. */
  projects: string;
  sessions: string;
  queue: string;
  /** Highest first. */
  bundles: string[];
  /** Highest first. */
  routing: string[];
}

export function hostPaths(cwd: string, environment: Environment = process.env): HostPaths {
  const folder = resolve(cwd);
  const home = amplifierHome(environment);
  const project = join(folder, '.amplifier');
  const projects = join(home, 'projects');
  return {
    cwd: folder,
    home,
    trees: resolve(environment.AMPLIFIER_TREES_DIR?.trim() || `${home}-trees`),
    project,
    settings: settingsFiles(home, project),
    keys: join(home, 'keys.env'),
    cache: join(home, 'cache'),
    logs: join(home, 'logs'),
    projects,
    ...projectFolders(projects, projectSlug(folder)),
    bundles: [join(project, 'bundles'), join(home, 'bundles')],
    routing: [join(project, 'routing'), join(home, 'routing')],
  };
}

/** The sessions of a project and, beside them, the line of those that wait to run. */
export function projectFolders(projects: string, slug: string): { sessions: string; queue: string } {
  return { sessions: join(projects, slug, 'sessions'), queue: join(projects, slug, 'queue') };
}
