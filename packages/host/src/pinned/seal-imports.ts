import { realpathSync } from 'node:fs';
import module, { isBuiltin } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isWithin } from '@amplifier/workspace';

const sealed = new Set<string>();

/**
 * From now on a file below `folder` can import only built-in modules and files below `folder`. Without this, a package that is
 * missing there would be looked for in every `node_modules` above, where a session may write.
 */
export function sealImports(folder: string): void {
  const root = realpathSync(folder);
  if (sealed.has(root)) return;
  sealed.add(root);
  const { registerHooks } = module as unknown as { registerHooks?: (hooks: object) => void };
  if (registerHooks) {
    registerHooks({
      resolve(specifier: string, context: { parentURL?: string }, next: Resolve) {
        const found = next(specifier, context);
        if (isFileBelow(root, context.parentURL)) check(specifier, found.url, context.parentURL, root);
        return found;
      },
    });
    return;
  }
  // Node 20: hooks of import run in a separate thread, and require has none.
  module.register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, {
    data: { root: pathToFileURL(root).href, refusal: REFUSAL },
  });
  const loader = module as unknown as { _resolveFilename: ResolveFilename };
  const original = loader._resolveFilename;
  loader._resolveFilename = function (request, parent, ...rest) {
    const file = original.call(this, request, parent, ...rest);
    const from = parent?.filename;
    if (from && isWithin(root, from) && !isBuiltin(file))
      check(request, pathToFileURL(file).href, pathToFileURL(from).href, root);
    return file;
  };
}

type Resolve = (specifier: string, context: object) => { url: string };
type ResolveFilename = (
  this: unknown,
  request: string,
  parent: { filename?: string } | undefined,
  ...rest: unknown[]
) => string;

function isFileBelow(root: string, url: string | undefined): boolean {
  return url?.startsWith('file:') === true && isWithin(root, fileURLToPath(url));
}

function check(specifier: string, url: string, from: string | undefined, root: string): void {
  if (/^(node|data):/.test(url) || isFileBelow(root, url)) return;
  throw new Error(refusal(specifier, url, from));
}

/** Filled in here, and on Node 20 in the thread of the hooks. */
const REFUSAL =
  "'SPECIFIER', imported by FROM, resolves to URL, which is not part of the trusted copy. Import it by a literal name, so that it is copied with the module, then run amplifier trust.";

function refusal(specifier: string, url: string, from = ''): string {
  return REFUSAL.replace('SPECIFIER', () => specifier)
    .replace('FROM', () => from)
    .replace('URL', () => url);
}

/** The same for `import` on Node 20, as a module that needs nothing else. */
const HOOKS = `let root, refusal;
export function initialize(data) { root = data.root + '/'; refusal = data.refusal; }
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const from = context.parentURL ?? '';
  if (from.startsWith(root) && !/^(node|data):/.test(found.url) && !found.url.startsWith(root))
    throw new Error(refusal.replace('SPECIFIER', () => specifier).replace('FROM', () => from).replace('URL', () => found.url));
  return found;
}`;
