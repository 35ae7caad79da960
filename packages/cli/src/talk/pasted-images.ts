import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DataAttachment, imageType, programPath } from '@amplifier/host';

/** More than any image that goes along with a prompt. */
const MAX_BYTES = 5 * 1024 * 1024;
/** A program that gives the clipboard does so at once. */
const PATIENCE_MS = 3000;
const IMAGE = /\.(png|jpe?g|gif|webp)$/i;

/** Whoever of them is there and finds an image writes it to its output. */
const CLIPBOARDS: readonly [string, ...string[]][] = [
  ['wl-paste', '--type', 'image/png'],
  ['xclip', '-selection', 'clipboard', '-t', 'image/png', '-o'],
  ['pngpaste', '-'],
];

/**
 * The images that a person put into what they write. Text stands for each of them, and they go along as long as it is
 * there. They are read here, with the rights of the person who pasted them, and reach the session as data.
 */
export class PastedImages {
  readonly #cwd: string;
  readonly #kept = new Map<string, DataAttachment>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** What a paste stands for: files dropped on a terminal arrive as their paths. Text that names no image stays as it is. */
  take(pasted: string): string {
    if (pasted.trim() === '') return this.takeClipboard() ?? pasted;
    const images = pasted
      .trim()
      .split('\n')
      .map((line) => this.#fileAt(line));
    if (!images.every((image) => image !== null)) return pasted;
    return images.map((image) => this.#keep(image)).join(' ');
  }

  /** The image in the clipboard, which no terminal can paste itself. Null where there is none. */
  takeClipboard(): string | null {
    for (const [program, ...args] of CLIPBOARDS) {
      const { status, stdout } = spawnSync(program, args, {
        timeout: PATIENCE_MS,
        maxBuffer: MAX_BYTES,
        env: { ...process.env, PATH: programPath() },
      });
      if (status === 0 && imageType(stdout) !== null)
        return this.#keep({ name: 'pasted.png', data: stdout.toString('base64') });
    }
    return null;
  }

  /** Those whose words are in the text. */
  in(text: string): DataAttachment[] {
    return [...this.#kept].flatMap(([words, image]) => (text.includes(words) ? [image] : []));
  }

  #keep(image: DataAttachment): string {
    const words = `[image ${this.#kept.size + 1}: ${image.name}]`;
    this.#kept.set(words, image);
    return words;
  }

  #fileAt(line: string): DataAttachment | null {
    try {
      const path = resolve(this.#cwd, pathIn(line));
      if (!IMAGE.test(path) || statSync(path).size > MAX_BYTES) return null;
      const bytes = readFileSync(path);
      return imageType(bytes) === null ? null : { name: basename(path), data: bytes.toString('base64') };
    } catch {
      return null; // A line like any other.
    }
  }
}

/** Terminals quote what is dropped on them, each in its own way. */
function pathIn(line: string): string {
  const said = line.trim().replace(/^(["'])(.*)\1$/, '$2');
  return said.startsWith('file://') ? fileURLToPath(said) : said.replace(/\\(.)/g, '$1');
}
