import { mkdir, open, readFile, rename, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorInfo, Message, type Report } from '@amplifier/core';
import { ModuleError } from '../module-error.js';

/** Messages in a file, one JSON document per line, each on the disk before `append` resolves. */
export class MessageFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * The messages of an earlier run; null when there was none. A last line that was cut off by a crash is removed and
   * reported. Any other line that cannot be read is an error: an incomplete memory must not pass for a whole one.
   */
  async load(report: Report): Promise<Message[] | null> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    const end = text.lastIndexOf('\n') + 1;
    if (end < text.length) {
      await truncate(this.path, Buffer.byteLength(text.slice(0, end)));
      const message = `${this.path} ended in the middle of a line; what was left of it is removed.`;
      report({ level: 'warning', code: 'CONTEXT_FILE_TORN', message });
    }
    return text
      .slice(0, end)
      .split('\n')
      .flatMap((line, index) => (line === '' ? [] : [this.#parse(line, index + 1)]));
  }

  async append(message: Message): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const file = await open(this.path, 'a', 0o600);
    try {
      await file.appendFile(`${JSON.stringify(message)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  /** Begins anew. The old file stays beside the new one, under the time it was left. */
  async setAside(time: string): Promise<void> {
    try {
      await rename(this.path, `${this.path}.${time.replaceAll(':', '-')}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  #parse(line: string, number: number): Message {
    try {
      return Message.parse(JSON.parse(line));
    } catch (cause) {
      throw new ModuleError(
        `${this.path}, line ${number}, is no message: ${errorInfo(cause).message}. Repair the line or move the file away.`,
        { code: 'CONTEXT_FILE_DAMAGED', origin: this.path, cause },
      );
    }
  }
}
