// Runs the program once and keeps the code V8 made of its scripts beside them, for `load-script.ts`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import vm from 'node:vm';

const [main] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), 'amplifier-build-'));
process.env.AMPLIFIER_HOME = home;
process.argv = [process.execPath, main, 'agent', 'list', '--json', '--cwd', home];
process.stdout.write = () => true;

const scripts = new Map();
const late = [];
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, { ...options, cachedData: undefined });
    scripts.set(options.filename, this);
  }

  runInThisContext() {
    const run = super.runInThisContext();
    return (...given) => {
      const importLater = given.pop();
      run(...given, (path) => {
        late.push(path);
        return importLater(path);
      });
    };
  }
};

process.on('exit', () => {
  // Only now: what ran is compiled, and what never ran is left to be compiled when it is needed.
  for (const [file, script] of scripts) writeFileSync(`${file}.code`, script.createCachedData());
  rmSync(home, { recursive: true, force: true });
  if (late.length === 0) return;
  console.error(`To list the agents takes several times as long when it loads ${late.join(', ')}.`);
  process.exitCode = 1;
});
createRequire(import.meta.url)(main);
