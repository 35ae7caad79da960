import { join } from 'node:path';
import type { Report } from '@amplifier/core';
import {
  type AgentFile,
  BUILT_IN_BUNDLE,
  listAgentFiles,
  type OpenBundle,
  type ReadAgentFile,
} from '@amplifier/foundation';
import { isWithin } from '@amplifier/workspace';
import { HostError } from '../host-error.js';
import type { Project } from '../project.js';
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
  #roots: string[] = [];
  #isReviewed = false;
  #pending: Pending[] = [];

  constructor(homes: readonly string[]) {
    this.#homes = homes;
  }

  /** Called for each bundle file that is opened, as it was written. */
  note(open: OpenBundle): void {
    this.#opened.set(open.document.file, open);
  }

  /** May what an agent file declares count? Its text always does. */
  allows(path: string, file: AgentFile): boolean {
    if (!this.#isReviewed) {
      this.#read.set(path, file);
      return true;
    }
    if (!this.#roots.some((root) => isWithin(root, path))) return true;
    const acts = actsOfAgent(file.agent.frontmatter);
    return Object.keys(acts).length === 0 || this.#known[path] === digestOf(acts);
  }

  /** Compares every such bundle with its pin. One that the digest of a trusted folder covers needs none. */
  async review(
    project: Pick<Project, 'consent' | 'trust' | 'paths'>,
    read: ReadAgentFile,
    isProjects: (open: OpenBundle) => boolean,
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
        await pinBundle(home, subject, acts);
        if (acts[file] !== NOTHING) report(firstUse(file));
        continue;
      }
      const before = (pin?.acts ?? {}) as Acts;
      const changed = Object.keys(acts).filter((path) => acts[path] !== before[path]);
      if (changed.length > 0) this.#pending.push({ subject, file, acts, changed });
    }
    this.#isReviewed = true;
    await this.#ask(project);
  }

  /** What is not used until a person agrees. */
  get pending(): ActingPart[] {
    return this.#pending.flatMap(({ changed }) =>
      changed.map((path) => ({ file: path, what: 'changed, part of a bundle' })),
    );
  }

  /** Throws where a bundle differs from its pin: without its hooks a session could lack a guard, so none begins. */
  requireReviewed(folder: string): void {
    const [first] = this.#pending;
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
    for (const { subject, acts } of this.#pending.splice(0))
      await pinBundle(project.paths.home, subject, acts);
  }

  /** Fetched ones are in the cache below a home; an installed package is where a session may write, its version included. */
  #isLoose({ document: { file } }: OpenBundle): boolean {
    return ![BUILT_IN_BUNDLE, ...this.#homes].some((folder) => isWithin(folder, file));
  }

  async #actsOf({ document }: OpenBundle, read: ReadAgentFile): Promise<Acts> {
    const { file, root, session, providers, tools, hooks, spawn, agents, includes } = document;
    const sections = {
      session,
      providers,
      tools,
      hooks,
      spawn,
      agents,
      includes: includes.map(({ reference }) => reference),
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

function pinBundle(home: string, subject: string, acts: Acts): Promise<void> {
  return writeTrustFile(home, subject, { subject, acts });
}

function firstUse(file: string) {
  return {
    level: 'warning' as const,
    code: 'MODULE_FIRST_USE',
    message: `The bundle ${file} is used for the first time, and is trusted with what it declares now. You are asked when that changes.`,
  };
}
