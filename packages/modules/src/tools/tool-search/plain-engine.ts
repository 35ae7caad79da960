import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AmplifierError, loadPatterns, type PatternCompiler } from '@amplifier/core';
import { type Grant, openInside } from '@amplifier/workspace';
import { SEARCH_MAX_FILE_BYTES } from '../defaults.js';
import { ToolError } from '../tool-error.js';
import type { FoundLine, GrepRequest, SearchEngine } from './search-engine.js';
import { walkTree } from './walk-tree.js';

/** The search without ripgrep. */
export const plainEngine: SearchEngine = {
  async *files({ root, grant, signal }) {
    yield* walkTree(root, grant, signal);
  },
  async *grep(request) {
    yield* grepFiles(walkTree(request.root, request.grant, request.signal), request);
  },
};

/** The lines of these files that match. Each file is opened with the rights of the session and without following links. */
export async function* grepFiles(
  paths: AsyncIterable<string>,
  { root, grant, pattern, case_insensitive, context, wanted }: GrepRequest,
): AsyncGenerator<FoundLine> {
  const expression = await compile(pattern, case_insensitive);
  const base = (await stat(root)).isDirectory() ? root : dirname(root);
  for await (const path of paths) {
    if (!wanted(path)) continue;
    const text = await readText(join(base, path), grant);
    if (text !== null) yield* grepText(path, text, expression, context);
  }
}

type Pattern = ReturnType<PatternCompiler>;

async function compile(pattern: string, ignoreCase: boolean): Promise<Pattern> {
  const compilePattern = await loadPatterns();
  try {
    return compilePattern(pattern, { ignoreCase });
  } catch (cause) {
    throw new ToolError('INVALID_PATTERN', `${(cause as Error).message}.`, { cause });
  }
}

/** Null for what is not looked into: gone, unreadable, too large, or binary. */
async function readText(path: string, grant: Grant): Promise<string | null> {
  try {
    const file = await openInside(grant, 'read', path, { cwd: dirname(path) });
    try {
      if ((await file.stat()).size > SEARCH_MAX_FILE_BYTES) return null;
      const bytes = await file.readFile();
      return bytes.includes(0) ? null : bytes.toString('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (AmplifierError.is(error) || typeof (error as NodeJS.ErrnoException).errno === 'number') return null;
    throw error;
  }
}

function* grepText(path: string, text: string, expression: Pattern, context: number): Generator<FoundLine> {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  let shown = -1;
  for (const [index, line] of lines.entries()) {
    if (!expression.test(line)) continue;
    const from = Math.max(shown + 1, index - context);
    const to = Math.min(lines.length - 1, index + context);
    for (let at = from; at <= to; at++) {
      const isMatch = at === index || (at > index && expression.test(lines[at] as string));
      if (at > index && isMatch) break;
      yield { path, line: at + 1, text: lines[at] as string, match: isMatch };
      shown = at;
    }
  }
}
