import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { escapeGlob } from '@amplifier/core';
import { isWithin } from '@amplifier/workspace';
import { SEARCH_MAX_FILE_BYTES } from '../defaults.js';
import { ToolError } from '../tool-error.js';
import type { FoundLine, GrepRequest, SearchEngine, SearchPlace } from './search-engine.js';

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

export function ripgrepEngine(program: string): SearchEngine {
  return {
    async *files(place) {
      const { cwd, target, rules } = await placed(place);
      const args = ['--files', '--null', ...RULES, ...rules, '--', target];
      yield* pathsOf(run(program, args, cwd, place.signal, '\0'));
    },
    async *grep(request) {
      const { cwd, target, rules } = await placed(request);
      const args = [
        '--json',
        '--crlf',
        `--max-filesize=${SEARCH_MAX_FILE_BYTES}`,
        `--context=${request.context}`,
        ...(request.case_insensitive ? ['--ignore-case'] : []),
        ...RULES,
        ...rules,
        `--regexp=${request.pattern}`,
        '--',
        target,
      ];
      yield* linesOf(run(program, args, cwd, request.signal, '\n'), request);
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

interface RipgrepEvent {
  type: 'begin' | 'match' | 'context' | 'end' | 'summary';
  data: { path: RipgrepText; lines: RipgrepText; line_number: number; binary_offset?: number | null };
}
type RipgrepText = { text: string } | { bytes: string };

/** A file is passed on when its end is known: one that turns out to be binary has no lines worth showing. */
async function* linesOf(events: AsyncIterable<string>, { wanted }: GrepRequest): AsyncGenerator<FoundLine> {
  let found: FoundLine[] = [];
  for await (const json of events) {
    const { type, data } = JSON.parse(json) as RipgrepEvent;
    if (type === 'begin') found = [];
    if (type === 'match' || type === 'context') {
      const path = textOf(data.path).replace(/^\.\//, '');
      const text = textOf(data.lines).replace(/\r?\n$/, '');
      if (wanted(path)) found.push({ path, line: data.line_number, text, match: type === 'match' });
    }
    if (type === 'end' && data.binary_offset == null) yield* found;
  }
}

function textOf(value: RipgrepText): string {
  return 'text' in value ? value.text : Buffer.from(value.bytes, 'base64').toString('utf8');
}

/** The records the program prints. It is gone when the iteration is, however that ends. */
async function* run(
  program: string,
  args: string[],
  cwd: string,
  signal: AbortSignal,
  separator: '\n' | '\0',
): AsyncGenerator<string> {
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '' },
  });
  const exited = once(child, 'close') as Promise<[number | null]>;
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
    yield* separator === '\n' ? createInterface({ input: child.stdout }) : split(child.stdout, separator);
    const [code] = await exited;
    signal.throwIfAborted();
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
