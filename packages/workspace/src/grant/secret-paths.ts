import { isAbsolute, join } from 'node:path';

/**
 * Usual locations of secrets below the home folder. Every safety mode but `yolo` denies them: no task needs them, and they are the
 * target of prompts hidden in files.
 */
const BELOW_HOME: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.vault-token',
  '.git-credentials',
  '.docker/config.json',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.terraform.d/credentials.tfrc.json',
  '.amplifier/keys.env',
  // Other coding agents.
  '.claude.json',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
  '.qwen/oauth_creds.json',
  // Key rings and browsers, which keep passwords and sessions.
  '.password-store',
  '.mozilla',
  '.thunderbird',
  'snap/firefox',
  'Library/Keychains',
  'Library/Cookies',
  'Library/Application Support/Firefox',
  'Library/Application Support/Google/Chrome',
];

/** Secrets of the machine, which only root can read. A daemon may run as root. */
const OF_THE_MACHINE: readonly string[] = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssl/private',
];

/** Below `XDG_CONFIG_HOME`, which is `~/.config` unless it says otherwise. */
const BELOW_CONFIG: readonly string[] = [
  'gcloud',
  'gh',
  'hub',
  'glab-cli',
  'op',
  'rclone',
  'git/credentials',
  'github-copilot',
  'google-chrome',
  'mozilla',
  'vivaldi',
  'opera',
  'chromium',
  'BraveSoftware',
  'microsoft-edge',
];

/** Below `XDG_DATA_HOME`, which is `~/.local/share` unless it says otherwise. */
const BELOW_DATA: readonly string[] = ['keyrings', 'kwalletd', 'opencode/auth.json'];

/** Variables that put one of them elsewhere, and what of that place is secret. */
const MOVED_BY: Readonly<Record<string, string>> = {
  AWS_SHARED_CREDENTIALS_FILE: '',
  AZURE_CONFIG_DIR: '',
  CARGO_HOME: 'credentials.toml',
  CLAUDE_CONFIG_DIR: '.credentials.json',
  CLOUDSDK_CONFIG: '',
  CODEX_HOME: 'auth.json',
  DOCKER_CONFIG: 'config.json',
  GH_CONFIG_DIR: '',
  GNUPGHOME: '',
  GOOGLE_APPLICATION_CREDENTIALS: '',
  KUBECONFIG: '',
  NETRC: '',
  NPM_CONFIG_USERCONFIG: '',
  PASSWORD_STORE_DIR: '',
  PGPASSFILE: '',
};

/** The locations of secrets on this machine, whether or not they exist yet. */
export function secretPaths(home: string, env: NodeJS.ProcessEnv = process.env): string[] {
  const below = (folders: readonly string[], names: readonly string[]) =>
    folders.filter(isAbsolute).flatMap((folder) => names.map((name) => join(folder, name)));
  return [
    ...OF_THE_MACHINE,
    ...below([home], BELOW_HOME),
    ...below([join(home, '.config'), env.XDG_CONFIG_HOME ?? ''], BELOW_CONFIG),
    ...below([join(home, '.local/share'), env.XDG_DATA_HOME ?? ''], BELOW_DATA),
    // Some name several, as PATH does.
    ...Object.entries(MOVED_BY).flatMap(([variable, name]) =>
      below((env[variable] ?? '').split(':'), [name]),
    ),
  ];
}
