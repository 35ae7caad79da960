/** Names that another program reads and acts on, with the reason. `*` matches any characters of one name. */
interface ActingNames {
  /** The program that reads them. */
  reader: string;
  /** What a write achieves, without anything else being run by the session. */
  effect: string;
  /** Files, or folders with everything below. In any folder of the write scope; compared without regard to case. */
  names: readonly string[];
}

/**
 * Files that make a program act that is not confined as the session is: when a person enters the folder, opens it in an editor, commits,
 * pushes, or starts another agent in it. Not in it: what a person runs by name and reviews as source (`package.json`, Makefile, tests,
 * build scripts, Dockerfile), and what names programs only together with git settings (`.gitattributes`, `.gitmodules`).
 */
export const ACTS_LATER: readonly ActingNames[] = [
  {
    reader: 'Amplifier',
    effect: 'it configures hooks, modules, agents, permissions and servers',
    names: ['.amplifier'],
  },
  {
    reader: 'git',
    effect: 'hooks and settings of a repository run programs',
    names: ['.git/hooks', '.git/config', '.git/config.worktree', '.git/commondir', '.git/info/attributes'],
  },
  {
    reader: 'other version control',
    effect: 'its settings name hooks and programs',
    names: ['.hg/hgrc', '.hg/hgrc-not-shared', '.jj/repo/config.toml', '.bzr/branch/branch.conf'],
  },
  {
    reader: 'a manager of git hooks',
    effect: 'it runs with the next commit, checkout or push',
    names: [
      ...[
        '.husky',
        '.githooks',
        '.git-hooks',
        '.pre-commit-config.yaml',
        '.pre-commit-config.yml',
        'prek.toml',
      ],
      ...['lefthook.yml', 'lefthook.yaml', 'lefthook.toml', 'lefthook.json', 'lefthook-local.*', '.lefthook'],
      ...['.lefthook.*', '.lefthook-local.*', '.overcommit.yml', '.simple-git-hooks.*', 'simple-git-hooks.*'],
      ...['captainhook.json', 'grumphp.yml', '.lintstagedrc', '.lintstagedrc.*'],
      ...['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((ending) => `lint-staged.config.${ending}`),
      ...[
        '.huskyrc',
        '.huskyrc.*',
        'husky.config.*',
        '.commitlintrc',
        '.commitlintrc.*',
        'commitlint.config.*',
      ],
    ],
  },
  {
    reader: 'a shell that enters the folder',
    effect: 'it is run, or selects the programs that are run',
    names: [
      ...['.envrc', '.direnv', '.autoenv', '.autoenv.zsh', '.flox'],
      ...[
        'mise.toml',
        '.mise.toml',
        'mise.*.toml',
        '.mise.*.toml',
        '.mise',
        'mise/config.toml',
        '.config/mise',
      ],
      ...['.config/mise.toml', '.tool-versions', 'rust-toolchain', 'rust-toolchain.toml'],
    ],
  },
  {
    reader: 'a package manager or build tool',
    effect: 'it names programs, plugins or registries that the next build uses',
    names: [
      ...['.cargo/config.toml', '.cargo/config', '.npmrc', '.yarnrc', '.yarnrc.yml', '.yarn/releases'],
      ...['.yarn/plugins', '.pnpmfile.cjs', '.pnpmfile.mjs', 'pnpmfile.js', 'bunfig.toml', '.bundle/config'],
      ...[
        '.mvn/extensions.xml',
        '.mvn/jvm.config',
        '.mvn/maven.config',
        '.mvn/wrapper',
        '.sbtopts',
        '.jvmopts',
      ],
      ...[
        '.bazelrc',
        '.bazeliskrc',
        'tools/bazel',
        '.buckconfig',
        'ansible.cfg',
        '.arcconfig',
        '.reviewboardrc',
      ],
    ],
  },
  {
    reader: 'an interpreter or debugger that starts in the folder',
    effect: 'it is run at its start',
    names: [
      ...[
        '.gdbinit',
        '.lldbinit',
        '.pdbrc',
        '.Rprofile',
        '.Renviron',
        '.ghci',
        '.iex.exs',
        '.erlang',
        '.irbrc',
      ],
      ...['.pryrc', '.ocamlinit', '.octaverc'],
    ],
  },
  {
    reader: 'an editor',
    effect: 'it runs tasks, language servers and extensions when the folder is opened',
    names: [
      ...[
        '.vscode',
        '*.code-workspace',
        '.vs',
        '.idea',
        '.run',
        '.fleet',
        '.zed',
        '.helix',
        '.nova',
        '.theia',
      ],
      ...[
        '*.sublime-project',
        '.externalToolBuilders',
        '.exrc',
        '_exrc',
        '.vimrc',
        '_vimrc',
        '.gvimrc',
        '.lvimrc',
      ],
      ...['.nvimrc', '.nvim.lua', '.dir-locals.el', '.dir-locals-2.el', '.kakrc'],
    ],
  },
  {
    reader: 'a development environment',
    effect: 'it runs commands when the folder is opened',
    names: [
      ...['.devcontainer', '.devcontainer.json', '.gitpod.yml', '.gitpod', '.replit', '.idx', '.codesandbox'],
      ...['.stackblitzrc', '.ona'],
    ],
  },
  {
    reader: 'another coding agent',
    effect: 'it configures its hooks, servers, commands and permissions',
    names: [
      ...['.mcp.json', '.claude/settings.json', '.claude/settings.local.json', '.claude/agents'],
      ...['.claude/commands', '.claude/hooks', '.claude/skills', '.claude/plugins', '.claude/workflows'],
      ...['.claude/output-styles', '.claude/scheduled_tasks.json', '.agents/skills', '.agents/hooks'],
      ...[
        '.gemini/settings.json',
        '.gemini/commands',
        '.gemini/extensions',
        '.gemini/hooks',
        '.gemini/agents',
      ],
      ...['.qwen', '.agent', '.cursor', '.codex', '.opencode'],
      ...[
        'opencode.json',
        'opencode.jsonc',
        '.crush',
        '.crush.json',
        'crush.json',
        '.aider.conf.yml',
        '.continue',
      ],
      ...[
        '.continuerc.json',
        '.roo',
        '.roomodes',
        '.cline',
        '.clinerules',
        '.kilocode',
        '.kilocodemodes',
        '.kiro',
      ],
      ...['.windsurf', '.codeium', '.junie', '.goose', '.amazonq', '.augment', '.trae', '.factory', '.iflow'],
      ...['.vibe', '.pi', '.copilot', '.warp', '.zencoder', '.codebuddy', '.rovodev', '.devin', '.openhands'],
      ...['.github/hooks', '.github/agents', '.github/copilot'],
    ],
  },
  {
    reader: 'a build server',
    effect: 'it runs there after the next push, with its secrets',
    names: [
      ...['.github/workflows', '.github/actions', '.gitea/workflows', '.forgejo/workflows', '.gitlab-ci.yml'],
      ...['.gitlab-ci.yaml', '.gitlab/ci', '.circleci', '.travis.yml', 'Jenkinsfile', 'azure-pipelines.yml'],
      ...[
        'azure-pipelines.yaml',
        '.azure-pipelines',
        '.azuredevops',
        'bitbucket-pipelines.yml',
        '.drone.yml',
      ],
      ...[
        '.drone.yaml',
        '.drone.star',
        '.drone.jsonnet',
        '.woodpecker',
        '.woodpecker.yml',
        '.woodpecker.yaml',
      ],
      ...['.buildkite', 'appveyor.yml', '.appveyor.yml', '.cirrus.yml', '.cirrus.star', '.semaphore'],
      ...['wercker.yml', 'codeship-services.yml', 'codeship-steps.yml', '.teamcity', 'cloudbuild.yaml'],
      ...['cloudbuild.yml', 'cloudbuild.json', 'buildspec.yml', 'buildspec.yaml', '.build.yml', '.builds'],
      ...['.tekton', '.harness', 'screwdriver.yaml', '.vela.yml', '.onedev-buildspec.yml'],
    ],
  },
];

/** Characters that HFS+ leaves out of a name when it compares it. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

/** A name as file systems compare it that ignore case, marks, trailing dots and spaces, or know `.git` by a short name. */
export function foldName(name: string): string {
  const folded = name
    .normalize('NFC')
    .replace(IGNORED, '')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
  return /^git~\d$/.test(folded) ? '.git' : folded;
}

interface Pattern {
  parts: string[];
  reader: string;
  effect: string;
}

/** By the folded first part, with patterns of it under `*`. */
const BY_FIRST = new Map<string, Pattern[]>();
for (const { reader, effect, names } of ACTS_LATER)
  for (const name of names) {
    const parts = name.toLowerCase().split('/');
    const key = parts[0]?.includes('*') ? '*' : (parts[0] as string);
    BY_FIRST.set(key, [...(BY_FIRST.get(key) ?? []), { parts, reader, effect }]);
  }

/** The last parts of all patterns: most names of a tree are in none of them. */
const LAST = new Set<string>();
const BEFORE_LAST = new Set<string>();
const LAST_PATTERNS: string[] = [];
for (const { names } of ACTS_LATER)
  for (const name of names) {
    const parts = name.toLowerCase().split('/');
    const last = parts.pop() as string;
    for (const part of parts) BEFORE_LAST.add(part);
    if (last.includes('*')) LAST_PATTERNS.push(last);
    else LAST.add(last);
  }

/** Can there be something that acts later because it is in a folder of this name? */
export function leadsToActing(name: string): boolean {
  return BEFORE_LAST.has(foldName(name));
}

/** Can a path that ends in this name act later? `actsLater` says whether it does. */
export function mayAct(name: string): boolean {
  const folded = foldName(name);
  return LAST.has(folded) || LAST_PATTERNS.some((pattern) => fits(pattern, folded));
}

/**
 * Why a path below a folder acts later; null if it does not. Everything in a `.git`, at any depth, acts: git finds its settings
 * there. `path` is relative, with slashes.
 */
export function actsLater(path: string): string | null {
  const parts = path.split('/').filter(Boolean).map(foldName);
  const git = parts.indexOf('.git');
  if (git !== -1) return `${shown(path, git + 1)} is git's own; change it with git commands`;
  for (let at = 0; at < parts.length; at++) {
    const candidates = [...(BY_FIRST.get(parts[at] as string) ?? []), ...(BY_FIRST.get('*') ?? [])];
    const found = candidates.find((pattern) =>
      pattern.parts.every((part, index) => fits(part, parts[at + index])),
    );
    if (found) return `${shown(path, at + found.parts.length)} is read by ${found.reader}: ${found.effect}`;
  }
  return null;
}

/** What is added to the name of something that would act later. No program looks for such a name. */
export const HELD_BACK = '.held-back';

/** Was this name given to something that would act later? */
export function isHeldBack(name: string): boolean {
  return /\.held-back(?:-\d+)?$/.test(name);
}

/** Directly in a home: caches, which commands need, and `.git`, of which `actsLater` and the sandbox know what acts. */
const FREE_IN_HOME: ReadonlySet<string> = new Set(['.cache', '.npm', '.git']);
const ALSO_IN_HOME: ReadonlySet<string> = new Set([
  'bin',
  ...(process.platform === 'darwin' ? ['library'] : []),
]);

/** Does a file or folder of this name act directly in a home? All that begin with a dot do: which programs read one is not known. */
export function isStartUpName(name: string): boolean {
  if (FREE_IN_HOME.has(name)) return false;
  const folded = foldName(name);
  return name.startsWith('.') || folded.startsWith('.') || ALSO_IN_HOME.has(folded);
}

/** Why a path below a home acts later; null if it does not. `path` is relative, with slashes. */
export function actsInHome(path: string): string | null {
  const [first] = path.split('/').filter(Boolean);
  if (first === undefined || !isStartUpName(first)) return null;
  return `${first} in the home folder is read by programs of the user: they run it, or take settings from it, when they start`;
}

function fits(pattern: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  const star = pattern.indexOf('*');
  if (star === -1) return pattern === name;
  const [start, end] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return name.length > start.length + end.length && name.startsWith(start) && name.endsWith(end);
}

function shown(path: string, count: number): string {
  return path.split('/').filter(Boolean).slice(0, count).join('/');
}
