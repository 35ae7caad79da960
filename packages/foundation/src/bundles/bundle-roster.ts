import { dirname, join } from 'node:path';
import { cloneJson, type Diagnostic, errorInfo, isPlainObject, type JsonObject } from '@amplifier/core';
import { agentFragment } from '../agents/agent-fragment.js';
import { parseAgentName } from '../agents/agent-name.js';
import { listAgentFiles } from '../agents/list-agent-files.js';
import type { ReadAgentFile } from '../agents/read-agent-file.js';
import { absoluteSources } from '../documents/absolute-sources.js';
import { mapBounded } from '../documents/map-bounded.js';
import { FoundationError } from '../errors.js';
import { findInRoot } from './bundle-references.js';
import type { NamespaceRoot, OpenBundle } from './open-bundle-file.js';

export interface BundleRoster {
  roster: Record<string, JsonObject>;
  keep_agents: readonly string[] | null;
  warnings: Diagnostic[];
}

/**
 * The agents a bundle file brings. `all` means every file in its `agents/`, a list means just those of all there are,
 * `none` means none at all. A mapping adds to what is there: names under `include`, definitions under their own name.
 */
export async function bundleRoster(
  bundle: OpenBundle,
  namespaces: ReadonlyMap<string, NamespaceRoot>,
  readAgentFile: ReadAgentFile,
): Promise<BundleRoster> {
  const { agents } = bundle.document;
  if (agents === undefined) return { roster: {}, keep_agents: null, warnings: [] };
  if (agents === 'none') return { roster: {}, keep_agents: [], warnings: [] };
  if (Array.isArray(agents)) return { ...(await load(agents, false)), keep_agents: agents };
  if (agents === 'all') {
    const files = await listAgentFiles({
      path: join(bundle.document.root, 'agents'),
      origin: bundle.document.name,
    });
    return {
      ...(await load(
        files.map(({ name }) => name),
        true,
      )),
      keep_agents: null,
    };
  }
  const { include, ...inline } = agents;
  const named = await load(include ?? [], true);
  const defined = Object.entries(inline).filter((entry): entry is [string, JsonObject] =>
    isPlainObject(entry[1]),
  );
  const roster = { ...named.roster };
  for (const [name, definition] of defined) {
    const { roster: fromFile } = await load([name], false);
    roster[name] = { ...fromFile[name], ...own(definition) };
  }
  return { roster, warnings: named.warnings, keep_agents: null };

  async function load(
    names: readonly string[],
    required: boolean,
  ): Promise<Omit<BundleRoster, 'keep_agents'>> {
    const roster: Record<string, JsonObject> = {};
    const warnings: Diagnostic[] = [];
    const loaded = await mapBounded(names, (name) =>
      loadFragment(name, bundle, namespaces, readAgentFile).catch((error) => leftOut(name, error)),
    );
    for (const [index, name] of names.entries()) {
      const found = loaded[index];
      if (found && 'fragment' in found) roster[name] = found.fragment;
      else if (found) warnings.push(found);
      else if (required) warnings.push(notFound(name, bundle));
    }
    return { roster, warnings };
  }

  /** What the bundle leaves empty is filled from the agent's file. */
  function own(definition: JsonObject): JsonObject {
    const { file, confine_to } = bundle.document;
    const filled = Object.entries(definition).filter(([, value]) => Boolean(value));
    return absoluteSources(cloneJson(Object.fromEntries(filled)), dirname(file), confine_to);
  }
}

async function loadFragment(
  name: string,
  { document, home }: OpenBundle,
  namespaces: ReadonlyMap<string, NamespaceRoot>,
  readAgentFile: ReadAgentFile,
): Promise<{ fragment: JsonObject } | null> {
  const { namespace, name: short } = parseAgentName(name);
  const own = { name: document.name, root: document.root, confine_to: document.confine_to };
  const roots =
    namespace === null ? [own, home] : namespace === document.name ? [own] : [namespaces.get(namespace)];
  for (const root of roots) {
    if (!root) continue;
    const inFolder = await findInRoot(join(root.root, 'agents'), `${short}.md`, root.confine_to);
    const file = inFolder ?? (namespace && (await findInRoot(root.root, `${short}.md`, root.confine_to)));
    if (!file) continue;
    const { agent } = await readAgentFile(file);
    return { fragment: absoluteSources(agentFragment(agent), dirname(file), root.confine_to) };
  }
  return null;
}

function leftOut(name: string, error: unknown): Diagnostic {
  const { code = 'INVALID_AGENT', message } = errorInfo(error);
  return { level: 'warning', code, message: `${message} The agent '${name}' is left out.`, error };
}

function notFound(name: string, { document }: OpenBundle): Diagnostic {
  const error = new FoundationError(
    `It names the agent '${name}', and there is no such file in an agents folder. Check the name, or add agents/${name.split(':').at(-1)}.md.`,
    { code: 'AGENT_NOT_FOUND', place: { file: document.file } },
  );
  return { level: 'warning', code: error.code, message: error.message, error };
}
