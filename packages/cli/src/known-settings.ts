import {
  closestNames,
  hostPaths,
  listMatrices,
  namedBundles,
  ROUTING_DIR,
  readSettings,
} from '@amplifier/host';
import type { Cli } from './cli.js';
import { openCliProject } from './open-project.js';
import { UsageError } from './usage-error.js';

/** Keys that settings have. Others belong to whoever reads them; one that only looks like one of these is a typing mistake. */
const KEYS: Record<string, readonly string[]> = {
  '': [
    'bundle',
    'config',
    'modules',
    'overrides',
    'sources',
    'routing',
    'delegation',
    'permissions',
    'terminal',
    'prices',
  ],
  bundle: ['active', 'app', 'added'],
  config: ['providers'],
  modules: ['tools', 'hooks'],
  sources: ['modules', 'bundles'],
  routing: ['matrix', 'overrides'],
  permissions: ['allow', 'ask', 'deny'],
  terminal: ['notify', 'screen_reader'],
};

/** Throws when a setting would name a key, a bundle or a matrix that does not exist. */
export async function requireKnown(cli: Cli, path: readonly string[], value: unknown): Promise<void> {
  requireKey(path[0] ?? '', KEYS[''] ?? [], '');
  requireKey(path[1], KEYS[path[0] ?? ''] ?? [], `${path[0]}.`);
  const paths = hostPaths(cli.cwd);
  const key = path.join('.');
  if (key === 'routing.matrix')
    requireName(
      'matrix',
      value,
      await listMatrices([...paths.routing, ROUTING_DIR]),
      'amplifier routing list',
    );
  if (key !== 'bundle.active') return;
  const known = Object.keys(await namedBundles(paths, await readSettings(paths)));
  if (!known.includes(String(value)) && !/[/:]/.test(String(value)))
    requireName('bundle', value, known, 'amplifier bundle list');
  await openCliProject(cli, String(value));
}

function requireKey(key: string | undefined, known: readonly string[], above: string): void {
  if (key === undefined || known.length === 0 || known.includes(key)) return;
  const [close] = closestNames(key, [...known]);
  if (close) throw new UsageError(`There is no setting '${above}${key}'. Did you mean '${above}${close}'?`);
}

function requireName(what: string, value: unknown, known: readonly string[], command: string): void {
  if (typeof value === 'string' && known.includes(value)) return;
  const [close] = closestNames(String(value), [...known]);
  throw new UsageError(
    `There is no ${what} '${String(value)}'. ${close ? `Did you mean '${close}'?` : `See: ${command}`}`,
  );
}
