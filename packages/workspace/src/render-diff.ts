import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BytePath, decodeName, onDisk } from './byte-path.js';
import { DIFF_MAX_FILE_BYTES } from './defaults.js';
import { runGit } from './git.js';
import { type IsolationRecord, isolationPlaces } from './isolation-record.js';
import type { Change } from './patch.js';
import type { TreeEntry } from './tree-entry.js';

/** In whatever case: on some disks that is the same name. */
const OF_GIT = /(^|\/)\.git(\/|$)/i;

interface DiffInput {
  home: string;
  record: IsolationRecord;
  changes: readonly Change[];
}

/**
 * The changes as git shows them: the two sides are commits in a repository that exists only for that, so every odd
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
  const repository = await mkdtemp(join(places.folder, 'scratch-'));
  try {
    await runGit(['init', '--quiet', '--bare', '--template=', repository], { cwd: places.folder });
    const sides = ['before', 'after'] as const;
    const input = Buffer.concat((await Promise.all(sides.map(asCommit))).flat());
    // A pack as it is: to take it apart is a process more.
    await runGit(['-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet'], { cwd: repository, input });
    const options = [
      '--binary',
      '--full-index',
      '--find-renames',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
    ];
    const diff = await runGit(['diff', ...options, ...sides, '--'], { cwd: repository });
    const whole = Buffer.concat([diff, Buffer.from(notes.map((note) => `# ${note}\n`).join(''))]);
    await writeFile(path, whole, { mode: 0o600 });
    return { text: whole.toString(), path };
  } finally {
    await rm(repository, { recursive: true, force: true });
  }

  /** What `git fast-import` makes a commit of one side of. */
  async function asCommit(side: 'before' | 'after'): Promise<Buffer[]> {
    const parts: Buffer[] = [Buffer.from(`commit refs/heads/${side}\ncommitter a <a> 0 +0000\ndata 0\n`)];
    for (const change of changes) {
      const entry = change[side];
      if (entry === null || entry.type === 'folder') continue;
      const content = await contentOf(side, change, entry);
      if (typeof content === 'string') {
        if (!notes.includes(content)) notes.push(content);
        continue;
      }
      const head = `M ${gitMode(entry)} inline ${quoted(decodeName(change.path))}\ndata ${content.length}\n`;
      parts.push(Buffer.from(head), content, Buffer.from('\n'));
    }
    return parts;
  }

  /** The content, or why the diff does without it. */
  async function contentOf(
    side: 'before' | 'after',
    { path: name, before, after }: Change,
    entry: TreeEntry,
  ): Promise<Buffer | string> {
    if (OF_GIT.test(name)) return `${name}: git takes no file of that name, so the diff cannot show it`;
    if (entry.type === 'symlink') return Buffer.from(decodeName(entry.target), 'latin1');
    const largest = Math.max(sizeOf(before), sizeOf(after));
    if (largest > DIFF_MAX_FILE_BYTES) return `${name}: ${largest} bytes, too large to show`;
    const root = side === 'after' ? places.tree : record.source;
    if (root !== null && entry.type === 'file') {
      const content = await readOfSize(onDisk(root, decodeName(name)), entry.size).catch(() => null);
      if (content && createHash('sha256').update(content).digest('hex') === entry.sha256) return content;
    }
    return `${name}: its earlier content has changed in the meantime, so the diff cannot show it`;
  }
}

function sizeOf(entry: TreeEntry | null): number {
  return entry?.type === 'file' ? entry.size : 0;
}

function gitMode(entry: TreeEntry): string {
  if (entry.type === 'symlink') return '120000';
  return entry.type === 'file' && entry.mode & 0o100 ? '100755' : '100644';
}

/** Null where a file has another size by now: one of any size may stand there. */
async function readOfSize(place: Buffer, size: number): Promise<Buffer | null> {
  return (await stat(place)).size === size ? readFile(place) : null;
}

/** A name of any bytes as `git fast-import` reads it. */
function quoted(path: BytePath): string {
  const escaped = (byte: string) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return `"${path.replace(/[^\w./-]/gs, escaped)}"`;
}
