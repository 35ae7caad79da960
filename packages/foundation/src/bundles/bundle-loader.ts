import { join } from 'node:path';
import type { Diagnostic, JsonObject } from '@amplifier/core';
import type { AgentSearchPath } from '../agents/list-agent-files.js';
import { agentFileReader, type ReadAgentFile } from '../agents/read-agent-file.js';
import { mapSources } from '../documents/absolute-sources.js';
import { isWithin, pathWithin } from '../documents/confined-path.js';
import type { SourceResolver } from '../sources/source-resolver.js';
import type { Bundle } from './bundle.js';
import { bundleContext } from './bundle-context.js';
import { splitNamespaced } from './bundle-references.js';
import { bundleRoster } from './bundle-roster.js';
import { type BundleLayer, composeBundle, EMPTY_BUNDLE } from './compose-bundle.js';
import type { BundleRegistry, NamespaceRoot, OpenBundle } from './open-bundle-file.js';
import { openIncludes } from './open-includes.js';

export interface BundleLoaderOptions {
  sources: SourceResolver;
  /** Bundles that go by a name. */
  registry?: BundleRegistry;
  /** Where the search for an installed package starts that a reference or the registry names. Default: at the folder of relative ones. */
  packagesFrom?: (source: string, baseDir: string) => string;
  /** An include that cannot be loaded, or a circle, is an error. Otherwise it is a warning and is left out. */
  strict?: boolean;
  /** Default: one of its own. */
  readAgentFile?: ReadAgentFile;
  /** What counts of a bundle's file. Default: all of it. */
  bound?: (open: OpenBundle) => OpenBundle;
}

/** Reads bundles with everything they include. */
export class BundleLoader {
  readonly #options: Required<BundleLoaderOptions>;

  constructor({
    sources,
    registry = {},
    packagesFrom = (_, baseDir) => baseDir,
    strict = false,
    readAgentFile = agentFileReader(),
    bound = (open) => open,
  }: BundleLoaderOptions) {
    this.#options = { sources, registry, packagesFrom, strict, readAgentFile, bound };
  }

  /** `reference` is a registered name, `name:path` or a source; relative ones start at `baseDir`. Later ones are laid on top. */
  async load(reference: string | readonly string[], baseDir: string): Promise<Bundle> {
    let bundle = EMPTY_BUNDLE;
    for (const each of typeof reference === 'string' ? [reference] : reference) {
      const { order: opened, namespaces, warnings } = await openIncludes(each, { ...this.#options, baseDir });
      const order = opened.map(this.#options.bound);
      const layers = order.map((open) => bundleLayer(open, namespaces, this.#options.readAgentFile));
      bundle = (await Promise.all(layers)).reduce(composeBundle, bundle);
      bundle = {
        ...bundle,
        spawn: { ...bundle.spawn, ...agentAccess(order.at(-1)) },
        warnings: [...bundle.warnings, ...warnings, ...missingAgents(bundle, order.at(-1))],
      };
    }
    return bundle;
  }
}

/** The folders of a bundle's agents for an `AgentResolver`: what was laid on last comes first. */
export function bundleSearchPaths({ namespaces, parts }: Bundle): AgentSearchPath[] {
  const order = parts.map(({ name }) => name).reverse();
  const names = [...new Set([...order, ...Object.keys(namespaces)])];
  return names.flatMap((name): AgentSearchPath[] => {
    const root = namespaces[name];
    if (root === undefined) return [];
    // Only what was fetched is confined: in folders of their own, people link files from elsewhere.
    const isFetched = parts.some(({ file, revision }) => revision !== null && isWithin(root, file));
    const path = join(root, 'agents');
    return [{ path, origin: name, namespace: name, root, confine_to: isFetched ? root : undefined }];
  });
}

async function bundleLayer(
  open: OpenBundle,
  namespaces: ReadonlyMap<string, NamespaceRoot>,
  readAgentFile: ReadAgentFile,
): Promise<BundleLayer> {
  const { source, revision, stale, home } = open;
  const document = mapSources(open.document, (module) => namespacedSource(module, namespaces));
  const { name, version, description, session, providers, tools, hooks, spawn, instruction, file } = document;
  const [agents, files] = await Promise.all([
    bundleRoster(open, namespaces, readAgentFile),
    bundleContext(open, namespaces),
  ]);
  return {
    name,
    version,
    description,
    session,
    providers,
    tools,
    hooks,
    spawn,
    instruction,
    context: files.context,
    roster: mapSources(agents.roster, (module) => namespacedSource(module, namespaces)),
    keep_agents: agents.keep_agents,
    namespaces: { ...(home ? { [home.name]: home.root } : {}), [name]: document.root },
    parts: [{ name, source, file, revision, stale }],
    warnings: [...agents.warnings, ...files.warnings],
  };
}

/** The source `name:path` of a module, for a bundle that takes part. */
function namespacedSource(source: string, namespaces: ReadonlyMap<string, NamespaceRoot>): string {
  const { namespace, path } = splitNamespaced(source) ?? {};
  const root = namespace === undefined ? undefined : namespaces.get(namespace);
  return root && path !== undefined ? pathWithin(root.root, path) : source;
}

/** A bundle that lists its agents, or has none, keeps its sessions to these. */
function agentAccess(top: OpenBundle | undefined): JsonObject {
  const agents = top?.document.agents;
  if (agents === 'none' || Array.isArray(agents)) return { agent_access: 'roster' };
  return agents === undefined ? {} : { agent_access: 'all' };
}

/** Names of a top-level list that nothing in the bundle answers to. */
function missingAgents(bundle: Bundle, top: OpenBundle | undefined): Diagnostic[] {
  const wanted = top?.document.agents;
  if (!top || !Array.isArray(wanted)) return [];
  const short = (name: string) => name.split(':').at(-1);
  const present = Object.keys(bundle.agents);
  return wanted
    .filter((name) => !present.some((other) => other === name || short(other) === short(name)))
    .map((name) => ({
      level: 'warning',
      code: 'AGENT_NOT_FOUND',
      message: `${top.document.file}: It lists the agent '${name}', which neither it nor an include has. There are: ${present.join(', ') || 'none'}.`,
    }));
}
