import { isAbsolute, join } from 'node:path';
import { isWithin } from './path-scope.js';

/** Where the paths of a row start. An XDG variable adds a second place. */
const BASES = {
  home: { folders: [''], variable: null },
  config: { folders: ['.config'], variable: 'XDG_CONFIG_HOME' },
  data: { folders: ['.local/share'], variable: 'XDG_DATA_HOME' },
  state: { folders: ['.local/state'], variable: 'XDG_STATE_HOME' },
  cache: { folders: ['.cache'], variable: 'XDG_CACHE_HOME' },
  /** Applications that use one name below `~/.config` on Linux and below the library on macOS. */
  app: { folders: ['.config', 'Library/Application Support'], variable: 'XDG_CONFIG_HOME' },
} as const;

type Row = readonly [program: string, base: keyof typeof BASES, ...names: string[]];

/**
 * Usual locations of secrets, each with the program it belongs to. Every safety mode but `yolo` denies them: no task needs them, and
 * they are the target of prompts hidden in files. A file is listed rather than its folder where the folder has something to work
 * with. Settings that commands cannot do without, or refuse when they are empty (`.gitconfig`, `.condarc`, `uv.toml`, `NuGet.Config`,
 * `.m2/settings.xml`, `composer/auth.json`), are not listed.
 */
const SECRETS: readonly Row[] = [
  // Keys and passwords.
  ['ssh', 'home', '.ssh'],
  ['gpg', 'home', '.gnupg'],
  ['age', 'home', '.age'],
  ['age', 'config', 'age'],
  ['sops', 'app', 'sops'],
  ['pass', 'home', '.password-store'],
  ['keyrings', 'data', 'keyrings', 'kwalletd'],
  ['macOS', 'home', 'Library/Keychains', 'Library/Cookies'],
  ['1Password', 'config', 'op'],
  ['Bitwarden', 'app', 'Bitwarden', 'Bitwarden CLI', 'rbw'],
  ['rbw', 'data', 'rbw'],
  ['KeePassXC', 'app', 'keepassxc'],
  ['vault', 'home', '.vault-token'],
  ['Doppler', 'home', '.doppler'],
  ['Infisical', 'home', '.infisical', 'infisical-keyring'],
  ['step', 'home', '.step'],
  ['Teleport', 'home', '.tsh'],
  // Version control.
  ['git', 'home', '.git-credentials'],
  ['git', 'config', 'git/credentials'],
  ['GitHub', 'config', 'gh', 'hub'],
  ['GitLab', 'config', 'glab-cli'],
  ['curl', 'home', '.netrc'],
  // Clouds and deployment.
  ['AWS', 'home', '.aws'],
  ['Azure', 'home', '.azure'],
  ['Google Cloud', 'config', 'gcloud'],
  ['Google Cloud Storage', 'home', '.boto'],
  ['Oracle Cloud', 'home', '.oci'],
  ['Alibaba Cloud', 'home', '.aliyun'],
  ['DigitalOcean', 'app', 'doctl'],
  ['Fly.io', 'home', '.fly'],
  ['Netlify', 'app', 'netlify'],
  ['Vercel', 'data', 'com.vercel.cli'],
  ['Vercel', 'home', 'Library/Application Support/com.vercel.cli'],
  ['Heroku', 'config', 'heroku'],
  ['Heroku', 'data', 'heroku'],
  ['Railway', 'home', '.railway'],
  ['Supabase', 'home', '.supabase/access-token'],
  ['Cloudflare', 'home', '.cloudflared', '.wrangler/config'],
  ['Cloudflare', 'config', '.wrangler', 'wrangler'],
  ['ngrok', 'home', '.ngrok2'],
  ['ngrok', 'app', 'ngrok'],
  ['Stripe', 'config', 'stripe'],
  ['Sentry', 'home', '.sentryclirc'],
  ['Sentry', 'config', 'sentry'],
  ['CircleCI', 'home', '.circleci/cli.yml'],
  ['Terraform', 'home', '.terraform.d/credentials.tfrc.json'],
  ['Pulumi', 'home', '.pulumi/credentials.json'],
  ['Chef', 'home', '.chef'],
  ['Kubernetes', 'home', '.kube'],
  ['Helm', 'config', 'helm/repositories.yaml', 'helm/registry'],
  ['Argo CD', 'home', '.argocd'],
  ['Argo CD', 'config', 'argocd'],
  ['Docker', 'home', '.docker/config.json'],
  ['Podman', 'config', 'containers/auth.json'],
  ['rclone', 'config', 'rclone'],
  ['s3cmd', 'home', '.s3cfg'],
  ['MinIO', 'home', '.mc/config.json'],
  ['FileZilla', 'config', 'filezilla'],
  ['programs of npm', 'config', 'configstore'],
  // Databases.
  ['PostgreSQL', 'home', '.pgpass'],
  ['MySQL', 'home', '.my.cnf', '.mylogin.cnf'],
  ['Snowflake', 'home', '.snowsql', '.snowflake'],
  ['dbt', 'home', '.dbt/profiles.yml'],
  ['Databricks', 'home', '.databrickscfg', '.databricks/token-cache.json'],
  // Package registries.
  ['npm', 'home', '.npmrc'],
  ['Yarn', 'home', '.yarnrc.yml'],
  ['pip', 'home', '.pypirc', '.pip/pip.conf'],
  ['pip', 'app', 'pip/pip.conf'],
  ['Poetry', 'app', 'pypoetry/auth.toml'],
  ['uv', 'data', 'uv/credentials'],
  ['Cargo', 'home', '.cargo/credentials', '.cargo/credentials.toml'],
  ['RubyGems', 'home', '.gem/credentials'],
  ['RubyGems', 'data', 'gem/credentials'],
  ['Bundler', 'home', '.bundle/config'],
  ['Hex', 'home', '.hex/hex.config'],
  ['Maven', 'home', '.m2/settings-security.xml'],
  ['Gradle', 'home', '.gradle/gradle.properties'],
  // Models and data.
  ['Hugging Face', 'home', '.huggingface'],
  ['Hugging Face', 'cache', 'huggingface/token', 'huggingface/stored_tokens'],
  ['Kaggle', 'home', '.kaggle'],
  ['Kaggle', 'config', 'kaggle'],
  ['OpenAI', 'home', '.openai'],
  ['OpenAI', 'config', 'openai'],
  ['Anthropic', 'config', 'anthropic'],
  ['llm', 'home', '.llm/keys.json'],
  ['llm', 'app', 'llm', 'io.datasette.llm/keys.json'],
  ['Jupyter', 'home', '.jupyter/jupyter_server_config.json', '.jupyter/jupyter_notebook_config.json'],
  ['Jupyter', 'data', 'jupyter/runtime'],
  // Coding agents and editors.
  ['Amplifier', 'home', '.amplifier/keys.env'],
  ['Claude Code', 'home', '.claude.json', '.claude/.credentials.json'],
  ['Codex', 'home', '.codex/auth.json'],
  ['Gemini', 'home', '.gemini/oauth_creds.json'],
  ['Qwen', 'home', '.qwen/oauth_creds.json'],
  ['opencode', 'config', 'opencode/opencode.json', 'opencode/opencode.jsonc'],
  ['opencode', 'data', 'opencode/auth.json'],
  ['Copilot', 'config', 'github-copilot'],
  ['Aider', 'home', '.aider.conf.yml'],
  ['Continue', 'home', '.continue/config.json', '.continue/config.yaml', '.continue/.env'],
  ['Cursor', 'home', '.cursor/mcp.json'],
  ['Cursor', 'config', 'cursor/auth.json'],
  ['Goose', 'config', 'goose/config.yaml', 'goose/secrets.yaml'],
  ['Crush', 'config', 'crush/crush.json'],
  ['Crush', 'data', 'crush/crush.json'],
  ['VS Code', 'app', 'Code/User/globalStorage', 'Code - Insiders/User/globalStorage'],
  [
    'editors based on VS Code',
    'app',
    ...['Cursor', 'VSCodium', 'Windsurf'].map((name) => `${name}/User/globalStorage`),
  ],
  // Browsers, mail and messages, which keep passwords and sessions.
  ['Firefox', 'home', '.mozilla', 'snap/firefox', 'Library/Application Support/Firefox'],
  ['Firefox', 'config', 'mozilla'],
  ['Chrome', 'home', 'Library/Application Support/Google/Chrome'],
  ['Chrome', 'config', 'google-chrome', 'chromium'],
  ['other browsers', 'config', 'vivaldi', 'opera'],
  ['other browsers', 'app', 'BraveSoftware', 'microsoft-edge'],
  ['Thunderbird', 'home', '.thunderbird'],
  ['Slack', 'app', 'Slack'],
  ['Discord', 'app', 'discord'],
  ['Signal', 'app', 'Signal'],
  ['Telegram', 'data', 'TelegramDesktop'],
  ['Postman', 'app', 'Postman'],
  // Wallets.
  ['Bitcoin', 'home', '.bitcoin', 'Library/Application Support/Bitcoin'],
  ['Ethereum', 'home', '.ethereum', 'Library/Ethereum'],
  ['Electrum', 'home', '.electrum'],
  ['Solana', 'config', 'solana'],
  // Histories, which contain what was typed on a command line.
  ['shells', 'home', '.bash_history', '.bash_sessions', '.zsh_history', '.zhistory', '.zsh_sessions'],
  ['shells', 'home', '.sh_history', '.ksh_history', '.history', '.histfile'],
  ['fish', 'data', 'fish/fish_history'],
  ['fish', 'config', 'fish/fish_history'],
  ['Atuin', 'data', 'atuin'],
  [
    'interpreters',
    'home',
    '.python_history',
    '.node_repl_history',
    '.irb_history',
    '.pry_history',
    '.php_history',
  ],
  [
    'databases',
    'home',
    '.psql_history',
    '.mysql_history',
    '.mariadb_history',
    '.sqlite_history',
    '.rediscli_history',
  ],
  ['mongosh', 'home', '.mongodb/mongosh', '.dbshell'],
  ['less', 'home', '.lesshst'],
  ['less', 'state', 'lesshst'],
  ['vim', 'home', '.viminfo'],
  ['nvim', 'state', 'nvim/shada'],
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

/** Variables that put one of them elsewhere, and what of that place is secret. */
const MOVED_BY: Readonly<Record<string, string>> = {
  AWS_SHARED_CREDENTIALS_FILE: '',
  AZURE_CONFIG_DIR: '',
  BOTO_CONFIG: '',
  CARGO_HOME: 'credentials.toml',
  CLAUDE_CONFIG_DIR: '.credentials.json',
  CLOUDSDK_CONFIG: '',
  CODEX_HOME: 'auth.json',
  COMPOSER_HOME: 'auth.json',
  DATABRICKS_CONFIG_FILE: '',
  DBT_PROFILES_DIR: 'profiles.yml',
  DOCKER_CONFIG: 'config.json',
  GH_CONFIG_DIR: '',
  GNUPGHOME: '',
  GOOGLE_APPLICATION_CREDENTIALS: '',
  GRADLE_USER_HOME: 'gradle.properties',
  HF_HOME: 'token',
  HF_TOKEN_PATH: '',
  HISTFILE: '',
  KAGGLE_CONFIG_DIR: 'kaggle.json',
  KUBECONFIG: '',
  MYSQL_HISTFILE: '',
  NETRC: '',
  NODE_REPL_HISTORY: '',
  NPM_CONFIG_USERCONFIG: '',
  OCI_CLI_CONFIG_FILE: '',
  PASSWORD_STORE_DIR: '',
  PGPASSFILE: '',
  PIP_CONFIG_FILE: '',
  PSQL_HISTORY: '',
  PULUMI_HOME: 'credentials.json',
  PYTHON_HISTORY: '',
  RCLONE_CONFIG: '',
  REGISTRY_AUTH_FILE: '',
  SNOWFLAKE_HOME: '',
  SOPS_AGE_KEY_FILE: '',
};

/** The locations of secrets on this machine, whether or not they exist yet. */
export function secretPaths(home: string, env: NodeJS.ProcessEnv = process.env): string[] {
  // `/dev/null` turns a file off: commands must keep it.
  const below = (folders: readonly string[], names: readonly string[]) =>
    folders
      .filter((folder) => isAbsolute(folder) && !isWithin('/dev', folder))
      .flatMap((folder) => names.map((name) => join(folder, name)));
  const paths = [
    ...OF_THE_MACHINE,
    ...SECRETS.flatMap(([, base, ...names]) => {
      const { folders, variable } = BASES[base];
      const moved = variable === null ? [] : [env[variable] ?? ''];
      return below([...folders.map((folder) => join(home, folder)), ...moved], names);
    }),
    // Some name several, as PATH does.
    ...Object.entries(MOVED_BY).flatMap(([variable, name]) =>
      below((env[variable] ?? '').split(':'), [name]),
    ),
  ];
  return [...new Set(paths)];
}
