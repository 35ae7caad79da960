import { join } from 'node:path';
import { isWithin } from './path-scope.js';

/**
 * Files of a folder that act later, by a program that is not confined as the session is: our own settings and agents, those of
 * other agents, git's hooks and settings, start-up files of shells and editors, tasks of editors and build servers. No task
 * needs to write them unasked.
 */
const ACTS_LATER: readonly string[] = [
  '.amplifier/settings.yaml',
  '.amplifier/settings.local.yaml',
  '.amplifier/agents',
  '.amplifier/bundles',
  '.amplifier/routing',
  '.amplifier/roles',
  '.amplifier/skills',
  '.amplifier/acp.json',
  '.git/hooks',
  '.git/config',
  '.git/info/attributes',
  '.husky',
  '.githooks',
  '.pre-commit-config.yaml',
  '.envrc',
  '.mise.toml',
  '.vscode',
  '.idea',
  '.zed',
  '.devcontainer',
  '.devcontainer.json',
  '.exrc',
  '.nvimrc',
  '.nvim.lua',
  '.dir-locals.el',
  '.mcp.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.cursor',
  '.codex',
  '.gemini/settings.json',
  '.github/workflows',
  '.gitlab-ci.yml',
  '.circleci',
  'Jenkinsfile',
  'azure-pipelines.yml',
];

/** The same in a home folder, where it is one that the session works in. */
const OF_A_HOME: readonly string[] = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.config/fish',
  '.config/nvim',
  '.config/systemd',
  '.config/autostart',
  '.vimrc',
  '.vim',
  '.emacs',
  '.emacs.d',
  '.gitconfig',
  '.config/git',
  '.tmux.conf',
  '.inputrc',
  '.local/bin',
  'bin',
];

/** What a session that works in `cwd` must not write, whether or not it is there yet. */
export function protectedPaths(cwd: string, home?: string): string[] {
  const below = (folder: string, names: readonly string[]) => names.map((name) => join(folder, name));
  const ofHome = home !== undefined && isWithin(cwd, home) ? below(home, OF_A_HOME) : [];
  return [...below(cwd, ACTS_LATER), ...ofHome];
}

/** Is it one of them in some folder? */
export function actsLater(path: string): boolean {
  return [...ACTS_LATER, ...OF_A_HOME].some((name) => path.endsWith(`/${name}`));
}
