import { type Diagnostic, isPlainObject, type JsonObject, mergeValues, setOwn } from '@amplifier/core';
import { parseYamlMapping, splitFrontmatter } from '@amplifier/foundation';
import { DaemonError } from '../daemon-error.js';
import { isName } from './profile-names.js';

type ListedKind = 'provider' | 'tool' | 'hook';
export type ModuleKind = 'orchestrator' | 'context-manager' | ListedKind;

/** One module of a profile, entries of the same identity already merged. */
export interface ManifestModule {
  kind: ModuleKind;
  module: string;
  /** Tells two instances of one module apart. */
  id: string | null;
  source: string | null;
  config: JsonObject;
}

export interface ManifestAgent {
  /** Null when the manifest lists a bare ref: then the file names itself. */
  name: string | null;
  ref: string | null;
  inline: JsonObject | null;
}

export interface ManifestContext {
  name: string;
  ref: string;
}

/** A profile of schema version 2, whatever spelling it was written in. */
export interface Manifest {
  name: string;
  version: string;
  description: string;
  modules: ManifestModule[];
  agents: ManifestAgent[];
  context: ManifestContext[];
  /** `injection_*` and other plain settings of the session section. */
  session: JsonObject;
  task: JsonObject;
  ui: JsonObject;
  extra: JsonObject;
  instruction: string;
  warnings: Diagnostic[];
}

export type ReadManifest = { manifest: Manifest } | { skipped: string };

const LISTS = { providers: 'provider', tools: 'tool', hooks: 'hook' } as const;
const KNOWN = new Set([
  'profile',
  'session',
  'providers',
  'tools',
  'hooks',
  'agents',
  'context',
  'task',
  'ui',
]);
const CONTEXT_MANAGER = ['context-manager', 'context_manager', 'context'] as const;

/** Reads a profile. A Markdown file that is no profile of this version is skipped with the reason; a broken one throws. */
export function readManifest(text: string, file: string): ReadManifest {
  const { frontmatter, first_line, body } = splitFrontmatter(text, file);
  if (frontmatter === null) return { skipped: 'it has no frontmatter' };
  const { data } = parseYamlMapping({ text: frontmatter, file, first_line });
  const head = data.profile;
  if (!isPlainObject(head)) return { skipped: 'its frontmatter has no profile section' };
  const version = head.schema_version ?? head['schema-version'];
  if (Number(version) !== 2)
    return { skipped: `its schema_version is ${String(version)}, and 2 is read here` };
  return { manifest: toManifest(head, data, body.trim(), file) };
}

function toManifest(head: JsonObject, data: JsonObject, instruction: string, file: string): Manifest {
  const warnings: Diagnostic[] = [];
  const warn = (code: string, message: string) => warnings.push({ level: 'warning', code, message });
  const name = scalar(head.name);
  if (name === null || !isName(name)) {
    throw invalid(
      file,
      `profile.name is ${JSON.stringify(head.name)}; use lower case letters, digits, "-", "_"`,
    );
  }
  if (scalar(head.version) === null) throw invalid(file, 'profile.version is missing');
  if (head.extends !== undefined) {
    warn('EXTENDS_IGNORED', 'profile.extends has no meaning in schema version 2 and is ignored.');
  }
  const extra = Object.fromEntries(Object.entries(data).filter(([key]) => !KNOWN.has(key)));
  for (const key of Object.keys(extra))
    warn('UNKNOWN_SECTION', `The section ${key} is not known; it is kept under extra.`);
  return {
    name,
    version: scalar(head.version) ?? '',
    description: scalar(head.description) ?? '',
    modules: [...sessionModules(data.session, file), ...listedModules(data, file, warn)],
    agents: readAgents(data.agents, file),
    context: readContext(data.context, file),
    session: plainSettings(data.session),
    task: isPlainObject(data.task) ? data.task : {},
    ui: isPlainObject(data.ui) ? data.ui : {},
    extra,
    instruction,
    warnings,
  };
}

function sessionModules(session: unknown, file: string): ManifestModule[] {
  if (session === undefined || session === null) return [];
  if (!isPlainObject(session)) throw invalid(file, 'session must be a mapping');
  if (session.orchestrator === undefined) throw invalid(file, 'session.orchestrator is missing');
  const modules = [readModule('orchestrator', session.orchestrator, 'session.orchestrator', file)];
  const key = CONTEXT_MANAGER.find((spelling) => session[spelling] !== undefined);
  if (key) modules.push(readModule('context-manager', session[key], `session.${key}`, file));
  return modules;
}

function plainSettings(session: unknown): JsonObject {
  if (!isPlainObject(session)) return {};
  const modules = new Set<string>(['orchestrator', ...CONTEXT_MANAGER]);
  return Object.fromEntries(Object.entries(session).filter(([key]) => !modules.has(key)));
}

type Warn = (code: string, message: string) => void;

function listedModules(data: JsonObject, file: string, warn: Warn): ManifestModule[] {
  return Object.entries(LISTS).flatMap(([section, kind]) => {
    const entries = data[section] ?? [];
    if (!Array.isArray(entries)) throw invalid(file, `${section} must be a list`);
    const modules = entries.map((entry, at) => readModule(kind, entry, `${section}[${at}]`, file));
    return mergeRepeated(modules, section, file, warn);
  });
}

/** A second entry of one module patches the first; two with different sources and no ids are a mistake. */
function mergeRepeated(
  modules: readonly ManifestModule[],
  section: string,
  file: string,
  warn: Warn,
): ManifestModule[] {
  const merged = new Map<string, ManifestModule>();
  for (const entry of modules) {
    const key = entry.id ?? entry.module;
    const first = merged.get(key);
    if (!first) {
      merged.set(key, entry);
      continue;
    }
    if (entry.source !== null && first.source !== null && entry.source !== first.source) {
      throw new DaemonError(
        'DUPLICATE_MODULE',
        `${file}: ${section} names ${key} with two sources. Remove one, or give each its own id.`,
      );
    }
    if (entry.source !== null && entry.source === first.source) {
      warn('REPEATED_MODULE', `${section} names ${key} twice with the same source; the configs are merged.`);
    }
    merged.set(key, {
      ...first,
      source: first.source ?? entry.source,
      config: mergeConfig(first.config, entry.config),
    });
  }
  return [...merged.values()];
}

/** Maps merge, lists replace, null deletes. */
export function mergeConfig(base: JsonObject, patch: JsonObject): JsonObject {
  return withoutNulls(mergeValues(base, patch) as JsonObject, patch);
}

function withoutNulls(merged: JsonObject, patch: JsonObject): JsonObject {
  const result = { ...merged };
  for (const [key, value] of Object.entries(patch)) {
    const member = result[key];
    if (value === null) delete result[key];
    else if (isPlainObject(value) && isPlainObject(member)) setOwn(result, key, withoutNulls(member, value));
  }
  return result;
}

function readModule(kind: ModuleKind, entry: unknown, where: string, file: string): ManifestModule {
  if (typeof entry === 'string' && entry !== '') {
    return { kind, module: checkModule(entry, where, file), id: null, source: null, config: {} };
  }
  if (!isPlainObject(entry) || typeof entry.module !== 'string') {
    throw invalid(file, `${where} needs a module: { module: name, source?, config? }`);
  }
  const { module, source = null, config = {}, id, instance_id } = entry;
  if (source !== null && typeof source !== 'string') throw invalid(file, `${where}.source must be text`);
  if (config !== null && !isPlainObject(config)) throw invalid(file, `${where}.config must be a mapping`);
  return {
    kind,
    module: checkModule(module, where, file),
    id: scalar(instance_id ?? id),
    source,
    config: config ?? {},
  };
}

function checkModule(module: string, where: string, file: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(module)) return module;
  throw invalid(file, `${where}: ${JSON.stringify(module)} is no module id`);
}

function readAgents(section: unknown, file: string): ManifestAgent[] {
  if (section === undefined || section === null) return [];
  if (Array.isArray(section)) {
    return section.map((ref, at) => {
      if (typeof ref !== 'string') throw invalid(file, `agents[${at}] must be a ref`);
      return { name: null, ref, inline: null };
    });
  }
  if (!isPlainObject(section))
    throw invalid(file, 'agents must be a mapping of names to refs, or a list of refs');
  return Object.entries(section).flatMap(([name, value]): ManifestAgent[] => {
    if (typeof value === 'string') return [{ name, ref: value, inline: null }];
    if (!isPlainObject(value)) throw invalid(file, `agents.${name} must be a ref or a definition`);
    if (name !== 'inline') return [{ name, ref: null, inline: value }];
    return Object.entries(value).map(([inlineName, definition]) => {
      if (!isPlainObject(definition)) throw invalid(file, `agents.inline.${inlineName} must be a mapping`);
      return { name: inlineName, ref: null, inline: definition };
    });
  });
}

function readContext(section: unknown, file: string): ManifestContext[] {
  if (section === undefined || section === null) return [];
  const entries = Array.isArray(section)
    ? section.map((ref, at) => [`context_${at}`, ref] as const)
    : isPlainObject(section)
      ? Object.entries(section)
      : null;
  if (!entries) throw invalid(file, 'context must be a mapping of names to refs, or a list of refs');
  return entries.map(([name, ref]) => {
    if (typeof ref !== 'string') throw invalid(file, `context.${name} must be a ref`);
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name))
      throw invalid(file, `${JSON.stringify(name)} is no context name`);
    return { name, ref };
  });
}

/** An unquoted version such as 1.0 arrives as a number. */
function scalar(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() || null;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

function invalid(file: string, what: string): DaemonError {
  return new DaemonError('PROFILE_INVALID', `${file}: ${what}.`);
}
