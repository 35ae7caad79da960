import { lstat, mkdir, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@amplifier/core';
import { mountedSession, TempWorkspace } from '@amplifier/testkit';
import { detectSandbox, type Grant, NoSandbox, type Sandbox } from '@amplifier/workspace';
import fc from 'fast-check';
import bash from '../src/tools/tool-bash/index.js';
import filesystem from '../src/tools/tool-filesystem/index.js';
import search from '../src/tools/tool-search/index.js';

const FILES = ['inside/a.txt', 'inside/sub/b.txt', 'inside/sub/deep/c.txt', 'other/d.txt', 'secret/e.txt'];
const LINKS: Record<string, string> = {
  'inside/out': '../secret',
  'inside/up': '..',
  'inside/file': '../secret/e.txt',
  'inside/dangling': '../secret/new.txt',
  'inside/loop': 'loop',
  'other/in': '../inside/sub',
};
const PLACES = [
  '',
  'inside',
  'inside/sub',
  'inside/sub/deep',
  'other',
  'secret',
  'inside/a.txt',
  'inside/out',
];

const Places = fc.uniqueArray(fc.constantFrom(...PLACES), { maxLength: 2 });
const FewPlaces = fc.oneof({ weight: 2, arbitrary: fc.constant<string[]>([]) }, Places);
const Scope = fc.record({
  allow: fc.oneof(fc.constant<string[]>(['']), fc.constant<string[]>(['inside', 'other']), Places),
  deny: FewPlaces,
});
const Part = fc.oneof(
  fc.constantFrom('..', '.', '', 'inside', 'sub', 'deep', 'other', 'secret', ...Object.keys(LINKS)),
  fc.constantFrom('out', 'up', 'file', 'dangling', 'loop', 'in', 'a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt'),
  fc.constantFrom('new.txt', '\0', 'x'.repeat(300), '/proc/self/root'),
  fc.string({ maxLength: 4 }),
);
/** From the working folder, or from the top of the scene. */
const Path = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...FILES).map((file) => `<top>/${file}`) },
  { weight: 2, arbitrary: fc.array(Part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/')) },
  {
    weight: 2,
    arbitrary: fc.array(Part, { maxLength: 5 }).map((parts) => ['<top>', ...parts].join('/')),
  },
);

export const GrantTrial = fc.record({
  read: Scope,
  write: Scope,
  exec: fc.constantFrom('none', 'confined', 'free'),
  /** A grant that nobody gave, or that is none. */
  grant: fc.constantFrom('given', 'given', 'given', 'given', 'missing', 'empty', 'null', 'a text'),
  /** The tools' own configuration, which can only take away. */
  denied: FewPlaces,
  sandbox: fc.constantFrom('none', 'real', 'broken'),
  tool: fc.constantFrom('read_file', 'write_file', 'edit_file', 'list_files', 'grep', 'glob', 'bash', 'bash'),
  path: Path,
  /** Is a command run at the path, or in the working folder? */
  elsewhere: fc.boolean(),
  target: fc.constantFrom(...FILES, 'secret/new.txt', 'inside/new.txt'),
});
type GrantTrial = typeof GrantTrial extends fc.Arbitrary<infer Trial> ? Trial : never;

/** What one call did that it may not, and whether it did anything. */
export interface GrantTrialEnd {
  faults: string[];
  acted: boolean;
}

/** A small tree of files with ways out of it, and tools that are called in it under grants of all kinds. */
export class GrantScene implements AsyncDisposable {
  readonly #top: TempWorkspace;
  readonly #sandbox: Sandbox;

  private constructor(top: TempWorkspace, sandbox: Sandbox) {
    this.#top = top;
    this.#sandbox = sandbox;
  }

  static async open(): Promise<GrantScene> {
    const scene = new GrantScene(await TempWorkspace.create(), await detectSandbox());
    await scene.#restore();
    return scene;
  }

  async run(trial: GrantTrial): Promise<GrantTrialEnd> {
    const { tool, denied } = trial;
    const none = new NoSandbox('for the trial');
    const broken: Sandbox = { ...none, confine: () => Promise.reject(new Error('It is broken.')) };
    const sandbox = { none, real: this.#sandbox, broken }[trial.sandbox];
    const grant = this.#grant(trial);
    const denying = denied.map((place) => this.#top.resolve(place));
    const files = { denied_read_paths: denying, denied_write_paths: denying };
    await using session = await mountedSession({
      toolModules: { 'tool-filesystem': filesystem, 'tool-search': search, 'tool-bash': bash },
      config: { 'tool-filesystem': files, 'tool-search': { denied_read_paths: denying, ripgrep: false } },
      capabilities: {
        'session.working_dir': this.#top.resolve('inside'),
        'session.sandbox': sandbox as unknown as JsonObject,
        ...(grant === undefined ? {} : { 'session.grant': grant }),
      },
    });
    // A file is read before it is edited.
    const told: string[] = [];
    for (const name of tool.endsWith('_file') ? ['read_file', tool] : [tool]) {
      const input = this.#input({ ...trial, tool: name });
      told.push(JSON.stringify(await session.call(name, input).catch((error: Error) => error.message)));
    }
    const after = await this.#files();
    const changed = [...new Set([...FILES, ...Object.keys(LINKS), ...after.keys()])].filter(
      (file) => after.get(file) !== (LINKS[file] ? `-> ${LINKS[file]}` : contentOf(file)),
    );
    const read = FILES.filter((file) => told.some((text) => text.includes(contentOf(file))));
    if (changed.length > 0) await this.#restore();
    const may = (access: 'read' | 'write', file: string) => this.#may(trial, access, file, sandbox);
    return {
      faults: [
        ...changed.filter((file) => !may('write', file)).map((file) => `changed ${file}`),
        ...read.filter((file) => !may('read', file)).map((file) => `read ${file}`),
      ],
      acted: changed.length > 0 || read.length > 0,
    };
  }

  #grant(trial: GrantTrial): unknown {
    const scope = ({ allow, deny }: { allow: string[]; deny: string[] }) => ({
      allow: allow.map((place) => this.#top.resolve(place)),
      deny: deny.map((place) => this.#top.resolve(place)),
    });
    const given: Grant = {
      version: 1,
      read: scope(trial.read),
      write: scope(trial.write),
      exec: trial.exec,
      network: true,
      delegate: false,
      spend: null,
    };
    return { given, missing: undefined, empty: {}, null: null, 'a text': 'everything' }[trial.grant];
  }

  #input({ tool, path, target, elsewhere }: Omit<GrantTrial, 'tool'> & { tool: string }): JsonObject {
    const place = path.replaceAll('<top>', this.#top.path);
    const file = this.#top.resolve(target);
    const command = `cat '${file}'; printf pwned > '${file}'`;
    if (tool === 'bash') return { command, ...(elsewhere ? { cwd: place } : {}) };
    if (tool === 'grep') return { pattern: 'the text', path: place, output_mode: 'content' };
    if (tool === 'glob') return { pattern: '**/*.txt', path: place };
    if (tool === 'list_files') return { path: place, depth: 3 };
    if (tool === 'read_file') return { file_path: place };
    if (tool === 'write_file') return { file_path: place, content: 'pwned' };
    return { file_path: place, old_string: 'the text', new_string: 'pwned' };
  }

  /** Said again in other words than the guard's, and by real names only. */
  #may(trial: GrantTrial, access: 'read' | 'write', file: string, sandbox: Sandbox): boolean {
    const { tool, grant, exec, denied } = trial;
    const isCovered = (places: readonly string[]) =>
      places.some((place) => place === '' || file === place || file.startsWith(`${place}/`));
    if (tool === 'bash') {
      if (grant !== 'given' || exec === 'none' || trial.sandbox === 'broken') return false;
      if (sandbox.name === 'none') return exec === 'free';
    } else if (isCovered(denied)) return false;
    // Without a grant a session may look.
    if (grant === 'missing' || grant === 'null') return access === 'read' && tool !== 'bash';
    const { allow, deny } = trial[access];
    return grant === 'given' && isCovered(allow) && !isCovered(deny);
  }

  async #files(folder = ''): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const name of await readdir(this.#top.resolve(folder))) {
      const file = join(folder, name);
      const path = this.#top.resolve(file);
      const about = await lstat(path);
      if (about.isSymbolicLink()) found.set(file, `-> ${await readlink(path)}`);
      else if (about.isFile()) found.set(file, await readFile(path, 'utf8'));
      else for (const [below, content] of await this.#files(file)) found.set(below, content);
    }
    return found;
  }

  async #restore(): Promise<void> {
    for (const name of await readdir(this.#top.path))
      await rm(this.#top.resolve(name), { recursive: true, force: true });
    for (const file of FILES) await this.#top.write(file, contentOf(file) ?? '');
    for (const [link, target] of Object.entries(LINKS)) {
      await mkdir(this.#top.resolve(link, '..'), { recursive: true });
      await symlink(target, this.#top.resolve(link));
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#top[Symbol.asyncDispose]();
  }
}

function contentOf(file: string): string {
  return `the text of ${file}`;
}
