import { readFile } from 'node:fs/promises';

/** Logged when it has finished. */
export const CODE_LOADED = 'code of runs loaded';

/**
 * Loads what the bundled program imports on demand (`scripts/lib/bundle-cli.mjs` lists it). Node keeps the failure of an import for the
 * life of the process, so an import that failed because too many files were open would fail in every later run.
 */
export async function loadLazyChunks(): Promise<void> {
  // Missing where the sources are run without a bundle.
  const list = await readFile(new URL('./lazy-chunks.json', import.meta.url), 'utf8').catch(() => '[]');
  for (const name of JSON.parse(list) as string[]) {
    // A library for another system cannot be loaded here, and is not needed.
    await import(new URL(name, import.meta.url).href).catch(() => {});
  }
}
