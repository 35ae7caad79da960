import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { closestNames, redactText } from '@amplifier/core';
import { FoundationError, type FoundationErrorCode } from '../errors.js';
import { runCommand } from './run-command.js';
import type { FetchContext, SourceFetcher } from './source-fetcher.js';
import type { SourceUri } from './source-uri.js';
import { watchSize } from './watch-size.js';

const COMMIT = /^[0-9a-f]{40}$/;
/** What a repository may call a commit. Anything else in a listing could be taken for an option. */
const LISTED = /^[0-9a-f]{40,64}$/;
const SHORT_COMMIT = /^(?=.*[0-9])[0-9a-f]{7,39}$/;

/** No prompt, no hook, no submodule, no large-file download: a fetch takes what the commit holds and asks nobody. */
const SAFE_CONFIG = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'credential.interactive=false',
  'protocol.ext.allow=never',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'advice.detachedHead=false',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

const SAFE_ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GCM_INTERACTIVE: 'never',
  GIT_LFS_SKIP_SMUDGE: '1',
  LC_ALL: 'C',
  /** A git that runs inside a hook of another must not take that repository for its own. */
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
};

/** `git+https://…@ref`, `git+ssh`, `git+file`: one commit, without history. */
export const gitFetcher: SourceFetcher = {
  schemes: ['git+https', 'git+ssh', 'git+file'],

  async revision(source, context) {
    const { location, ref } = source;
    await context.checkUrl(new URL(location));
    if (ref && COMMIT.test(ref)) return ref;
    const names = ref ? [`refs/heads/${ref}`, `refs/tags/${ref}^{}`, `refs/tags/${ref}`, ref] : ['HEAD'];
    const commits = parseRefs(await git(['ls-remote', '--', location, ...names], source, context));
    const commit = names.map((name) => commits.get(name)).find((found) => found !== undefined);
    if (commit) return commit;
    throw await refNotFound(source, context);
  },

  async fetch(source, revision, folder, context) {
    await context.checkUrl(new URL(source.location));
    const watch = watchSize(folder, context, source.text);
    try {
      const inFolder = (args: string[]) => git(args, source, watch.context, folder);
      await inFolder(['init', '--quiet', '.']);
      await fetchCommit(source, revision, inFolder);
      await inFolder(['checkout', '--quiet', '--detach', revision]);
      await rm(join(folder, '.git'), { recursive: true, force: true });
      await watch.check();
    } finally {
      watch.stop();
    }
  },
};

/** The one commit where the server gives it out, else everything: an older server only gives what a branch or tag names. */
async function fetchCommit(
  { location }: SourceUri,
  revision: string,
  run: (args: string[]) => Promise<string>,
): Promise<void> {
  const options = ['fetch', '--quiet', '--progress', '--no-tags', '--no-recurse-submodules'];
  try {
    await run([...options, '--depth=1', '--', location, revision]);
  } catch (error) {
    if (!(error instanceof FoundationError) || error.code !== 'SOURCE_FAILED') throw error;
    await run([...options, '--', location, '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']);
  }
}

async function git(
  args: string[],
  source: SourceUri,
  context: FetchContext,
  ownFolder?: string,
): Promise<string> {
  const cwd = ownFolder ?? (await context.programFolder());
  const file = source.scheme === 'git+file' ? ['-c', 'protocol.file.allow=always'] : [];
  const ssh = { GIT_SSH_COMMAND: context.environment.GIT_SSH_COMMAND ?? 'ssh -o BatchMode=yes' };
  const environment = {
    ...context.environment,
    ...SAFE_ENVIRONMENT,
    ...ssh,
    // The settings of a repository that encloses the folder do not count.
    GIT_CEILING_DIRECTORIES: dirname(cwd),
  };
  const { exit_code, stdout, stderr } = await runCommand(
    'git',
    [...SAFE_CONFIG, ...file, ...args],
    { ...context, environment },
    { cwd, onStderr: (text) => reportProgress(text, context) },
  ).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new FoundationError(
      'git is not installed, and sources that begin with git+ need it. Install git.',
      {
        code: 'SOURCE_FAILED',
        origin: source.text,
      },
    );
  });
  if (exit_code === 0) return stdout;
  throw gitError(source, stderr);
}

function reportProgress(text: string, { onProgress }: FetchContext): void {
  // The end of it will do; whoever is asked says what stands there.
  const last = [...text.slice(-200).matchAll(/([A-Z][A-Za-z ]+):\s+(\d+)%/g)].at(-1);
  if (last) onProgress({ phase: last[1] ?? 'Fetching', percent: Number(last[2]) });
}

const SIGNS: [RegExp, FoundationErrorCode, string][] = [
  [
    /could not resolve host|unable to access|failed to connect|connection (refused|timed out|reset)|network is unreachable|early eof/i,
    'SOURCE_UNREACHABLE',
    'Check the network and the address.',
  ],
  [
    /authentication failed|could not read (username|password)|permission denied|terminal prompts disabled|invalid credentials/i,
    'SOURCE_FAILED',
    'Give git access to it (a credential helper or an SSH key), or check the address.',
  ],
  [
    /repository .*not found|does not appear to be a git repository|does not exist|no such file/i,
    'SOURCE_NOT_FOUND',
    'Check the address.',
  ],
];

function gitError({ text, location }: SourceUri, stderr: string): FoundationError {
  const end = stderr.trim().split('\n').slice(-3).join(' ').slice(-1_000);
  const said = redactText(end).replace(/[.\s]*$/, '');
  const [, code, remedy] = SIGNS.find(([sign]) => sign.test(stderr)) ?? [
    null,
    'SOURCE_FAILED' as const,
    'Try the same with git itself to see more.',
  ];
  return new FoundationError(`git cannot fetch ${redactText(location)}: ${said}. ${remedy}`, {
    code,
    origin: redactText(text),
    retryable: code === 'SOURCE_UNREACHABLE',
  });
}

async function refNotFound(source: SourceUri, context: FetchContext): Promise<FoundationError> {
  const { ref, location, text } = source;
  if (!ref) {
    return new FoundationError(`${redactText(location)} has no commits. Push one, or name a branch.`, {
      code: 'SOURCE_REF_NOT_FOUND',
      origin: redactText(text),
    });
  }
  const all = parseRefs(await git(['ls-remote', '--heads', '--tags', '--', location], source, context));
  const names = [...all.keys()].map((name) =>
    name.replace(/^refs\/(heads|tags)\//, '').replace(/\^\{\}$/, ''),
  );
  const guesses = closestNames(ref, new Set(names));
  const hint = SHORT_COMMIT.test(ref)
    ? 'A commit must be given with all its 40 digits.'
    : guesses.length > 0
      ? `Did you mean ${guesses.map((guess) => `'${guess}'`).join(' or ')}?`
      : `It has: ${[...new Set(names)].slice(0, 10).join(', ') || 'no branch and no tag'}.`;
  return new FoundationError(`${redactText(location)} has no branch, tag or commit '${ref}'. ${hint}`, {
    code: 'SOURCE_REF_NOT_FOUND',
    origin: redactText(text),
  });
}

function parseRefs(listing: string): Map<string, string> {
  const lines = listing.split('\n').map((line) => line.trim().split(/\s+/));
  return new Map(
    lines.flatMap(([commit, name]) => (commit && LISTED.test(commit) && name ? [[name, commit]] : [])),
  );
}
