import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Where a command is, by the search path; null when it is nowhere. */
export async function findProgram(program: string, path: string, cwd: string): Promise<string | null> {
  if (program.includes('/')) return (await isProgram(resolve(cwd, program))) ? resolve(cwd, program) : null;
  for (const folder of path.split(delimiter)) {
    if (isAbsolute(folder) && (await isProgram(join(folder, program)))) return join(folder, program);
  }
  return null;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
