import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { escapeGlob } from '@amplifier/core';
import { isWithin } from '@amplifier/workspace';
import { RIPGREP_MAX_KIB, SEARCH_MAX_FILE_BYTES } from '../defaults.js';
import { ToolError } from '../tool-error.js';
import { grepFiles, plainEngine } from './plain-engine.js';
import type { SearchEngine, SearchPlace } from './search-engine.js';
import { hasUnusableIgnoreFile } from './walk-tree.js';

/** Only .gitignore counts, whether or not the tree is a repository, and the user's own settings do not. */
const RULES = [
  '--no-config',
  '--hidden',
  '--no-require-git',
  '--no-ignore-dot',
  '--no-ignore-exclude',
  '--no-ignore-global',
  '--no-messages',
  '--sort=path',
  '--glob=!.git',
];

/** Ripgrep reads every .gitignore whatever it is, so a tree in which one is no ordinary file is searched by ourselves. */
export function ripgrepEngine(program: string): SearchEngine {
  return {
    async *files(place) {
      if (await hasUnusableIgnoreFile(place.root, place.grant, place.signal))
        return yield* plainEngine.files(place);
      const { cwd, target, rules } = await placed(place);
      const args = ['--files', '--null', ...RULES, ...rules, '--', target];
      yield* pathsOf(run(program, args, cwd, place.signal));
    },
    // The program only narrows down which files to look into: it opens them by name, and a command may replace one by a link to a
    // secret meanwhile. What is found is read by ourselves.
    async *grep(request) {
      if (await hasUnusableIgnoreFile(request.root, request.grant, request.signal))
        return yield* plainEngine.grep(request);
      const { cwd, target, rules } = await placed(request);
      const args = [
        '--files-with-matches',
        '--null',
        '--crlf',
        `--max-filesize=${SEARCH_MAX_FILE_BYTES}`,
        ...(request.case_insensitive ? ['--ignore-case'] : []),
        ...RULES,
        ...rules,
        `--regexp=${request.pattern}`,
        '--',
        target,
      ];
      yield* grepFiles(pathsOf(run(program, args, cwd, request.signal)), request);
    },
  };
}

/** Runs in the root, so that patterns beginning with / are meant from there. */
async function placed({
  root,
  grant,
}: SearchPlace): Promise<{ cwd: string; target: string; rules: string[] }> {
  if (!(await stat(root)).isDirectory())
    return { cwd: dirname(root), target: `./${basename(root)}`, rules: [] };
  const denied = grant.read.deny.filter((path) => path !== root && isWithin(root, path));
  return {
    cwd: root,
    target: './',
    rules: denied.map((path) => `--glob=!/${escapeGlob(relative(root, path))}`),
  };
}

async function* pathsOf(paths: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const path of paths) yield path.replace(/^\.\//, '');
}

/** The paths that the program prints. It is gone when the iteration is, however that ends. */
async function* run(
  program: string,
  args: string[],
  cwd: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  // Where the shell knows no such limit, the time limit of the search remains.
  const limited = `ulimit -v ${RIPGREP_MAX_KIB} 2>/dev/null; exec "$@"`;
  const child = spawn('/bin/sh', ['-c', limited, 'sh', program, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '' },
  });
  const exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  // Whoever leaves early does not wait for it; the failure to start is still told below.
  exited.catch(() => {});
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint = (complaint + chunk).slice(0, 2000);
  });
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  try {
    yield* split(child.stdout, '\0');
    const [code, endedBy] = await exited;
    signal.throwIfAborted();
    if (endedBy !== null || (code !== null && code > 2))
      throw new ToolError(
        'IO_FAILED',
        `ripgrep ended before it had searched everything (${complaint.trim() || (endedBy ?? `exit code ${code}`)}). Search a smaller folder.`,
      );
    if (code === 2)
      throw new ToolError(
        'INVALID_PATTERN',
        `The search failed: ${complaint.trim() || 'no reason was given'}.`,
      );
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
    await exited.catch(() => {});
  }
}

async function* split(stream: AsyncIterable<Buffer>, separator: string): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(separator);
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') yield rest;
}
