import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { confinedPath } from '../documents/confined-path.js';
import type { Places } from '../documents/file-memo.js';
import { fileError } from '../documents/read-text-file.js';

/** A folder of agent files. */
export interface AgentSearchPath {
  path: string;
  /** Shown to people: `user`, `project`, the name of a bundle. */
  origin: string;
  /** Agents of this folder may be asked for as `namespace:name` too. */
  namespace?: string;
  /** Where a bundle's own paths start: `namespace:experts/name` is looked for here too. */
  root?: string;
  /** How the names of its files end. Default: `.md`. */
  extension?: string;
  /** For folders whose files say themselves what they are called; null where one does not, false where it is no agent. Default: by the name of the file. */
  nameIn?: (file: string) => Promise<string | null | false>;
  /** For a file that holds several agents: their names. Each goes by its name below the file's path. */
  namesIn?: (file: string) => Promise<string[]>;
  /** The folder no file may lead out of, symbolic links followed. For folders whose author is not the user. */
  confine_to?: string | undefined;
}

export interface FoundAgentFile {
  /** The name it is asked for by: without its ending, folders with `/`; or what the file says, where that counts. */
  name: string;
  path: string;
}

/** How the names of agent files end, but for some of other tools. */
export const AGENT_FILES = '.md';

/** Deep enough for folders by theme, shallow enough that a stray tree costs nothing. */
const MAX_DEPTH = 3;

/**
 * The agent files of a folder in order of name. A folder that is not there holds none. Links to folders are not followed, nor
 * links that lead out of what the folder is confined to. `places` gets every path that is looked at.
 */
export async function listAgentFiles(
  { path, confine_to, extension = AGENT_FILES, nameIn, namesIn }: AgentSearchPath,
  places: Places = new Set(),
): Promise<FoundAgentFile[]> {
  places.add(path);
  const stays = (place: string) =>
    confine_to === undefined ||
    confinedPath(confine_to, place).then(
      () => true,
      () => false,
    );
  if (namesIn) {
    const names = (await stays(path)) ? await namesIn(path) : [];
    return names.sort().map((name) => ({ name, path: join(path, name) }));
  }
  // The folder itself may be a link, to where a walk would take for ever.
  const found = (await stays(path)) ? await walk(path, extension, places) : [];
  for (const file of found) places.add(file.path);
  const kept = await Promise.all(found.map((file) => stays(file.path)));
  const inside = found.filter((_, index) => kept[index]);
  const files = nameIn ? await Promise.all(inside.map((file) => named(file, nameIn))) : [inside];
  return files.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function named(
  file: FoundAgentFile,
  nameIn: NonNullable<AgentSearchPath['nameIn']>,
): Promise<FoundAgentFile[]> {
  const name = await nameIn(file.path);
  return name === false ? [] : [{ ...file, name: name ?? file.name }];
}

async function walk(
  folder: string,
  extension: string,
  places: Places,
  prefix = '',
  depth = 1,
): Promise<FoundAgentFile[]> {
  places.add(folder);
  const entries = await entriesOf(folder);
  const below = await Promise.all(
    entries.map(async (entry) => {
      if (entry.name.startsWith('.') || entry.name === 'README.md') return [];
      const path = join(folder, entry.name);
      if (entry.isDirectory())
        return depth < MAX_DEPTH ? walk(path, extension, places, `${prefix}${entry.name}/`, depth + 1) : [];
      if (!entry.name.endsWith(extension) || !(entry.isFile() || entry.isSymbolicLink())) return [];
      return [{ name: `${prefix}${entry.name.slice(0, -extension.length)}`, path }];
    }),
  );
  return below.flat();
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw fileError(error, folder);
  }
}
