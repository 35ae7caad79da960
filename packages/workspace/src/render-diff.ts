import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeName, onDisk } from './byte-path.js';
import { DIFF_MAX_FILE_BYTES } from './defaults.js';
import { askGit, runGit } from './git.js';
import { type IsolationRecord, isolationPlaces } from './isolation-record.js';
import type { Change } from './patch.js';
import { hashFile, type TreeEntry } from './tree-entry.js';

interface DiffInput {
  home: string;
  record: IsolationRecord;
  changes: readonly Change[];
}

/**
 * The changes as git shows them: the two sides are written as trees into a repository that exists only for that, so every odd
 * name and every kind of content is git's own business. Says in plain lines what it leaves out.
 */
export async function renderDiff({
  home,
  record,
  changes,
}: DiffInput): Promise<{ text: string; path: string }> {
  const places = isolationPlaces(home, record.id);
  const path = join(places.folder, 'patch.diff');
  const notes: string[] = [];
  if (changes.length === 0) {
    await writeFile(path, '', { mode: 0o600 });
    return { text: '', path };
  }
  const scratch = await mkdtemp(join(places.folder, 'scratch-'));
  const repository = join(scratch, 'git');
  try {
    await runGit(['init', '--quiet', '--bare', '--template=', repository], { cwd: scratch });
    const sides = await Promise.all([sideOf('before'), sideOf('after')]);
    const trees = await Promise.all(
      sides.map((side, index) => writeTree(repository, `index-${index}`, side)),
    );
    const options = [
      '--binary',
      '--full-index',
      '--find-renames',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
    ];
    const diff = await runGit(['diff', ...options, ...trees, '--'], { cwd: repository });
    const whole = Buffer.concat([diff, Buffer.from(notes.map((note) => `# ${note}\n`).join(''))]);
    await writeFile(path, whole, { mode: 0o600 });
    return { text: whole.toString(), path };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }

  async function sideOf(side: 'before' | 'after'): Promise<Staged[]> {
    const folder = join(scratch, side);
    await mkdir(folder);
    const staged: Staged[] = [];
    for (const change of changes) {
      const entry = change[side];
      if (entry === null || entry.type === 'folder') continue;
      const place = join(folder, String(staged.length));
      const missing = await stageContent(side, change, entry, place);
      if (missing === null) staged.push({ path: decodeName(change.path), place, mode: gitMode(entry) });
      else if (!notes.includes(missing)) notes.push(missing);
    }
    return staged;
  }

  /** Puts the content at `place`, or says why the diff does without it. */
  async function stageContent(
    side: 'before' | 'after',
    { path: name, before, after }: Change,
    entry: TreeEntry,
    place: string,
  ): Promise<string | null> {
    if (entry.type === 'symlink') {
      await writeFile(place, Buffer.from(decodeName(entry.target), 'latin1'));
      return null;
    }
    const largest = Math.max(sizeOf(before), sizeOf(after));
    if (largest > DIFF_MAX_FILE_BYTES) return `${name}: ${largest} bytes, too large to show`;
    const root = side === 'after' ? places.tree : record.source;
    if (root !== null && entry.type === 'file') {
      const copied = await copyFile(onDisk(root, decodeName(name)), place).then(
        () => true,
        () => false,
      );
      if (copied && (await hashFile(place)).sha256 === entry.sha256) return null;
    }
    return `${name}: its earlier content has changed in the meantime, so the diff cannot show it`;
  }
}

interface Staged {
  path: string;
  place: string;
  mode: string;
}

function sizeOf(entry: TreeEntry | null): number {
  return entry?.type === 'file' ? entry.size : 0;
}

function gitMode(entry: TreeEntry): string {
  if (entry.type === 'symlink') return '120000';
  return entry.type === 'file' && entry.mode & 0o100 ? '100755' : '100644';
}

async function writeTree(repository: string, index: string, staged: readonly Staged[]): Promise<string> {
  const env = { GIT_INDEX_FILE: join(repository, index) };
  const options = { cwd: repository, env };
  const places = staged.map(({ place }) => `${place}\n`).join('');
  const ids = (
    await askGit(['hash-object', '-w', '--no-filters', '--stdin-paths'], { ...options, input: places })
  ).split('\n');
  const lines = staged.map(({ path, mode }, at) => `${mode} ${ids[at]}\t${path}\0`).join('');
  await runGit(['update-index', '-z', '--add', '--index-info'], {
    ...options,
    input: Buffer.from(lines, 'latin1'),
  });
  return askGit(['write-tree'], options);
}
