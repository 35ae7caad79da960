import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { splitFrontmatter } from '@amplifier/foundation';
import { isMap, isScalar, parseDocument, visit } from 'yaml';
import { writeFileAtomic } from '../atomic-file.js';
import { DaemonError } from '../daemon-error.js';
import { FOLDER_MODE } from '../defaults.js';
import { LOCAL_COLLECTION } from './collection-sync.js';
import { copySource } from './copy-source.js';
import { readManifest } from './manifest.js';
import { checkName, type ProfileId, profileId } from './profile-names.js';
import { type LoadedProfile, notFound } from './profile-store.js';

/** Profiles that users write: the Markdown files of the collection `local`, the only ones the API changes. */
export class LocalProfiles {
  readonly #folder: string;

  constructor(share: string) {
    this.#folder = join(share, 'local');
  }

  async create(name: string, manifest: string): Promise<void> {
    if (await this.#exists(name)) {
      throw new DaemonError(
        'PROFILE_EXISTS',
        `The profile ${LOCAL_COLLECTION}/${name} already exists. Change it, or choose another name.`,
      );
    }
    await this.#write(name, manifest);
  }

  async replace(id: ProfileId, manifest: string): Promise<void> {
    this.check(id);
    if (!(await this.#exists(id.profile))) throw notFound(id);
    await this.#write(id.profile, manifest);
  }

  async remove(id: ProfileId): Promise<void> {
    this.check(id);
    if (!(await this.#exists(id.profile))) throw notFound(id);
    await rm(this.#file(id.profile), { force: true });
    await rm(join(this.#folder, id.profile), { recursive: true, force: true });
  }

  /** A profile of any collection under a new name here, with the files it brings along. */
  async copy({ lock, folder }: LoadedProfile, from: ProfileId, name: string): Promise<void> {
    checkName('profile', name);
    if (await this.#exists(name))
      throw new DaemonError('PROFILE_EXISTS', `The profile ${LOCAL_COLLECTION}/${name} already exists.`);
    const text = await readFile(join(folder, `${from.profile}.md`), 'utf8');
    const { frontmatter, body } = splitFrontmatter(text, `${from.profile}.md`);
    const moved = new Map<string, string>();
    for (const { ref, path } of lock.resources) {
      if (ref === null || !/^\.{1,2}\//.test(ref)) continue;
      const top = path.startsWith('context/') ? path.split('/').slice(0, 2).join('/') : path;
      moved.set(ref, `./${name}/${top}`);
    }
    const target = join(this.#folder, name);
    await rm(target, { recursive: true, force: true });
    for (const place of new Set(moved.values())) {
      const inside = place.slice(`./${name}/`.length);
      await copySource(join(folder, inside), folder, join(target, inside));
    }
    const document = parseDocument(frontmatter ?? '');
    visit(document, {
      Scalar(_, node) {
        const place = typeof node.value === 'string' ? moved.get(node.value) : undefined;
        if (place) node.value = place;
      },
    });
    const head = document.get('profile');
    if (isMap(head)) head.set('name', name);
    if (isScalar(head))
      throw new DaemonError('PROFILE_INVALID', `${profileId(from)} has no profile section.`);
    await this.#write(name, `---\n${String(document)}---\n${body}`);
  }

  check(id: ProfileId): void {
    if (id.collection === LOCAL_COLLECTION) return;
    throw new DaemonError(
      'PROFILE_READ_ONLY',
      `${profileId(id)} comes with its collection. Copy it to ${LOCAL_COLLECTION} to change it.`,
    );
  }

  async #write(name: string, manifest: string): Promise<void> {
    checkName('profile', name);
    const read = readManifest(manifest, `${name}.md`);
    if ('skipped' in read)
      throw new DaemonError('PROFILE_INVALID', `The manifest is not a profile: ${read.skipped}.`);
    if (read.manifest.name !== name) {
      throw new DaemonError(
        'PROFILE_INVALID',
        `The manifest is named ${read.manifest.name}, but the profile should be ${name}.`,
      );
    }
    await mkdir(this.#folder, { recursive: true, mode: FOLDER_MODE });
    await writeFileAtomic(this.#file(name), manifest);
  }

  #exists(name: string): Promise<boolean> {
    return stat(this.#file(name)).then(
      () => true,
      () => false,
    );
  }

  #file(name: string): string {
    return join(this.#folder, `${checkName('profile', name)}.md`);
  }
}
