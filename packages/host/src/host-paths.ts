import { basename, dirname, join, resolve } from 'node:path';
import { type SettingsScope, settingsFiles } from '@amplifier/foundation';
import { projectSlug } from '@amplifier/sessions/record';
import { amplifierHome } from '@amplifier/workspace';
import type { Environment } from './environment.js';

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
  /** The user's logins at MCP servers. */
  logins: string;
  cache: string;
  logs: string;
  /** Holds one folder for each project. */
  projects: string;
  /** The record of all projects. */
  record: string;
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
    logins: join(home, 'mcp-logins'),
    cache: join(home, 'cache'),
    logs: join(home, 'logs'),
    projects,
    record: join(home, RECORD),
    ...projectFolders(projects, projectSlug(folder)),
    bundles: [join(project, 'bundles'), join(home, 'bundles')],
    routing: [join(project, 'routing'), join(home, 'routing')],
  };
}

/** Beside the projects: all sessions of all of them, and the runs that wait. */
const RECORD = 'amplifier.db';

/** The record and the project that a folder of `projectFolders` stands for. */
export function recordOf(folder: string): { file: string; project: string; projects: string } {
  const project = dirname(folder);
  const projects = dirname(project);
  return { file: join(dirname(projects), RECORD), project: basename(project), projects };
}

/** A project's place in the record, by the folder of its readable copies, and by its line of runs that wait. */
export function projectFolders(projects: string, slug: string): { sessions: string; queue: string } {
  return { sessions: join(projects, slug, 'sessions'), queue: join(projects, slug, 'queue') };
}
