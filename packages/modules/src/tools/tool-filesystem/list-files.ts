import type { Dirent } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Tool } from '@amplifier/core';
import { checkGrant, type Grant, listInside } from '@amplifier/workspace';
import { z } from 'zod';
import { LIST_DEPTH, LIST_ENTRIES } from '../defaults.js';
import { defineTool } from '../define-tool.js';
import { ToolError } from '../tool-error.js';
import type { FileAccess } from './file-access.js';

const Input = z.object({
  path: z.string().default('.').describe('Absolute, or relative to the working folder'),
  depth: z.number().int().positive().max(LIST_DEPTH).default(1).describe('How many levels to go down'),
});

export function listFilesTool(access: FileAccess): Tool {
  return defineTool({
    name: 'list_files',
    description: 'List a folder. Folders end with /, symbolic links with @. To find files by name, use glob.',
    input: Input,
    async run({ path, depth }, context) {
      const root = await access.resolve(context, 'read', path);
      if (!(await stat(root)).isDirectory())
        throw new ToolError('WRONG_KIND', `'${path}' is a file. Read it with read_file.`);
      const entries = await walk(root, depth, await access.grant(context));
      const shown = entries.slice(0, LIST_ENTRIES);
      return {
        path,
        entries: shown,
        ...(entries.length > LIST_ENTRIES ? { truncated_at: LIST_ENTRIES } : {}),
      };
    },
  });
}

/** Breadth first, so that a cut listing shows the upper levels. Links are named, not followed. */
async function walk(root: string, depth: number, grant: Grant): Promise<string[]> {
  const found: string[] = [];
  let level = [root];
  for (let down = 0; down < depth && level.length > 0; down++) {
    const next: string[] = [];
    for (const folder of level) {
      if (found.length > LIST_ENTRIES) return found;
      const entries = await entriesOf(folder, grant, folder === root);
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const path = join(folder, entry.name);
        const isOpen = checkGrant(grant, { kind: 'read', path }).allowed;
        found.push(relative(root, path) + (entry.isDirectory() ? '/' : entry.isSymbolicLink() ? '@' : ''));
        if (entry.isDirectory() && isOpen) next.push(path);
      }
    }
    level = next;
  }
  return found;
}

/** A folder below the one asked for that cannot be read, or has become a link, is named by its parent and passed over. */
async function entriesOf(folder: string, grant: Grant, mustRead: boolean): Promise<Dirent[]> {
  try {
    return await listInside(grant, folder);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!mustRead && UNREADABLE.includes(code)) return [];
    throw error;
  }
}

const UNREADABLE = ['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'PATH_CHANGED'];
