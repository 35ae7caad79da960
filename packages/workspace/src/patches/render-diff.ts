import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DIFF_MAX_BYTES, DIFF_MAX_FILE_BYTES } from '../defaults.js';
import { type BytePath, decodeName, onDisk } from '../isolation/byte-path.js';
import { runGit } from '../isolation/git.js';
import type { Change } from './change.js';
import type { TreeEntry } from './tree-entry.js';

/** In whatever case: on some disks that is the same name. */
const OF_GIT = /(^|\/)\.git(\/|$)/i;

const SIDES = ['before', 'after'] as const;
type Side = (typeof SIDES)[number];

/**
 * The changes in git's form: both sides become commits of a temporary repository below `folder`, and git compares them, whatever
 * the names and contents. `contentOf` returns the file's content on one side, null if it is not available. Lines that begin with `#`
 * name what the diff leaves out.
 */
export async function renderDiff(
  folder: string,
  changes: readonly Change[],
  contentOf: (side: Side, change: Change) => Promise<Buffer | null>,
): Promise<Buffer> {
  if (changes.length === 0) return Buffer.of();
  const notes = new Set<string>();
  const beyond = new Set(beyondLimit(changes));
  if (beyond.size > 0)
    notes.add(`${beyond.size} files are not shown: a diff holds ${DIFF_MAX_BYTES} bytes of content`);
  const repository = await mkdtemp(join(folder, 'scratch-'));
  try {
    await runGit(['init', '--quiet', '--bare', '--template=', repository], { cwd: folder });
    const input = Buffer.concat((await Promise.all(SIDES.map(asCommit))).flat());
    const own = { cwd: repository, env: { GIT_DIR: repository } };
    // Stored as one pack: unpacking it would take another process.
    await runGit(['-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet'], { ...own, input });
    const form = [
      '--binary',
      '--full-index',
      '--find-renames',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
    ];
    const diff = await runGit(['diff', ...form, ...SIDES, '--'], own);
    return Buffer.concat([diff, Buffer.from([...notes].map((note) => `# ${note}\n`).join(''))]);
  } finally {
    await rm(repository, { recursive: true, force: true });
  }

  /** One side as the input of `git fast-import`. */
  async function asCommit(side: Side): Promise<Buffer[]> {
    const parts: Buffer[] = [Buffer.from(`commit refs/heads/${side}\ncommitter a <a> 0 +0000\ndata 0\n`)];
    for (const change of changes) {
      const entry = change[side];
      if (entry === null || entry.type === 'folder' || beyond.has(change)) continue;
      const content = await shownContent(side, change, entry);
      if (typeof content === 'string') {
        notes.add(content);
        continue;
      }
      const head = `M ${gitMode(entry)} inline ${quoted(decodeName(change.path))}\ndata ${content.length}\n`;
      parts.push(Buffer.from(head), content, Buffer.from('\n'));
    }
    return parts;
  }

  /** The content, or why the diff leaves it out. */
  async function shownContent(side: Side, change: Change, entry: TreeEntry): Promise<Buffer | string> {
    const { path, before, after } = change;
    if (OF_GIT.test(path)) return `${path}: git takes no file of that name, so the diff cannot show it`;
    if (entry.type === 'symlink') return Buffer.from(decodeName(entry.target), 'latin1');
    const largest = Math.max(sizeOf(before), sizeOf(after));
    if (largest > DIFF_MAX_FILE_BYTES) return `${path}: ${largest} bytes, too large to show`;
    const content = await contentOf(side, change);
    return content ?? `${path}: its earlier content has changed in the meantime, so the diff cannot show it`;
  }
}

/** The content of a file below `root` if it is still the one of the entry; null otherwise. */
export async function contentIn(
  root: string | null,
  path: BytePath,
  entry: TreeEntry | null,
): Promise<Buffer | null> {
  if (root === null || entry?.type !== 'file') return null;
  const place = onDisk(root, path);
  try {
    // Checked first: a file of any size may be there now.
    if ((await stat(place)).size !== entry.size) return null;
    const content = await readFile(place);
    return createHash('sha256').update(content).digest('hex') === entry.sha256 ? content : null;
  } catch {
    return null;
  }
}

/** Files that could be shown one by one, but are too much together. */
function* beyondLimit(changes: readonly Change[]): Generator<Change> {
  let bytes = 0;
  for (const change of changes) {
    const sizes = [sizeOf(change.before), sizeOf(change.after)];
    if (Math.max(...sizes) > DIFF_MAX_FILE_BYTES) continue;
    for (const size of sizes) bytes += size;
    if (bytes > DIFF_MAX_BYTES) yield change;
  }
}

function sizeOf(entry: TreeEntry | null): number {
  return entry?.type === 'file' ? entry.size : 0;
}

function gitMode(entry: TreeEntry): string {
  if (entry.type === 'symlink') return '120000';
  return entry.type === 'file' && entry.mode & 0o100 ? '100755' : '100644';
}

/** A name of any bytes as `git fast-import` reads it. */
function quoted(path: BytePath): string {
  const escaped = (byte: string) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return `"${path.replace(/[^\w./-]/gs, escaped)}"`;
}
