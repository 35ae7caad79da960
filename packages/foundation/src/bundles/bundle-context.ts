import { dirname } from 'node:path';
import type { Diagnostic } from '@amplifier/core';
import { blamedOn, formatPlace } from '../errors.js';
import { findInRoot, splitNamespaced } from './bundle-references.js';
import type { NamespaceRoot, OpenBundle } from './open-bundle-file.js';

/** The context files of a bundle, by `bundle:key`. One that is not there is reported and left out. */
export async function bundleContext(
  { document, home }: OpenBundle,
  namespaces: ReadonlyMap<string, NamespaceRoot>,
): Promise<{ context: Record<string, string>; warnings: Diagnostic[] }> {
  const context: Record<string, string> = {};
  const warnings: Diagnostic[] = [];
  for (const { key, reference, place } of document.context) {
    const namespaced = splitNamespaced(reference);
    const local = [{ root: dirname(document.file), confine_to: document.confine_to }, document, home];
    const roots = namespaced ? [namespaces.get(namespaced.namespace)] : local;
    const path = namespaced?.path ?? reference;
    const found = await firstFile(roots, path).catch((error) => {
      throw blamedOn(error, place);
    });
    if (found) context[key.includes(':') ? key : `${document.name}:${key}`] = found;
    else
      warnings.push({
        level: 'warning',
        code: 'CONTEXT_NOT_FOUND',
        message: `${formatPlace(place)}: The context file '${reference}' is not there. Check the path.`,
      });
  }
  return { context, warnings };
}

async function firstFile(
  roots: readonly ({ root: string; confine_to: string | null } | null | undefined)[],
  path: string,
): Promise<string | null> {
  for (const root of roots) {
    const file = root && (await findInRoot(root.root, path, root.confine_to));
    if (file) return file;
  }
  return null;
}
