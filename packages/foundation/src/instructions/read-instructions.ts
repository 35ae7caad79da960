import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { errorInfo } from '@amplifier/core';
import { expandHome } from '../agents/agent-search-order.js';
import { MAX_IMPORT_DEPTH, MAX_INSTRUCTION_BYTES } from '../defaults.js';
import { isWithin } from '../documents/confined-path.js';
import type { Places } from '../documents/file-memo.js';
import { readTextFile } from '../documents/read-text-file.js';
import { findMentions } from '../mentions/find-mentions.js';
import type { InstructionFile } from './find-instructions.js';

interface ReadInstruction {
  path: string;
  origin: InstructionFile['origin'];
  content: string;
}

export interface Instructions {
  /** Each text once, in order; what a file imports stands before it. */
  files: ReadInstruction[];
  /** What was left out, and why. */
  dropped: { path: string; why: string }[];
}

/**
 * Reads instruction files with what they import (`@path`, beside the file or from the home). A project's files import only from
 * their repository. Never rejects: a file that cannot be read, or no longer fits, is dropped with the reason. `places` gets every path
 * that is looked at.
 */
export async function readInstructions(
  found: readonly InstructionFile[],
  {
    home = homedir(),
    maxBytes = MAX_INSTRUCTION_BYTES,
    places = new Set(),
  }: { home?: string; maxBytes?: number; places?: Places } = {},
): Promise<Instructions> {
  const files: ReadInstruction[] = [];
  const dropped: Instructions['dropped'] = [];
  const seen = new Set<string>();
  let left = maxBytes;
  for (const file of found) await read(file, 1);
  return { files, dropped };

  async function read(file: InstructionFile, depth: number): Promise<void> {
    const { path, origin, root } = file;
    places.add(path);
    try {
      const real = await realpath(path);
      if (seen.has(real)) return;
      seen.add(real);
      if (root !== null && !isWithin(await realpath(root), real)) throw new Error(`It leads out of ${root}.`);
      if (!(await stat(real)).isFile()) throw new Error('It is not a regular file.');
      const content = (await readTextFile(real, maxBytes)).trim();
      const size = Buffer.byteLength(content);
      if (size > left) throw new Error(`All instructions together may have ${maxBytes} bytes.`);
      left -= size;
      if (depth <= MAX_IMPORT_DEPTH)
        for (const target of importsOf(content, path, home)) await readImport(file, target, depth);
      if (content !== '' && !files.some((other) => other.content === content))
        files.push({ path, origin, content });
    } catch (error) {
      dropped.push({ path, why: errorInfo(error).message });
    }
  }

  /** Many an @word is no import: only what leads to a file is one. */
  async function readImport({ origin, root }: InstructionFile, path: string, depth: number): Promise<void> {
    places.add(path);
    const there = await stat(path).catch(() => null);
    if (there?.isFile()) await read({ path, origin, root }, depth + 1);
  }
}

function importsOf(content: string, from: string, home: string): string[] {
  return findMentions(content).map((mention) => resolve(dirname(from), expandHome(mention, home)));
}
