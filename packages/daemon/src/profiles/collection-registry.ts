import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, isoTime, isPlainObject } from '@amplifier/core';
import { Document, parseDocument } from 'yaml';
import { writeFileAtomic } from '../atomic-file.js';
import { DaemonError } from '../daemon-error.js';
import { FOLDER_MODE } from '../defaults.js';
import { isName } from './profile-names.js';

export interface RegisteredCollection {
  id: string;
  source: string;
  installed_at: string | null;
}

export function collectionExists(id: string): DaemonError {
  return new DaemonError(
    'COLLECTION_EXISTS',
    `The collection ${id} is already registered. Delete it first, or choose another id.`,
  );
}

/**
 * `collections.yaml`: which collections there are. People edit it too, so their comments stay; and a file that cannot be
 * read is never written over.
 */
export class CollectionRegistry {
  readonly #path: string;
  readonly #clock: Clock;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  async list(): Promise<RegisteredCollection[]> {
    const section: unknown = (await this.#read())?.toJS()?.collections ?? {};
    if (!isPlainObject(section)) throw this.#unreadable('collections is not a mapping');
    return Object.entries(section).map(([id, entry]) => {
      if (!isName(id) || !isPlainObject(entry) || typeof entry.source !== 'string') {
        throw this.#unreadable(`the entry ${JSON.stringify(id)} needs a plain name and a source`);
      }
      const installed = entry.installed_at;
      return { id, source: entry.source, installed_at: installed ? String(installed) : null };
    });
  }

  async get(id: string): Promise<RegisteredCollection> {
    const found = (await this.list()).find((collection) => collection.id === id);
    if (found) return found;
    throw new DaemonError(
      'COLLECTION_NOT_FOUND',
      `There is no collection ${id}. Register it with POST /api/v1/collections, or see GET /api/v1/collections.`,
    );
  }

  add(id: string, source: string): Promise<RegisteredCollection> {
    return this.#change(async (document) => {
      if (document.hasIn(['collections', id])) {
        throw collectionExists(id);
      }
      const entry = { source, installed_at: isoTime(this.#clock) };
      document.setIn(['collections', id], document.createNode(entry));
      return { id, ...entry };
    });
  }

  remove(id: string): Promise<void> {
    return this.#change(async (document) => {
      await this.get(id);
      document.deleteIn(['collections', id]);
    });
  }

  /** Writes the file on the first start, so that there is something to see and edit. */
  async ensure(initial: readonly { id: string; source: string }[]): Promise<void> {
    if ((await this.#read()) !== null) return;
    await this.#write(new Document({ collections: {} }));
    for (const { id, source } of initial) await this.add(id, source);
  }

  #change<T>(work: (document: Document) => Promise<T>): Promise<T> {
    const change = this.#writing.then(async () => {
      const document = (await this.#read()) ?? new Document({ collections: {} });
      const result = await work(document);
      await this.#write(document);
      return result;
    });
    this.#writing = change.catch(() => undefined);
    return change;
  }

  async #read(): Promise<Document | null> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    const document = parseDocument(text);
    const [fault] = document.errors;
    if (fault) throw this.#unreadable(fault.message.split('\n')[0] ?? fault.code);
    return document as unknown as Document;
  }

  async #write(document: Document): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: FOLDER_MODE });
    await copyFile(this.#path, `${this.#path}.bak`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await writeFileAtomic(this.#path, String(document));
  }

  #unreadable(why: string): DaemonError {
    return new DaemonError(
      'REGISTRY_UNREADABLE',
      `collections.yaml is invalid: ${why}. Correct it, or restore collections.yaml.bak.`,
    );
  }
}
