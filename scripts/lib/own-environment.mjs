import { chmodSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Variables that lead to the person's own settings, keys, repositories or running daemon. */
const THEIRS = /^(HOME|TMPDIR|TMP|TEMP|XDG_.*|AMPLIFIER.*|GIT_.*|SSH_.*|DATABASE_URL|PG.*)$/;
const SECRET = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|PAT)$/i;

/** Tests that run as root start programs as another user, who must get through to what is theirs. */
const PASSABLE = 0o711;

/**
 * The variables of `env` for a test or benchmark: with a home, settings and a temporary folder of its own below `folder`, and
 * without anything that leads to the person's.
 */
export function ownEnvironment(env, folder) {
  const kept = Object.entries(env).filter(([name]) => !THEIRS.test(name) && !SECRET.test(name));
  const home = join(folder, 'home');
  const temporary = join(folder, 'tmp');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  mkdirSync(temporary, { recursive: true, mode: PASSABLE });
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    TMPDIR: temporary,
    AMPLIFIER_HOME: join(home, '.amplifier'),
    AMPLIFIERD_HOME: join(home, '.amplifierd'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_RUNTIME_DIR: temporary,
    TMUX_TMPDIR: temporary,
    npm_config_cache: join(home, '.npm'),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
}

/** A new folder for `ownEnvironment`, by its real and short name: sockets are made below it. */
export function ownFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'amp-')));
  chmodSync(folder, PASSABLE);
  return folder;
}

/** Puts this process, and all it starts, into an environment of its own below `folder`. */
export function enterOwnEnvironment(folder) {
  const own = ownEnvironment(process.env, folder);
  for (const name of Object.keys(process.env)) if (!(name in own)) delete process.env[name];
  Object.assign(process.env, own);
}
