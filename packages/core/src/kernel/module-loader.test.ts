import { execFile } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import type { AmplifierModule } from './contracts/module.js';
import { ModuleLoader } from './module-loader.js';

const module: AmplifierModule = { mount: () => {} };

describe('module loader', () => {
  it('serves a built-in whatever source the plan names, loading it once', async () => {
    let loads = 0;
    const load = () => {
      loads++;
      return module;
    };
    const loader = new ModuleLoader({ builtins: { 'tool-bash': load } });
    expect(await loader.load('tool-bash', 'git+https://example.invalid/python-only')).toBe(module);
    expect(await loader.load('tool-bash')).toBe(module);
    expect(loads).toBe(1);
  });

  it('imports a JavaScript source', async () => {
    await using folder = await TempWorkspace.create({
      'mod.mjs': 'export function mount() {}\nexport const marker = 42;\n',
    });
    const found = await new ModuleLoader().load('tool-mine', pathToFileURL(folder.resolve('mod.mjs')).href);
    expect(found).toMatchObject({ marker: 42 });
  });

  it('accepts a module that is the default export', async () => {
    await using folder = await TempWorkspace.create({
      'mod.mjs': 'export default { mount() {}, marker: 1 };\n',
    });
    expect(await new ModuleLoader().load('m', pathToFileURL(folder.resolve('mod.mjs')).href)).toMatchObject({
      marker: 1,
    });
  });

  it('asks the resolver of the app for anything else', async () => {
    await using folder = await TempWorkspace.create({ 'mod.mjs': 'export const mount = () => {};\n' });
    const asked: unknown[] = [];
    const resolver = {
      resolve: async (...args: unknown[]) => {
        asked.push(args);
        return pathToFileURL(folder.resolve('mod.mjs')).href;
      },
    };
    await new ModuleLoader().load('tool-x', 'git+https://example.invalid/x', resolver);
    expect(asked).toEqual([['tool-x', 'git+https://example.invalid/x']]);
  });

  it('names the closest built-in for an id nobody has', async () => {
    const loader = new ModuleLoader({ builtins: { 'tool-filesystem': () => module } });
    await expect(loader.load('tool-filesytem')).rejects.toMatchObject({
      code: 'MODULE_NOT_FOUND',
      message: expect.stringContaining("Did you mean 'tool-filesystem'?"),
    });
  });

  it('says what failed when a source cannot be loaded, and tries again next time', async () => {
    let failures = 1;
    const resolver = {
      resolve: async () => {
        if (failures-- > 0) throw new Error('only Python found');
        return 'node:fs';
      },
    };
    const loader = new ModuleLoader();
    await expect(loader.load('tool-py', 'git+x', resolver)).rejects.toMatchObject({
      code: 'MODULE_NOT_FOUND',
      message: expect.stringContaining('only Python found'),
    });
    await expect(loader.load('tool-py', 'git+x', resolver)).rejects.toMatchObject({ code: 'MODULE_INVALID' });
  });

  it('survives a module that imports a CommonJS file which throws, and no other uncaught exception', async () => {
    await using folder = await TempWorkspace.create({
      'mod.mjs': "import './part.cjs';\nexport const mount = () => {};\n",
      'part.cjs': "throw new Error('broken part');\n",
    });
    const url = (path: string) => JSON.stringify(pathToFileURL(path).href);
    const core = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
    const source = url(folder.resolve('mod.mjs'));
    const load = `const { ModuleLoader } = await import(${url(core)});
      const failed = new ModuleLoader().load('m', ${source}).catch(({ message }) => console.log(message));`;
    const run = (end: string) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', `${load}\n${end}`]);
    const { stdout } = await run("await failed;\nsetTimeout(() => console.log('alive'), 20);");
    expect(stdout).toMatch(/broken part\nalive\n$/);
    await expect(run("await failed;\nsetTimeout(() => { throw new Error('another'); }, 0);")).rejects.toThrow(
      'another',
    );
    const early = "failed.catch(() => {});\nsetImmediate(() => { throw new Error('another'); });";
    await expect(run(early)).rejects.toThrow('another');
  });

  it('does not take names of Object.prototype for built-ins', async () => {
    await expect(new ModuleLoader({ builtins: {} }).load('constructor')).rejects.toMatchObject({
      code: 'MODULE_NOT_FOUND',
    });
  });
});
