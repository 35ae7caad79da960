import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../atomic-file.js';
import { FOLDER_MODE } from '../defaults.js';

const ID = /^[a-z]+_[0-9a-f]{16,64}$/;

/** Records as files, one each, replaced whole. Ids are checked before they become names. */
export class RecordFolder<T extends { id: string }> {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open<T extends { id: string }>(folder: string): Promise<RecordFolder<T>> {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    return new RecordFolder<T>(folder);
  }

  async get(id: string): Promise<T | null> {
    if (!ID.test(id)) return null;
    try {
      return JSON.parse(await readFile(this.#path(id), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async all(): Promise<T[]> {
    const names = (await readdir(this.#folder)).filter((name) => ID.test(name.replace(/\.json$/, '')));
    const records: T[] = [];
    for (const name of names) {
      const record = await this.get(name.replace(/\.json$/, ''));
      if (record) records.push(record);
    }
    return records;
  }

  put(record: T): Promise<void> {
    return writeFileAtomic(this.#path(record.id), JSON.stringify(record));
  }

  remove(id: string): Promise<void> {
    return rm(this.#path(id), { force: true });
  }

  #path(id: string): string {
    if (!ID.test(id)) throw new Error(`${id} is not the id of a record.`);
    return join(this.#folder, `${id}.json`);
  }
}
