import { describe, expect, it } from 'vitest';
import { checkGrant } from './check-grant.js';
import { grantForSafetyMode, type SafetyMode } from './safety-mode.js';
import { secretPaths } from './secret-paths.js';

const HOME = '/home/ada';

const SECRET = `
  .docker/config.json .kube/config .npmrc .pypirc .git-credentials .config/git/credentials
  .config/gh/hosts.yml .config/glab-cli/config.yml .config/gcloud/credentials.db
  .azure/msal_token_cache.json .cargo/credentials.toml .gem/credentials .local/share/gem/credentials
  .terraform.d/credentials.tfrc.json .vault-token .pgpass .my.cnf .mylogin.cnf .boto .s3cfg
  .config/rclone/rclone.conf .password-store/x .gnupg/x .local/share/keyrings/x .mozilla/x
  .config/google-chrome/x .config/chromium/x .config/BraveSoftware/x .bash_history .zsh_history
  .python_history .node_repl_history .psql_history .mysql_history .netrc .claude.json
  .claude/.credentials.json .codex/auth.json .local/share/opencode/auth.json
  .config/opencode/opencode.json .gemini/oauth_creds.json .qwen/oauth_creds.json .config/hub
  .config/op/config .config/sops/age/keys.txt .age/key .config/age .config/solana/id.json
  .ethereum/keystore .bitcoin/wallet.dat .snowsql/config .snowflake/config.toml .dbt/profiles.yml
  .databrickscfg .oci/config .aliyun/config.json .config/doctl/config.yaml .fly/config.yml
  .config/netlify/config.json .local/share/com.vercel.cli/auth.json .config/heroku .local/share/heroku
  .config/stripe/config.toml .config/configstore/x.json .m2/settings-security.xml
  .gradle/gradle.properties .bundle/config
  .hex/hex.config .yarnrc.yml .huggingface/token .cache/huggingface/token .kaggle/kaggle.json
  .config/github-copilot/apps.json .config/Code/User/globalStorage/state.vscdb .config/Slack/x
  .thunderbird/x .local/share/TelegramDesktop/x .config/discord/x .config/Signal/x .config/filezilla/x
  .cloudflared/cert.pem .ngrok2/ngrok.yml .config/ngrok/ngrok.yml .pulumi/credentials.json .chef/x.pem
  .tsh/x .step/x .doppler/.doppler.yaml .infisical/x .config/rbw/x .local/share/rbw/x
  .config/Bitwarden .aider.conf.yml .config/anthropic .config/openai .openai .config/llm
  .config/io.datasette.llm/keys.json .llm/keys.json .continue/config.json
  .config/Cursor/User/globalStorage/state.vscdb .config/goose/config.yaml .config/crush/crush.json
  .local/share/crush/crush.json .local/share/fish/fish_history .lesshst .viminfo
  .local/state/nvim/shada .rediscli_history .sqlite_history .irb_history .config/fish/fish_history
  .ssh/x .aws/credentials .config/containers/auth.json .config/helm/repositories.yaml .argocd/config
  .config/argocd/config .circleci/cli.yml .config/sentry .sentryclirc .local/share/atuin/history.db
  .mc/config.json .config/wrangler .wrangler/config/default.toml .config/.wrangler/config/default.toml
  .supabase/access-token .railway/config.json .config/Postman .electrum/x
  .jupyter/jupyter_server_config.json .local/share/jupyter/runtime .pip/pip.conf .config/pip/pip.conf
  .config/pypoetry/auth.toml .local/share/uv/credentials .cursor/mcp.json
`
  .trim()
  .split(/\s+/);

/** What tools read to work at all, and folders in which people work. */
const ORDINARY =
  '.gitconfig .config/git/config .bashrc .profile .condarc .config/uv/uv.toml .nuget/NuGet/NuGet.Config .m2/repository/a/b.jar .gradle/caches/x .cargo/registry/x .config/Code/User/settings.json .config/zed/settings.json .claude/CLAUDE.md .codex/AGENTS.md .cursor/worktrees/app/a.ts .cache/huggingface/hub/model .config/fish/config.fish .local/share/fish/vendor_completions.d/x notes.txt'.split(
    ' ',
  );

describe('secret files below the home', () => {
  const readable = (mode: SafetyMode, path: string) =>
    checkGrant(grantForSafetyMode(mode, { cwd: '/project', trusted: true, home: HOME }), {
      kind: 'read',
      path: `${HOME}/${path}`,
    }).allowed;

  it.each(SECRET)('%s is read in no mode but yolo', (path) => {
    const modes = (['read_only', 'propose', 'write', 'yolo'] as const).filter((mode) => readable(mode, path));
    expect(modes).toEqual(['yolo']);
  });

  it.each(ORDINARY)('%s stays readable', (path) => expect(readable('read_only', path)).toBe(true));

  it('are found where variables put them, and a device is none', () => {
    const env = { HF_HOME: '/big/hf', XDG_STATE_HOME: '/state', PIP_CONFIG_FILE: '/dev/null' };
    const paths = secretPaths(HOME, env);
    expect(paths).toEqual(expect.arrayContaining(['/big/hf/token', '/state/nvim/shada']));
    expect(paths).not.toContain('/dev/null');
  });
});
