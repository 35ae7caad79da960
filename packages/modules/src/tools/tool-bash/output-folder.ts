import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A place for output that is too long to show. Made when first needed; a temporary one is removed with the session. */
export class OutputFolder {
  #given: string | undefined;
  #made: Promise<string> | undefined;

  constructor(given?: string) {
    this.#given = given;
  }

  path(): Promise<string> {
    this.#made ??= this.#make();
    return this.#made;
  }

  async remove(): Promise<void> {
    if (this.#given === undefined && this.#made) await rm(await this.#made, { recursive: true, force: true });
  }

  async #make(): Promise<string> {
    if (this.#given === undefined) return mkdtemp(join(tmpdir(), 'amplifier-output-'));
    await mkdir(this.#given, { recursive: true, mode: 0o700 });
    return this.#given;
  }
}
