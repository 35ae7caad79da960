import { realpathSync } from 'node:fs';
import module, { isBuiltin, syncBuiltinESMExports } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import workerThreads, { type WorkerOptions } from 'node:worker_threads';
import { isWithin } from '@amplifier/workspace';

const sealed = new Set<string>();

/**
 * From now on a file below `folder` can load only built-in modules and files below `folder`: by `import`, `require` (also one made by
 * `createRequire`, or of another module) and in worker threads. Without this, a package that is missing there would be looked for in
 * every `node_modules` above, where a session may write. It holds for code that means no harm: trusted code can still read a file and
 * evaluate it, or start a process.
 */
export function sealImports(folder: string): void {
  const root = realpathSync(folder);
  if (sealed.has(root)) return;
  if (sealed.size === 0) {
    sealWorkers();
    if (!registerHooks) sealRequire();
  }
  sealed.add(root);
  if (registerHooks) sealImportsAndRequire(root);
  // Node 20: hooks of import run in a separate thread, and require has none.
  else module.register(dataUrl(HOOKS), { data: { root: pathToFileURL(root).href, refusal: REFUSAL } });
}

type Resolve = (specifier: string, context: object) => { url: string };
type ResolveFilename = (
  this: unknown,
  request: string,
  parent: { filename?: string } | undefined,
  ...rest: unknown[]
) => string;

const { registerHooks } = module as unknown as { registerHooks?: (hooks: object) => void };

function sealImportsAndRequire(root: string): void {
  /** Modules without a file that a sealed one imported: they name others by absolute addresses. */
  const inline = new Set<string>();
  const resolve = (specifier: string, context: { parentURL?: string }, next: Resolve) => {
    const found = next(specifier, context);
    const { parentURL: from } = context;
    if (!isFileBelow(root, from) && !inline.has(from ?? '') && callerRoot(resolve) !== root) return found;
    if (found.url.startsWith('data:')) inline.add(found.url);
    check(specifier, found.url, from, root);
    return found;
  };
  registerHooks?.({ resolve });
}

function sealRequire(): void {
  const loader = module as unknown as { _resolveFilename: ResolveFilename };
  const original = loader._resolveFilename;
  const resolveFilename: ResolveFilename = function (request, parent, ...rest) {
    const file = original.call(this, request, parent, ...rest);
    const from = parent?.filename;
    // The caller counts as well: a `require` can be made for, or belong to, another file.
    const root = (from ? rootOf(from) : null) ?? callerRoot(resolveFilename);
    if (root !== null && !isBuiltin(file))
      check(request, pathToFileURL(file).href, from && pathToFileURL(from).href, root);
    return file;
  };
  loader._resolveFilename = resolveFilename;
}

/** A worker that a sealed file starts is sealed as a whole, before its own code runs. */
function sealWorkers(): void {
  const Original = workerThreads.Worker;
  workerThreads.Worker = class Worker extends Original {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      const root = callerRoot(workerThreads.Worker);
      super(file, root === null ? options : sealedOptions(file, options, root));
    }
  };
  syncBuiltinESMExports();
}

function sealedOptions(file: string | URL, options: WorkerOptions, root: string): WorkerOptions {
  // The code of such a worker begins before anything can be loaded that seals it.
  if (options.eval)
    throw new Error(`A trusted module in ${root} starts a worker from a text. Start it from a file.`);
  const url = file instanceof URL ? file.href : pathToFileURL(file).href;
  check(String(file), url, undefined, root);
  const data = { root: pathToFileURL(root).href, refusal: REFUSAL, all: true };
  const first = dataUrl(
    `const data = ${JSON.stringify(data)}, hooks = ${JSON.stringify(HOOKS)};\n${IN_WORKER}`,
  );
  return { ...options, execArgv: [...(options.execArgv ?? process.execArgv), '--import', first] };
}

/** The sealed folder of the code that called `below`, or null. */
function callerRoot(below: object): string | null {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const trace: { stack?: NodeJS.CallSite[] } = {};
  try {
    Error.stackTraceLimit = 30;
    Error.prepareStackTrace = (_, sites) => sites;
    Error.captureStackTrace(trace, below as () => void);
    const name = trace.stack
      ?.map((site) => site.getFileName())
      .find((file) => file && !file.startsWith('node:'));
    return name ? rootOf(name.startsWith('file:') ? fileURLToPath(name) : name) : null;
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function rootOf(file: string): string | null {
  for (const root of sealed) if (isWithin(root, file)) return root;
  return null;
}

function isFileBelow(root: string, url: string | undefined): boolean {
  return url?.startsWith('file:') === true && isWithin(root, fileURLToPath(url));
}

function check(specifier: string, url: string, from: string | undefined, root: string): void {
  if (/^(node|data):/.test(url) || isFileBelow(root, url)) return;
  throw new Error(refusal(specifier, url, from));
}

/** Filled in here, in the thread of the hooks on Node 20, and in workers. */
const REFUSAL =
  "'SPECIFIER', imported by FROM, resolves to URL, which is not part of the trusted copy. Import it by a literal name, so that it is copied with the module, then run amplifier trust.";

function refusal(specifier: string, url: string, from = 'a trusted module'): string {
  return REFUSAL.replace('SPECIFIER', () => specifier)
    .replace('FROM', () => from)
    .replace('URL', () => url);
}

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** The same for `import` on Node 20, as a module that needs nothing else. With `all`, whoever imports. */
const HOOKS = `let root, refusal, all;
const inline = new Set();
export function initialize(data) { root = data.root + '/'; refusal = data.refusal; all = data.all === true; }
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const from = context.parentURL ?? '';
  if (!all && !from.startsWith(root) && !inline.has(from)) return found;
  if (found.url.startsWith('data:')) inline.add(found.url);
  else if (!found.url.startsWith('node:') && !found.url.startsWith(root))
    throw new Error(refusal.replace('SPECIFIER', () => specifier).replace('FROM', () => from).replace('URL', () => found.url));
  return found;
}`;

/** What a sealed worker loads first. */
const IN_WORKER = `import module from 'node:module';
import { pathToFileURL } from 'node:url';
const check = (specifier, url, from) => {
  if (/^(node|data):/.test(url) || url.startsWith(data.root + '/')) return;
  throw new Error(data.refusal.replace('SPECIFIER', () => specifier).replace('FROM', () => String(from)).replace('URL', () => url));
};
if (module.registerHooks) module.registerHooks({ resolve(specifier, context, next) {
  const found = next(specifier, context);
  check(specifier, found.url, context.parentURL);
  return found;
} });
else {
  module.register('data:text/javascript,' + encodeURIComponent(hooks), { data });
  const original = module._resolveFilename;
  module._resolveFilename = function (request, parent, ...rest) {
    const file = original.call(this, request, parent, ...rest);
    if (!module.isBuiltin(file)) check(request, pathToFileURL(file).href, parent?.filename);
    return file;
  };
}`;
