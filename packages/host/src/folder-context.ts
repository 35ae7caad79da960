import { readFile, stat } from 'node:fs/promises';
import { homedir, release, type as systemType } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Clock, isoTime } from '@amplifier/core';
import type { ContextFiles } from '@amplifier/delegation';
import { findInstructions, type Instructions, readInstructions } from '@amplifier/foundation';

/** What a session learns of the folder it works in. */
interface FolderContext {
  /** For the system prompt. */
  text: string;
  /** For the context manifest. */
  files: ContextFiles;
}

export type FolderContextOf = (cwd: string) => Promise<FolderContext>;

/** Sessions of one moment share one reading, so that their prompts begin alike and a thousand children read each file once. */
const FRESH_MS = 2_000;

/** Reads the instructions of a folder, and with `amplifierHome` the person's own, and says where and when the session works. */
export function folderContexts(clock: Clock, amplifierHome: string | null): FolderContextOf {
  const known = new Map<string, { at: number; context: Promise<FolderContext> }>();
  return (cwd) => {
    const now = clock.now();
    for (const [folder, { at }] of known) if (now - at > FRESH_MS) known.delete(folder);
    const before = known.get(cwd);
    if (before) return before.context;
    const context = read(cwd, clock, amplifierHome);
    known.set(cwd, { at: now, context });
    context.catch(() => known.delete(cwd));
    return context;
  };
}

async function read(cwd: string, clock: Clock, amplifierHome: string | null): Promise<FolderContext> {
  const home = homedir();
  const found = await findInstructions({ cwd, home, amplifierHome });
  const { files, dropped } = await readInstructions(found, { home });
  const environment = [
    `Date: ${isoTime(clock).slice(0, 10)}`,
    `Folder: ${cwd}`,
    `System: ${systemType()} ${release()}`,
    `Git: ${await gitState(cwd)}`,
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
async function gitState(cwd: string): Promise<string> {
  const folder = await gitFolder(cwd);
  if (folder === null) return 'not a repository';
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
async function gitFolder(cwd: string): Promise<string | null> {
  for (let place = resolve(cwd); ; place = dirname(place)) {
    const path = join(place, '.git');
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
