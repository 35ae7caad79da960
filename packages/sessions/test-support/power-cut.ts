import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Records how much of a database's write-ahead log has been synced, and makes the database as a power cut at this moment may leave it:
 * with nothing in the log after the last sync.
 */
export class PowerCut implements Disposable {
  readonly #file: string;
  readonly #fdatasync = fs.fdatasync;
  #copies = 0;
  /** Bytes of the log that are on disk. */
  synced = 0;

  constructor(file: string) {
    this.#file = file;
    const watched = (fd: number, done: fs.NoParamCallback) => {
      const { size } = fs.fstatSync(fd);
      this.#fdatasync(fd, (error) => {
        if (!error) this.synced = Math.max(this.synced, size);
        done(error);
      });
    };
    Object.assign(fs, { fdatasync: watched });
    syncBuiltinESMExports();
  }

  /** A copy of the database after the cut. The log must not have been folded into the database since it was opened. */
  copy(): string {
    const cut = `${this.#file}-cut-${++this.#copies}.db`;
    fs.copyFileSync(this.#file, cut);
    fs.writeFileSync(`${cut}-wal`, fs.readFileSync(`${this.#file}-wal`).subarray(0, this.synced));
    return cut;
  }

  [Symbol.dispose](): void {
    Object.assign(fs, { fdatasync: this.#fdatasync });
    syncBuiltinESMExports();
  }
}
