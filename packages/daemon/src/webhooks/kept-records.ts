import type { SqlShelf } from '@amplifier/sessions';

/** Records of one kind, each replaced whole, that all daemons of a record share. */
export class KeptRecords<T extends { id: string; tenant?: string }> {
  readonly #shelf: SqlShelf;
  readonly #kind: string;

  constructor(shelf: SqlShelf, kind: string) {
    this.#shelf = shelf;
    this.#kind = kind;
  }

  get(id: string): Promise<T | null> {
    return this.#shelf.get<T>(this.#kind, id);
  }

  all(): Promise<T[]> {
    return this.#shelf.all<T>(this.#kind);
  }

  /** False where there is one already. */
  add(record: T): Promise<boolean> {
    const { tenant } = record;
    const shelf = tenant === undefined ? this.#shelf : this.#shelf.of(tenant);
    return shelf.add(this.#kind, record.id, record);
  }

  /** With `until` it goes then. */
  put(record: T, until: number | null = null): Promise<void> {
    return this.#shelf.put(this.#kind, record.id, record, until);
  }

  remove(id: string): Promise<boolean> {
    return this.#shelf.remove(this.#kind, id);
  }

  watch(onNews: () => void): () => void {
    return this.#shelf.watch(this.#kind, onNews);
  }
}
