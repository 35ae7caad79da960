import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { closestNames } from '@amplifier/core';
import { readTextFile } from '../documents/read-text-file.js';
import { FoundationError } from '../errors.js';
import { parseMatrix, type RoutingMatrix } from './routing-matrix.js';

const MATRIX_NAME = /^[\w][\w.-]*$/;

/** Reads `<name>.yaml` from the first folder that has it. Folders that are not there are passed over. */
export async function loadMatrix(name: string, folders: readonly string[]): Promise<RoutingMatrix> {
  if (!MATRIX_NAME.test(name)) throw notFound(name, folders, []);
  for (const folder of folders) {
    for (const ending of ['.yaml', '.yml']) {
      const file = join(folder, `${name}${ending}`);
      const text = await readTextFile(file).catch((error: FoundationError) => {
        if (error.code === 'FILE_NOT_FOUND') return null;
        throw error;
      });
      if (text !== null) return parseMatrix(text, file);
    }
  }
  throw notFound(name, folders, await listMatrices(folders));
}

/** The names there are, in order of folder, then of name. */
export async function listMatrices(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  const names = found.flatMap((files) =>
    files
      .filter((file) => ['.yaml', '.yml'].includes(extname(file)))
      .map((file) => file.slice(0, -extname(file).length))
      .sort(),
  );
  return [...new Set(names)];
}

function notFound(name: string, folders: readonly string[], known: string[]): FoundationError {
  const [guess] = closestNames(name, known);
  const hint = guess ? `Did you mean '${guess}'?` : `There are: ${known.join(', ') || 'none'}.`;
  return new FoundationError(
    `No routing matrix is called '${name}' in ${folders.join(', ') || 'any folder'}. ${hint}`,
    {
      code: 'MATRIX_NOT_FOUND',
    },
  );
}
