import { basename, dirname, extname, resolve } from 'node:path';
import { closestNames, type Diagnostic, type JsonObject, type ModuleSpec, moduleSpec } from '@amplifier/core';
import { absoluteSources } from '../documents/absolute-sources.js';
import { pathWithin } from '../documents/confined-path.js';
import { mappingError } from '../documents/describe-issue.js';
import { parseYamlMapping, type YamlMapping } from '../documents/parse-yaml.js';
import { splitFrontmatter } from '../documents/split-frontmatter.js';
import { blamedOn, FoundationError, formatPlace, type Place } from '../errors.js';
import { BUNDLE_KEYS, BundleFrontmatter } from './bundle-schema.js';
import { mergeBundleModules } from './merge-bundle-values.js';

/** What one bundle file says, before its includes are looked at. Sources beginning with `./` or `../` are absolute. */
export interface BundleDocument {
  file: string;
  /** Nothing it refers to may lie outside this folder. Null for files of the user's own. */
  confine_to: string | null;
  name: string;
  /** The folder that `name:path` starts at. */
  root: string;
  version: string | null;
  description: string;
  includes: { reference: string; place: Place }[];
  session: JsonObject;
  providers: ModuleSpec[];
  tools: ModuleSpec[];
  hooks: ModuleSpec[];
  spawn: JsonObject;
  agents: BundleFrontmatter['agents'];
  context: { key: string; reference: string; place: Place }[];
  instruction: string | null;
  warnings: Diagnostic[];
}

/** Reads a bundle file: YAML, or Markdown with YAML at the top whose body is the instruction. Throws with file and line. */
export function parseBundle(text: string, file: string, confineTo: string | null = null): BundleDocument {
  const { mapping, body } = readParts(text, file);
  const checked = BundleFrontmatter.safeParse(mapping.data);
  if (!checked.success) throw mappingError(checked.error, mapping, 'INVALID_BUNDLE');
  const { bundle = {}, includes = [], session = {}, spawn = {}, agents, context = {} } = checked.data;
  const folder = dirname(file);
  const { providers, tools, hooks } = checked.data;
  const named = modulesByKind(checked.data.modules);
  const sections = {
    session,
    providers: mergeBundleModules(specs(providers), named.provider),
    tools: mergeBundleModules(specs(tools), named.tool),
    hooks: mergeBundleModules(specs(hooks), named.hook),
  };
  const absolute = absoluteIn(sections, file, confineTo);
  return {
    file,
    confine_to: confineTo,
    name: bundle.name?.trim() || fallbackName(file),
    root: namespaceRoot(folder, bundle.namespace_root, confineTo),
    version: bundle.version ?? null,
    description: bundle.description ?? '',
    includes: includes.map((reference, index) => ({
      reference: withoutAt(reference),
      place: mapping.placeOf(['includes', index]),
    })),
    ...absolute,
    spawn,
    agents,
    context: contextEntries(context, mapping),
    instruction: body?.trim() || null,
    warnings: [...unknownKeys(mapping), ...misplacedKeys(bundle, mapping)],
  };
}

function absoluteIn<Sections>(sections: Sections, file: string, confineTo: string | null): Sections {
  try {
    return absoluteSources(sections, dirname(file), confineTo);
  } catch (error) {
    throw blamedOn(error, { file });
  }
}

function namespaceRoot(folder: string, moved: string | undefined, confineTo: string | null): string {
  const root = resolve(folder, moved ?? '.');
  return confineTo === null ? root : pathWithin(confineTo, root);
}

function readParts(text: string, file: string): { mapping: YamlMapping; body: string | null } {
  if (['.yaml', '.yml'].includes(extname(file)))
    return { mapping: parseYamlMapping({ text, file }), body: null };
  if (extname(file) !== '.md')
    throw new FoundationError(
      `${file}: This is no bundle. A bundle is a Markdown file (.md) or YAML (.yaml, .yml), or a folder with a bundle.md or bundle.yaml.`,
      { code: 'INVALID_BUNDLE', origin: file },
    );
  const { frontmatter, first_line, body } = splitFrontmatter(text, file);
  return { mapping: parseYamlMapping({ text: frontmatter ?? '', file, first_line }), body };
}

function specs(entries: readonly unknown[] = []): ModuleSpec[] {
  return entries.flatMap((entry) => moduleSpec(entry) ?? []);
}

/** Modules that a bundle names with nothing but their config; the id tells the kind. */
function modulesByKind(
  modules: BundleFrontmatter['modules'] = {},
): Record<'provider' | 'tool' | 'hook', ModuleSpec[]> {
  const entries = Object.entries(modules).map(([module, config]) => ({
    module,
    ...(config ? { config } : {}),
  }));
  const ofKind = (kind: RegExp) => entries.filter(({ module }) => kind.test(module));
  return { provider: ofKind(/^provider-/), tool: ofKind(/^tool-/), hook: ofKind(/^hooks?-/) };
}

function contextEntries(
  context: NonNullable<BundleFrontmatter['context']>,
  mapping: YamlMapping,
): BundleDocument['context'] {
  return Object.entries(context).flatMap(([key, value]) => {
    if (typeof value === 'string')
      return [{ key, reference: withoutAt(value), place: mapping.placeOf(['context', key]) }];
    return value.map((reference, index) => ({
      key: withoutAt(reference),
      reference: withoutAt(reference),
      place: mapping.placeOf(['context', key, index]),
    }));
  });
}

/** `@bundle:path` is how prose writes it; in YAML the @ is often left there by mistake. */
function withoutAt(reference: string): string {
  return reference.replace(/^@(?=[\w.-]+:)/, '');
}

/** `bundle.md` is named after its folder, any other file after itself. */
function fallbackName(file: string): string {
  const name = basename(file, extname(file));
  return name === 'bundle' ? basename(dirname(file)) : name;
}

function unknownKeys(mapping: YamlMapping): Diagnostic[] {
  return Object.keys(mapping.data)
    .filter((key) => !BUNDLE_KEYS.includes(key))
    .map((key) => {
      const [guess] = closestNames(key, BUNDLE_KEYS);
      const hint = guess ? `Did you mean '${guess}'?` : `Known are ${BUNDLE_KEYS.join(', ')}.`;
      const message = `${formatPlace(mapping.placeOf([key]))}: A bundle has no '${key}', so it is not used. ${hint}`;
      return { level: 'warning', code: 'UNKNOWN_BUNDLE_KEY', message };
    });
}

function misplacedKeys(bundle: JsonObject, mapping: YamlMapping): Diagnostic[] {
  return Object.keys(bundle)
    .filter((key) => BUNDLE_KEYS.includes(key))
    .map((key) => {
      const message = `${formatPlace(mapping.placeOf(['bundle', key]))}: '${key}' stands inside 'bundle', where it is not used. Move it to the top level.`;
      return { level: 'warning', code: 'UNKNOWN_BUNDLE_KEY', message };
    });
}
