import { access, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isWithin } from '../documents/confined-path.js';
import type { Places } from '../documents/file-memo.js';

/** A file with instructions for whoever works here. */
export interface InstructionFile {
  path: string;
  /** Whose: the person's own, or the project's. */
  origin: 'user' | 'project';
  /** The folder that it and its imports must stay in, links followed; null for the person's own. */
  root: string | null;
}

export interface InstructionPlaces {
  /** The folder the session works in. */
  cwd: string;
  /** The person's home folder. */
  home: string;
  /** Our folder in it; null where the person's own instructions do not count. */
  amplifierHome: string | null;
  /** Gets every path that is looked at. */
  places?: Places;
}

/** In one folder, in this order: what comes later is said last, so ours wins. */
const NAMES = ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md', '.amplifier/AGENTS.md'];

/** The person's own in the home folder, those for other tools. */
const OWN = ['.claude/CLAUDE.md', '.config/opencode/AGENTS.md', '.codex/AGENTS.md'];

/**
 * The instruction files that apply in a folder, the most general first: the person's own, then those from the repository's root
 * down to the folder. Outside a repository only the folder itself counts.
 */
export async function findInstructions({
  cwd,
  home,
  amplifierHome,
  places = new Set(),
}: InstructionPlaces): Promise<InstructionFile[]> {
  const own =
    amplifierHome === null ? [] : [...OWN.map((name) => join(home, name)), join(amplifierHome, 'AGENTS.md')];
  const folder = await realpath(cwd);
  const root = (await repositoryRoot(folder, await realpath(home).catch(() => home), places)) ?? folder;
  const candidates: InstructionFile[] = [
    ...own.map((path): InstructionFile => ({ path, origin: 'user', root: null })),
    ...foldersBetween(root, folder).flatMap((place) =>
      NAMES.map((name): InstructionFile => ({ path: join(place, name), origin: 'project', root })),
    ),
  ];
  const found = await Promise.all(
    candidates.map(async (file) => ((await exists(file.path, places)) ? [file] : [])),
  );
  return found.flat();
}

/** The nearest folder above with a `.git`. A repository that is the whole home is no project. */
async function repositoryRoot(folder: string, home: string, places: Places): Promise<string | null> {
  for (let place = folder; ; place = dirname(place)) {
    if (place === home && place !== folder) return null;
    if (await exists(join(place, '.git'), places)) return place;
    if (place === dirname(place)) return null;
  }
}

function foldersBetween(root: string, folder: string): string[] {
  const folders: string[] = [];
  for (let place = folder; isWithin(root, place); place = dirname(place)) {
    folders.unshift(place);
    if (place === root) break;
  }
  return folders;
}

function exists(path: string, places: Places): Promise<boolean> {
  places.add(path);
  return access(path).then(
    () => true,
    () => false,
  );
}
