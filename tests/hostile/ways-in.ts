import { readdir } from 'node:fs/promises';
import type { WayIn } from './way-in.js';

const FOLDER = new URL('./ways-in/', import.meta.url);

/** Every way in there is: the files of `ways-in/`, in order of name. */
export async function waysIn(): Promise<WayIn[]> {
  const files = (await readdir(FOLDER)).filter((name) => /^[\w-]+\.(ts|js)$/.test(name)).sort();
  const loaded = await Promise.all(
    files.map(async (file) => (await import(new URL(file, FOLDER).href)) as { default: WayIn }),
  );
  return loaded.map((module) => module.default);
}
