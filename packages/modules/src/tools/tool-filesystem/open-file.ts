import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { AmplifierError, closestNames, type ToolContext } from '@amplifier/core';
import { listInside, openInside } from '@amplifier/workspace';
import { placeNamed, workingDirOf } from '../session-grant.js';
import { ToolError } from '../tool-error.js';
import type { FileAccess } from './file-access.js';

/** Opens an existing file to read. A name that is not there is answered with those that are like it. */
export async function openFile(access: FileAccess, context: ToolContext, path: string): Promise<FileHandle> {
  const grant = await access.grant(context);
  try {
    return await openInside(grant, 'read', placeNamed(context, 'read', path), { cwd: workingDirOf(context) });
  } catch (error) {
    if (AmplifierError.is(error) && error.code === 'NOT_A_FILE')
      throw new ToolError('WRONG_KIND', `'${path}' is not a regular file. List a folder with list_files.`, {
        cause: error,
      });
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ToolError(
      'NOT_FOUND',
      `There is no file '${path}'.${await suggestion(access, context, path)}`,
      { cause: error },
    );
  }
}

async function suggestion(access: FileAccess, context: ToolContext, path: string): Promise<string> {
  try {
    const folder = dirname(await access.resolve(context, 'read', path));
    const names = (await listInside(await access.grant(context), folder)).map((entry) => entry.name);
    const [name] = closestNames(basename(path), names);
    return name === undefined ? '' : ` Did you mean '${name}' in the same folder?`;
  } catch {
    return ''; // Without a folder to look into there is nothing to suggest; the refusal itself is what counts.
  }
}
