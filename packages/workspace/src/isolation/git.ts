import { spawn } from 'node:child_process';
import { programPath } from '@amplifier/core';
import { GIT_LIMIT_MS } from '../defaults.js';
import { commandEnv } from '../processes/command-env.js';
import { WorkspaceError } from '../workspace-error.js';

export interface GitOptions {
  cwd: string;
  env?: NodeJS.ProcessEnv | undefined;
  input?: string | Buffer | undefined;
  /** Git waits for ever where a pipe is in the place of a `.gitignore`. */
  limitMs?: number | undefined;
}

/**
 * Nothing a repository's own settings name is run: hooks and file system monitors are commands, and the repository may be
 * anybody's. Names are taken as the bytes they are.
 */
const SETTINGS = [
  // Only a repository with a `.git`, or one that we name: a session can make a folder look like one.
  'safe.bareRepository=explicit',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'core.protectNTFS=false',
  'core.protectHFS=false',
  'core.autocrlf=false',
  'diff.external=',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

/** Runs git and returns what it printed. Throws `GIT_FAILED` with what it said. */
export async function runGit(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { cwd, env, input, limitMs = GIT_LIMIT_MS } = options;
  const child = spawn('git', [...SETTINGS, ...args], {
    cwd,
    env: { ...gitEnv(cwd), ...env },
    stdio: 'pipe',
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const output: Buffer[] = [];
  const complaint: Buffer[] = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => complaint.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const failure = await new Promise<string | null>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code === 0 ? null : `it ended with ${signal ?? code}`));
  });
  if (child.killed)
    throw new WorkspaceError(
      `git ${args[0]} did not finish within ${limitMs} ms in ${cwd} and was ended. Look for a pipe in the place of a .gitignore or .gitattributes file.`,
      { code: 'GIT_FAILED' },
    );
  if (failure === null) return Buffer.concat(output);
  const said = Buffer.concat(complaint).toString().trim();
  throw new WorkspaceError(`git ${args[0]} failed in ${cwd}: ${said || failure}`, { code: 'GIT_FAILED' });
}

/** Like `runGit`, as trimmed text. */
export async function askGit(args: readonly string[], options: GitOptions): Promise<string> {
  return (await runGit(args, options)).toString().trim();
}

/** Splits `-z` output into names, one character for each byte. */
export function splitNames(output: Buffer): string[] {
  return output.toString('latin1').split('\0').filter(Boolean);
}

/** As any command's: no `GIT_DIR` or `GIT_INDEX_FILE` that a hook we were started from has set, and no secret for a filter. */
function gitEnv(cwd: string): NodeJS.ProcessEnv {
  return {
    ...commandEnv(),
    PATH: programPath(process.env.PATH, cwd),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    // A repository that says its objects are elsewhere would have them fetched, by a command that it names.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    LC_ALL: 'C',
  };
}
