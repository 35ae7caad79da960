import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { type Clock, isoTime, isPlainObject, type JsonObject, redactSecrets } from '@amplifier/core';
import { type FetchProgress, parseAgent, type ResolvedSource } from '@amplifier/foundation';
import { besideName } from '../atomic-file.js';
import { DaemonError } from '../daemon-error.js';
import { FOLDER_MODE, MAX_CONTEXT_FILE_BYTES, MAX_EMBEDDED_BYTES } from '../defaults.js';
import { shortName } from '../plans/module-id.js';
import { copySource, listFiles, sha256, writeCopy } from './copy-source.js';
import { LOCK_FILE, LOCK_VERSION, type LockedModule, type LockedText, type ProfileLock } from './lock.js';
import type { Manifest, ManifestAgent, ManifestContext, ManifestModule, ModuleKind } from './manifest.js';
import type { RefResolver } from './ref-resolver.js';

export interface CompileRequest {
  collection: ProfileLock['collection'];
  /** The collection's folder: where relative refs start, and what they may not leave. */
  root: string;
  manifest: Manifest;
  /** The manifest as it was written. */
  text: string;
  update: boolean;
  onProgress?: (progress: FetchProgress) => void;
}

export interface CompiledProfile {
  lock: ProfileLock;
  folder: string;
  /** This very version was there already, and had lost files. */
  isRepaired: boolean;
}

const FOLDERS: Record<ModuleKind, string> = {
  orchestrator: 'orchestrator',
  'context-manager': 'context-manager',
  provider: 'providers',
  tool: 'tools',
  hook: 'hooks',
};

/**
 * Brings everything a profile names into one folder that is never changed again, named by what is in it. All or
 * nothing: the folder is filled aside and then given its name.
 */
export async function compileProfile(
  request: CompileRequest,
  { refs, compiledDir, clock }: { refs: RefResolver; compiledDir: string; clock: Clock },
): Promise<CompiledProfile> {
  const { manifest, text, collection } = request;
  const profileDir = join(compiledDir, collection.id, manifest.name);
  const staging = besideName(join(profileDir, 'version'));
  await mkdir(staging, { recursive: true, mode: FOLDER_MODE });
  try {
    const compile = new Compilation(request, refs, staging);
    await writeCopy(join(staging, `${manifest.name}.md`), text);
    const resources = await compile.resources();
    const content: Omit<ProfileLock, 'lock_hash' | 'generated_at'> = {
      format_version: LOCK_VERSION,
      profile_id: `${collection.id}/${manifest.name}`,
      profile_version: manifest.version,
      description: manifest.description,
      manifest_sha256: sha256(text),
      collection,
      session: redactSecrets(manifest.session),
      task: manifest.task,
      ui: manifest.ui,
      extra: redactSecrets(manifest.extra),
      instruction: manifest.instruction,
      resources,
      warnings: [...manifest.warnings.map(({ message }) => message), ...compile.warnings],
    };
    const lock_hash = sha256(JSON.stringify(content)).slice(0, 32);
    const lock: ProfileLock = { ...content, lock_hash, generated_at: isoTime(clock) };
    await writeCopy(join(staging, LOCK_FILE), `${JSON.stringify(lock, null, 2)}\n`);
    const folder = join(profileDir, lock_hash);
    return { lock, folder, isRepaired: await giveName(staging, folder) };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** True when this very version was there, and had lost files. */
async function giveName(staging: string, folder: string): Promise<boolean> {
  try {
    await rename(staging, folder);
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return repairCopy(staging, folder);
    throw error;
  }
}

/** Puts back what a compiled folder has lost, file by file: sessions may be running from the rest. True when it had lost any. */
async function repairCopy(complete: string, folder: string): Promise<boolean> {
  let isRepaired = false;
  for (const file of await listFiles(complete, complete)) {
    const path = join(folder, file);
    const present = await readFile(path).catch(() => null);
    // Two locks of one version differ in nothing but their time.
    const isWhole =
      file === LOCK_FILE
        ? present !== null && isJson(present)
        : present?.equals(await readFile(join(complete, file)));
    if (isWhole) continue;
    await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
    await rename(join(complete, file), path);
    isRepaired = true;
  }
  return isRepaired;
}

function isJson(content: Buffer): boolean {
  try {
    return isPlainObject(JSON.parse(content.toString('utf8')));
  } catch {
    return false;
  }
}

/** One run of the compiler: what it has used up, and where it puts things. */
class Compilation {
  readonly warnings: string[] = [];
  readonly #request: CompileRequest;
  readonly #refs: RefResolver;
  readonly #staging: string;
  readonly #names = new Set<string>();
  #embedded = 0;

  constructor(request: CompileRequest, refs: RefResolver, staging: string) {
    this.#request = request;
    this.#refs = refs;
    this.#staging = staging;
  }

  async resources(): Promise<ProfileLock['resources']> {
    const { modules, agents, context } = this.#request.manifest;
    const locked: ProfileLock['resources'] = [];
    for (const module of modules) locked.push(await this.#module(module));
    for (const agent of agents) locked.push(await this.#agent(agent));
    for (const entry of context) locked.push(...(await this.#context(entry)));
    return locked;
  }

  async #module({ kind, module, id, source, config }: ManifestModule): Promise<LockedModule> {
    const { name, ...repeated } = this.#unique(kind, id ?? shortName(module));
    const path = `${FOLDERS[kind]}/${encodeURIComponent(name)}`;
    const target = join(this.#staging, path);
    const safeConfig = redactSecrets(config);
    if (JSON.stringify(safeConfig) !== JSON.stringify(config)) {
      this.warnings.push(
        `The config of ${module} holds a secret, which was dropped. Write \${NAME} and set NAME in the environment.`,
      );
    }
    const base = { kind, name, ...repeated, module, id, config: safeConfig };
    if (source === null) {
      // It ships with the runtime; the note keeps the tree complete for whoever looks.
      const note = `${JSON.stringify({ module, built_in: true }, null, 2)}\n`;
      await writeCopy(join(target, 'module.json'), note);
      return { ...base, ref: null, commit: null, path, digest: `sha256:${sha256(note)}` };
    }
    const found = await this.#resolve(source, `${kind} ${module}`);
    const digest = await copySource(found.path, found.root, await fileOrFolder(found.path, target));
    const suffix = (await stat(found.path)).isFile() ? `/${basename(found.path)}` : '';
    return { ...base, ref: source, commit: found.revision, path: `${path}${suffix}`, digest };
  }

  async #agent(agent: ManifestAgent): Promise<LockedText> {
    const { text, ref, commit } = await this.#agentText(agent);
    const file = agent.name ? `${agent.name}.md` : basename(ref ?? 'agent.md').replace(/[#?].*$/, '');
    const { agent: parsed } = parseAgent(text, file);
    const { name, ...repeated } = this.#unique('agent', agent.name ?? parsed.name);
    const path = `agents/${encodeURIComponent(name)}.md`;
    await this.#embed(path, text);
    const { meta, ...frontmatter } = parsed.frontmatter;
    const metadata = {
      ...redactSecrets(frontmatter as JsonObject),
      ...(meta ?? {}),
      name,
      description: parsed.description,
    };
    return { kind: 'agent', name, ...repeated, ref, commit, path, ...measured(text), metadata };
  }

  /** Distinct resources of one kind that have one name are told apart by their order. */
  #unique(kind: string, name: string): { name: string; occurrence?: number } {
    const isTaken = (each: string) => this.#names.has(`${kind} ${each}`);
    let occurrence = 1;
    while (isTaken(occurrence === 1 ? name : `${name}.${occurrence}`)) occurrence++;
    const unique = occurrence === 1 ? name : `${name}.${occurrence}`;
    this.#names.add(`${kind} ${unique}`);
    return { name: unique, ...(occurrence === 1 ? {} : { occurrence }) };
  }

  async #agentText(
    agent: ManifestAgent,
  ): Promise<{ text: string; ref: string | null; commit: string | null }> {
    if (agent.inline) return { text: inlineAgent(agent.inline), ref: null, commit: null };
    const ref = agent.ref ?? '';
    const found = await this.#resolve(ref, `agent ${agent.name ?? ref}`);
    const file = await agentFile(found.path, agent.name);
    if (file === null) throw missing(`agent ${agent.name ?? ref}`, ref);
    return { text: await readFile(file, 'utf8'), ref, commit: found.revision };
  }

  /** One entry for each text file. A ref that is a single file gives one that has the context's own name. */
  async #context({ name, ref }: ManifestContext): Promise<LockedText[]> {
    const found = await this.#resolve(ref, `context ${name}`);
    const isFile = (await stat(found.path)).isFile();
    const files = isFile ? [''] : await listFiles(found.path, found.root);
    const texts: LockedText[] = [];
    for (const file of files) {
      const text = await this.#readContext(isFile ? found.path : join(found.path, file), `${name}/${file}`);
      if (text === null) continue;
      const path = isFile ? `context/${name}${extname(found.path)}` : `context/${name}/${file}`;
      await this.#embed(path, text);
      const entry = { kind: 'context' as const, name: isFile ? name : `${name}/${file}`, ref, path };
      texts.push({ ...entry, commit: found.revision, ...measured(text), metadata: {} });
    }
    return texts;
  }

  async #readContext(path: string, label: string): Promise<string | null> {
    const content = await readFile(path);
    const text = content.toString('utf8');
    if (content.length > MAX_CONTEXT_FILE_BYTES) {
      this.warnings.push(`${label} is larger than ${MAX_CONTEXT_FILE_BYTES} bytes and is left out.`);
      return null;
    }
    if (content.includes(0) || Buffer.byteLength(text) !== content.length) {
      this.warnings.push(`${label} is not UTF-8 text and is left out.`);
      return null;
    }
    return text;
  }

  async #embed(path: string, text: string): Promise<void> {
    this.#embedded += text.length;
    if (this.#embedded > MAX_EMBEDDED_BYTES) {
      throw new DaemonError(
        'PROFILE_INVALID',
        `The profile embeds more than ${MAX_EMBEDDED_BYTES} bytes of text.`,
      );
    }
    await writeCopy(join(this.#staging, path), text);
  }

  async #resolve(ref: string, what: string): Promise<ResolvedSource> {
    const { root, update, onProgress } = this.#request;
    try {
      const found = await this.#refs.resolve(ref, {
        base: root,
        update,
        ...(onProgress ? { onProgress } : {}),
      });
      if (found.stale) this.warnings.push(`${ref} could not be checked for updates; its last copy is used.`);
      return found;
    } catch (error) {
      if ((error as { code?: string }).code === 'FILE_NOT_FOUND') throw missing(what, ref);
      throw error;
    }
  }
}

function measured(text: string): { digest: string; bytes: number } {
  return { digest: `sha256:${sha256(text)}`, bytes: Buffer.byteLength(text) };
}

/** Where an agent's Markdown is: the file itself, or the one of that name in a folder. */
async function agentFile(path: string, name: string | null): Promise<string | null> {
  if ((await stat(path)).isFile()) return path;
  const candidates = [
    ...(name ? [`${name}.md`, `${name}/main.md`] : []),
    `${basename(path)}.md`,
    'main.md',
    'agent.md',
  ];
  for (const candidate of candidates) {
    const file = join(path, candidate);
    if (
      await stat(file).then(
        (found) => found.isFile(),
        () => false,
      )
    )
      return file;
  }
  return null;
}

/** A single file keeps its own name inside of the module's folder. */
async function fileOrFolder(source: string, target: string): Promise<string> {
  return (await stat(source)).isFile() ? join(target, basename(source)) : target;
}

/** An agent written in the manifest itself, as the file it would be. */
function inlineAgent(definition: JsonObject): string {
  const { content, system, ...frontmatter } = definition;
  const instruction =
    isPlainObject(system) && typeof system.instruction === 'string' ? system.instruction : '';
  const body = typeof content === 'string' ? content : instruction;
  return `---\n${JSON.stringify(frontmatter)}\n---\n${body}\n`;
}

function missing(what: string, ref: string): DaemonError {
  return new DaemonError(
    'RESOURCE_MISSING',
    `The ${what} is not where its ref says: ${ref}. Correct the ref or add the file.`,
  );
}
