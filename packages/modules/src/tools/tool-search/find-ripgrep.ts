import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/** The `rg` of the search path, or null. Relative entries do not count: the working folder must not choose our programs. */
export async function findRipgrep(searchPath = process.env.PATH ?? ''): Promise<string | null> {
  for (const folder of searchPath.split(delimiter).filter(isAbsolute)) {
    const program = join(folder, process.platform === 'win32' ? 'rg.exe' : 'rg');
    try {
      await access(program, constants.X_OK);
      return program;
    } catch {
      // Not here; the next folder may have it.
    }
  }
  return null;
}
