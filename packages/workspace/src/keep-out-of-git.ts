import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from './workspace-error.js';

/** A home of ours may lie in a repository; what is in it must never be staged. */
export async function keepOutOfGit(folder: string): Promise<void> {
  try {
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    // A home that cannot be written holds nothing of ours yet; whoever writes there next says so.
    if (!['EEXIST', 'ENOENT', 'EROFS', 'EACCES'].includes(errnoOf(error) ?? '')) throw error;
  }
}
