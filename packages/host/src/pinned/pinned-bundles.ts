import { join } from 'node:path';
import type { JsonObject, Report } from '@amplifier/core';
import {
  type AgentFile,
  BUILT_IN_BUNDLE,
  listAgentFiles,
  type OpenBundle,
  type ReadAgentFile,
} from '@amplifier/foundation';
import { isWithin, realPathOf } from '@amplifier/workspace';
import { HostError } from '../host-error.js';
import type { Project } from '../project/project.js';
import type { ActingPart } from '../trust/acting-parts.js';
import { quoted } from '../trust/describe-trust.js';
import { actsOfAgent } from '../trust/inert-parts.js';
import { digestOf } from '../trust/local-files.js';
import { readTrustFile, writeTrustFile } from '../trust/trust-notes.js';
import { askOnce } from './ask-once.js';
import { listed } from './pinned-modules.js';

/** What acts in the files of one bundle: the digest of each by path. */
type Acts = Record<string, string>;

interface Pending {
  /** A package that another one hides is a change: the search is the same. */
  subject: string;
  file: string;
  acts: Acts;
  changed: string[];
  /** Of an agent file only the text counts until a person agrees; a bundle starts no session. */
  isAgent: boolean;
}

/** An agent file that the environment names. */
export interface NamedAgentFile {
  path: string;
  /** Not a file of the folder that happens to be current. */
  isAbsolute: boolean;
}

/**
 * Bundles that are read from folders a session may write. What acts in them (modules, hooks, commands, addresses, agents with any
 * of these) is pinned: for those that the user names on first use, for those of a project when the folder is trusted.
 */
export class PinnedBundles {
  readonly #homes: readonly string[];
  readonly #opened = new Map<string, OpenBundle>();
  readonly #read = new Map<string, AgentFile>();
  /** The agent files of reviewed bundles as they were. */
  readonly #known: Acts = {};
  /** By path what was trusted in files that the environment names. */
  readonly #agents = new Map<string, string | undefined>();
  #roots: string[] = [];
  #isReviewed = false;
  #pending: Pending[] = [];

  constructor(homes: readonly string[]) {
    this.#homes = homes;
  }

  /** Called for each bundle file that is opened, as it was written. */
  note(open: OpenBundle): void {
    const { file } = open.document;
    const known = this.#opened.get(file);
    // It may be opened again with fewer names known: what could be loaded once is not missing.
    if (!known || open.missing.length < known.missing.length) this.#opened.set(file, open);
  }

  /** May what an agent file declares count? Its text always does. */
  allows(path: string, file: AgentFile): boolean {
    if (!this.#isReviewed) {
      this.#read.set(path, file);
      return true;
    }
    const acts = actsOfAgent(file.agent.frontmatter);
    if (this.#agents.has(path) && this.#agents.get(path) !== actsDigest(acts)) return false;
    if (!this.#roots.some((root) => isWithin(root, path))) return true;
    return Object.keys(acts).length === 0 || this.#known[path] === digestOf(acts);
  }

  /** Compares every such bundle with its pin. One that the digest of a trusted folder covers needs none. */
  async review(
    project: Pick<Project, 'consent' | 'trust' | 'paths'>,
    read: ReadAgentFile,
    isProjects: (open: OpenBundle) => boolean,
    agents: readonly NamedAgentFile[],
    report: Report,
  ): Promise<void> {
    const { home } = project.paths;
    const covered = project.trust.state === 'trusted' ? project.trust.files : {};
    const loose = [...this.#opened.values()].filter((open) => this.#isLoose(open));
    for (const open of loose) {
      const { file, root } = open.document;
      if (Object.hasOwn(covered, file)) continue;
      const subject = `bundle ${open.searched ?? file}`;
      const acts = await this.#actsOf(open, read);
      Object.assign(this.#known, acts);
      this.#roots.push(root);
      const pin = await readTrustFile(home, subject);
      if (pin === null && !isProjects(open)) {
        await writePin(home, subject, acts);
        if (acts[file] !== NOTHING) report(firstUse('bundle', file));
        continue;
      }
      const before = (pin?.acts ?? {}) as Acts;
      const changed = Object.keys(acts).filter((path) => acts[path] !== before[path]);
      if (changed.includes(file)) changed.push(...open.missing.map((name) => `${name} (cannot be loaded)`));
      if (changed.length > 0) this.#pending.push({ subject, file, acts, changed, isAgent: false });
    }
    for (const agent of agents) await this.#reviewAgent(agent, home, read, report);
    this.#isReviewed = true;
    await this.#ask(project);
    for (const { file, isAgent } of this.#pending) if (isAgent) report(textOnly(file, project.paths.cwd));
  }

  /** One that does not exist is pinned as such: what appears there later was not seen by a person. */
  async #reviewAgent(
    { path, isAbsolute }: NamedAgentFile,
    home: string,
    read: ReadAgentFile,
    report: Report,
  ): Promise<void> {
    const real = await realPathOf(path);
    if (this.#homes.some((folder) => isWithin(folder, real))) return;
    // The list of agents reports one that cannot be read.
    const file = await read(path).catch(() => null);
    const now = file ? actsDigest(actsOfAgent(file.agent.frontmatter)) : NOTHING;
    const subject = `agent ${path}`;
    const pin = await readTrustFile(home, subject);
    if (pin === null && isAbsolute) {
      await writePin(home, subject, { [path]: now });
      if (now !== NOTHING) report(firstUse('agent file', path));
    }
    const before = pin === null ? (isAbsolute ? now : NOTHING) : (pin.acts as Acts | undefined)?.[path];
    this.#agents.set(path, now === NOTHING ? NOTHING : before);
    if (before === now || now === NOTHING) return;
    this.#pending.push({ subject, file: path, acts: { [path]: now }, changed: [path], isAgent: true });
  }

  /** What is not used until a person agrees. */
  get pending(): ActingPart[] {
    return this.#pending.flatMap(({ changed, isAgent }) =>
      changed.map((path) => ({
        file: path,
        what: isAgent ? 'changed, an agent that the environment names' : 'changed, part of a bundle',
      })),
    );
  }

  /** Throws where a bundle differs from its pin: without its hooks a session could lack a guard, so none begins. */
  requireReviewed(folder: string): void {
    const first = this.#pending.find(({ isAgent }) => !isAgent);
    if (!first) return;
    throw new HostError(
      `The bundle ${first.file} is not as it was when it was trusted: ${listed(first.changed)}. No session is started with it. Review it, then run: amplifier trust ${quoted(folder)}`,
      { code: 'MODULE_NOT_TRUSTED', origin: first.file },
    );
  }

  async #ask(project: Pick<Project, 'consent' | 'trust' | 'paths'>): Promise<void> {
    if (this.#pending.length === 0) return;
    const state = this.#pending.map(({ acts }) => acts);
    if (!(await askOnce(project, this.pending, state))) return;
    for (const { subject, file, acts, isAgent } of this.#pending.splice(0)) {
      await writePin(project.paths.home, subject, acts);
      if (isAgent) this.#agents.set(file, acts[file]);
    }
  }

  /** Fetched ones are in the cache below a home; an installed package is where a session may write, its version included. */
  #isLoose({ document: { file } }: OpenBundle): boolean {
    return ![BUILT_IN_BUNDLE, ...this.#homes].some((folder) => isWithin(folder, file));
  }

  async #actsOf({ document, missing }: OpenBundle, read: ReadAgentFile): Promise<Acts> {
    const { file, root, session, providers, tools, hooks, spawn, agents, includes } = document;
    const sections = {
      session,
      providers,
      tools,
      hooks,
      spawn,
      agents,
      // An include that is lost is a change: a guard may be lost with it.
      includes: includes.map(({ reference }) =>
        missing.includes(reference) ? { missing: reference } : reference,
      ),
    };
    const acting = Object.entries(sections).filter(([, section]) => Object.keys(section ?? {}).length > 0);
    const acts: Acts = { [file]: acting.length === 0 ? NOTHING : digestOf(acting) };
    const inFolder = await listAgentFiles({ path: join(root, 'agents'), origin: file });
    for (const { path } of inFolder)
      if (!this.#read.has(path)) {
        // The list of agents reports one that cannot be read.
        const agent = await read(path).catch(() => null);
        if (agent) this.#read.set(path, agent);
      }
    for (const [path, { agent }] of this.#read) {
      const declared = actsOfAgent(agent.frontmatter);
      if (isWithin(root, path) && Object.keys(declared).length > 0) acts[path] = digestOf(declared);
    }
    return acts;
  }
}

const NOTHING = 'nothing';

function actsDigest(acts: JsonObject): string {
  return Object.keys(acts).length === 0 ? NOTHING : digestOf(acts);
}

function writePin(home: string, subject: string, acts: Acts): Promise<void> {
  return writeTrustFile(home, subject, { subject, acts });
}

function firstUse(kind: string, file: string) {
  return {
    level: 'warning' as const,
    code: 'MODULE_FIRST_USE',
    message: `The ${kind} ${file} is used for the first time, and is trusted with what it declares now. You are asked when that changes.`,
  };
}

function textOnly(file: string, folder: string) {
  return {
    level: 'warning' as const,
    code: 'FOLDER_NOT_TRUSTED',
    message: `The agent file ${file}, which the environment names, declares something that you did not trust. Only its text is used. Review it, then run: amplifier trust ${quoted(folder)}`,
  };
}
