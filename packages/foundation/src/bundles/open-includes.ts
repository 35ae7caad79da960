import { type Diagnostic, errorInfo } from '@amplifier/core';
import { FoundationError, formatPlace } from '../errors.js';
import { splitNamespaced } from './bundle-references.js';
import { type NamespaceRoot, type OpenBundle, type OpenOptions, openBundleFile } from './open-bundle-file.js';
import { bundleFileReader } from './read-bundle-file.js';

export interface BundleGraph {
  /** Every bundle in the order it is laid on: what is included before what includes it, each once. */
  order: OpenBundle[];
  namespaces: Map<string, NamespaceRoot>;
  warnings: Diagnostic[];
}

type GraphOptions = Pick<OpenOptions, 'sources' | 'registry' | 'baseDir' | 'packagesFrom'> & {
  strict: boolean;
};
type Include = OpenBundle['document']['includes'][number];

/** Opens a bundle and everything it includes, includes of one file at the same time. */
export async function openIncludes(reference: string, graph: GraphOptions): Promise<BundleGraph> {
  const options = { ...graph, readBundleFile: bundleFileReader() };
  const namespaces = new Map<string, NamespaceRoot>();
  const opened = new Map<string, OpenBundle>();
  const included = new Map<string, Map<Include, string>>();
  const waiting: { include: Include; from: OpenBundle }[] = [];
  const warnings: Diagnostic[] = [];

  const first = await openBundleFile(reference, { ...options, namespaces, includedBy: null });
  await visit(first);
  // A name:path may belong to a bundle that another include brings, so such are tried again once the rest is there.
  while (waiting.length > 0) {
    const round = waiting.splice(0);
    const ready = round.filter(({ include }) => isKnown(include.reference));
    const next = ready.length > 0 ? ready : round;
    if (ready.length > 0) waiting.push(...round.filter((entry) => !ready.includes(entry)));
    await Promise.all(next.map(({ include, from }) => follow(include, from)));
  }
  return { order: inOrder(first), namespaces, warnings };

  async function visit(bundle: OpenBundle): Promise<void> {
    const { document, home } = bundle;
    opened.set(document.file, bundle);
    included.set(document.file, new Map());
    register({ name: document.name, root: document.root, confine_to: document.confine_to });
    if (home) register(home);
    warnings.push(...document.warnings);
    const now = document.includes.filter((include) => isKnown(include.reference));
    for (const include of document.includes)
      if (!now.includes(include)) waiting.push({ include, from: bundle });
    await Promise.all(now.map((include) => follow(include, bundle)));
  }

  async function follow(include: Include, from: OpenBundle): Promise<void> {
    let bundle: OpenBundle;
    try {
      bundle = await openBundleFile(include.reference, { ...options, namespaces, includedBy: from });
    } catch (error) {
      passOver(include, error);
      from.missing.push(include.reference);
      return;
    }
    const { file } = bundle.document;
    included.get(from.document.file)?.set(include, file);
    if (!opened.has(file)) await visit(bundle);
  }

  function isKnown(include: string): boolean {
    const { namespace } = splitNamespaced(include) ?? {};
    if (namespace === undefined) return true;
    return namespaces.has(namespace) || Object.hasOwn(options.registry, namespace);
  }

  function register(root: NamespaceRoot): void {
    if (!namespaces.has(root.name)) namespaces.set(root.name, root);
  }

  function passOver({ reference: missing, place }: Include, error: unknown): void {
    const what = `It includes '${missing}', which cannot be loaded: ${errorInfo(error).message}`;
    const always = error instanceof FoundationError && error.code === 'BUNDLE_DEPENDENCY';
    if (options.strict || always)
      throw new FoundationError(what, { code: 'BUNDLE_DEPENDENCY', place, cause: error });
    warnings.push({
      level: 'warning',
      code: 'BUNDLE_DEPENDENCY',
      message: `${formatPlace(place)}: ${what} It is left out.`,
      error,
    });
  }

  function inOrder(root: OpenBundle): OpenBundle[] {
    const done = new Set<string>();
    const order: OpenBundle[] = [];
    layOn(root, []);
    return order;

    function layOn(bundle: OpenBundle, above: string[]): void {
      const { file, includes } = bundle.document;
      if (done.has(file)) return;
      const chain = [...above, file];
      for (const include of includes) {
        const target = included.get(file)?.get(include);
        const next = target === undefined ? undefined : opened.get(target);
        if (!next) continue;
        if (chain.includes(next.document.file)) noteCycle(include, chain);
        else layOn(next, chain);
      }
      done.add(file);
      order.push(bundle);
    }
  }

  function noteCycle({ reference: again, place }: Include, chain: string[]): void {
    const what = `It includes '${again}', which includes this one again (${chain.join(' → ')}). Remove one of the includes.`;
    if (options.strict) throw new FoundationError(what, { code: 'BUNDLE_CYCLE', place });
    warnings.push({ level: 'warning', code: 'BUNDLE_CYCLE', message: `${formatPlace(place)}: ${what}` });
  }
}
