import { basename, dirname, extname, resolve } from 'node:path';
import { closestNames, type Diagnostic, type JsonObject, type ModuleSpec, moduleSpec } from '@amplifier/core';
import { absoluteSources } from '../documents/absolute-sources.js';
import { pathWithin } from '../documents/confined-path.js';
import { mappingError } from '../documents/describe-issue.js';
import { parseYamlMapping, type YamlMapping } from '../documents/parse-yaml.js';
import { splitFrontmatter } from '../documents/split-frontmatter.js';
import { formatPlace, type Place } from '../errors.js';
import { BUNDLE_KEYS, BundleFrontmatter } from './bundle-schema.js';

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
  const absolute = <Section extends JsonObject>(section: Section) =>
    absoluteSources(section, folder, confineTo);
  const lists = absolute({
    providers: specs(checked.data.providers),
    tools: specs(checked.data.tools),
    hooks: specs(checked.data.hooks),
  });
  return {
    file,
    confine_to: confineTo,
    name: bundle.name?.trim() || fallbackName(file),
    root: namespaceRoot(folder, bundle.namespace_root, confineTo),
    version: bundle.version ?? null,
    description: bundle.description ?? '',
    includes: includes.map((reference, index) => ({
      reference,
      place: mapping.placeOf(['includes', index]),
    })),
    session: absolute({ session }).session,
    ...lists,
    spawn,
    agents,
    context: contextEntries(context, mapping),
    instruction: body?.trim() || null,
    warnings: unknownKeys(mapping),
  };
}

function namespaceRoot(folder: string, moved: string | undefined, confineTo: string | null): string {
  const root = resolve(folder, moved ?? '.');
  return confineTo === null ? root : pathWithin(confineTo, root);
}

function readParts(text: string, file: string): { mapping: YamlMapping; body: string | null } {
  if (['.yaml', '.yml'].includes(extname(file)))
    return { mapping: parseYamlMapping({ text, file }), body: null };
  const { frontmatter, first_line, body } = splitFrontmatter(text, file);
  return { mapping: parseYamlMapping({ text: frontmatter ?? '', file, first_line }), body };
}

function specs(entries: readonly unknown[] = []): ModuleSpec[] {
  return entries.flatMap((entry) => moduleSpec(entry) ?? []);
}

function contextEntries(
  context: NonNullable<BundleFrontmatter['context']>,
  mapping: YamlMapping,
): BundleDocument['context'] {
  return Object.entries(context).flatMap(([key, value]) => {
    if (typeof value === 'string')
      return [{ key, reference: value, place: mapping.placeOf(['context', key]) }];
    return value.map((reference, index) => ({
      key: reference,
      reference,
      place: mapping.placeOf(['context', key, index]),
    }));
  });
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
