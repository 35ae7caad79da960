import { readFile, stat } from 'node:fs/promises';
import { homedir, release, type as systemType } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Clock, isoTime } from '@amplifier/core';
import type { ContextFiles } from '@amplifier/delegation';
import {
  FileMemo,
  findInstructions,
  type Instructions,
  type Places,
  readInstructions,
} from '@amplifier/foundation';

/** What a session learns of the folder it works in. */
interface FolderContext {
  /** For the system prompt. */
  text: string;
  /** For the context manifest. */
  files: ContextFiles;
}

export type FolderContextOf = (cwd: string) => Promise<FolderContext>;

/** Reads the instructions of a folder, and with `amplifierHome` the person's own, and says where and when the session works. */
export function folderContexts(clock: Clock, amplifierHome: string | null): FolderContextOf {
  const memo = new FileMemo<FolderFiles>(() => clock.now());
  return async (cwd) => {
    const files = await memo.get(cwd, (places) => readFolder(cwd, amplifierHome, places));
    return contextOf(cwd, clock, files);
  };
}

interface FolderFiles extends Instructions {
  git: string;
}

async function readFolder(cwd: string, amplifierHome: string | null, places: Places): Promise<FolderFiles> {
  const home = homedir();
  const found = await findInstructions({ cwd, home, amplifierHome, places });
  const instructions = await readInstructions(found, { home, places });
  return { ...instructions, git: await gitState(cwd, places) };
}

function contextOf(cwd: string, clock: Clock, { files, dropped, git }: FolderFiles): FolderContext {
  const environment = [
    `Date: ${isoTime(clock).slice(0, 10)}`,
    `Folder: ${cwd}`,
    `System: ${systemType()} ${release()}`,
    `Git: ${git}`,
  ];
  return {
    text: [...files.map(block), ['<environment>', ...environment, '</environment>'].join('\n')].join('\n\n'),
    files: {
      passed: files.map(({ path, origin, content }) => ({ path, origin, characters: content.length })),
      dropped,
    },
  };
}

function block({ path, origin, content }: Instructions['files'][number]): string {
  const whose = origin === 'user' ? 'the person you work for' : 'this project';
  const name = path.replaceAll('"', '&quot;');
  return `<instructions from="${name}" by="${whose}">\n${content}\n</instructions>`;
}

/** From git's own files: a program would run what the repository configures. */
async function gitState(cwd: string, places: Places): Promise<string> {
  const folder = await gitFolder(cwd, places);
  if (folder === null) return 'not a repository';
  for (const name of ['HEAD', ...Object.keys(UNDER_WAY)]) places.add(join(folder, name));
  const head = (await smallFile(join(folder, 'HEAD'))).trim();
  const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? [];
  const place = branch ? `on branch ${branch}` : `at commit ${head.slice(0, 12)}, on no branch`;
  const busy = await Promise.all(
    Object.entries(UNDER_WAY).map(async ([file, what]) => ((await exists(join(folder, file))) ? [what] : [])),
  );
  return [place, ...busy.flat()].join(', ');
}

const MAX_GIT_FILE_BYTES = 1024;

const UNDER_WAY = {
  MERGE_HEAD: 'a merge is under way',
  'rebase-merge': 'a rebase is under way',
  'rebase-apply': 'a rebase is under way',
  CHERRY_PICK_HEAD: 'a cherry-pick is under way',
  BISECT_LOG: 'a bisect is under way',
};

/** `.git`, or where the file of that name in a worktree or submodule leads. */
async function gitFolder(cwd: string, places: Places): Promise<string | null> {
  for (let place = resolve(cwd); ; place = dirname(place)) {
    const path = join(place, '.git');
    places.add(path);
    const there = await stat(path).catch(() => null);
    if (there?.isDirectory()) return path;
    if (there?.isFile()) {
      const [, target] = /^gitdir: (.+)$/m.exec(await smallFile(path)) ?? [];
      return target === undefined ? null : resolve(place, target);
    }
    if (place === dirname(place)) return null;
  }
}

/** Git writes one line into these. Anything else, such as a pipe or a huge file, is not read. */
async function smallFile(path: string): Promise<string> {
  const there = await stat(path).catch(() => null);
  if (!there?.isFile() || there.size > MAX_GIT_FILE_BYTES) return '';
  return readFile(path, 'utf8').catch(() => '');
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
