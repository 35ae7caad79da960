import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

/** A script as the bundler writes it: a function of what Node gives to a module. */
type Wrapper = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  file: string,
  folder: string,
  importLater: (path: string) => Promise<unknown>,
) => void;

export type LoadScript = typeof loadScript;

/**
 * Loads a script of the program with the code that was compiled when it was built: to compile it again is a large part of what it
 * costs to start. Code that another version of Node made is refused by V8, and the text is compiled instead.
 */
export function loadScript<Exports extends object>(name: string): Exports {
  const folder = import.meta.dirname;
  const filename = join(folder, `${name}.js`);
  const script = new Script(readFileSync(filename, 'utf8'), {
    filename,
    cachedData: compiledCode(filename),
  });
  const module = { exports: {} };
  const run: Wrapper = script.runInThisContext();
  run(module.exports, createRequire(filename), module, filename, folder, (path) => import(path));
  return module.exports as Exports;
}

function compiledCode(filename: string): Buffer | undefined {
  try {
    return readFileSync(`${filename}.code`);
  } catch {
    return undefined; // It is only faster with it.
  }
}
