import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { TempWorkspace } from '@amplifier/testkit';
import { x } from 'tinyexec';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (...args: string[]) => x(process.execPath, args, { nodeOptions: { cwd: root } });

describe('npm start', () => {
  it('delegates to three agents on this repository, and says how to continue one of them', async () => {
    await using home = await TempWorkspace.create({});
    const { exitCode, stdout } = await x(process.execPath, ['scripts/start.mjs'], {
      nodeOptions: { cwd: root, env: { ...process.env, AMPLIFIER_HOME: home.path } },
    });
    expect(stdout).toMatch(/^[├└]─ ✓ reviewer/m);
    expect(stdout).toMatch(/^[├└]─ ✓ scout-lead.*\n[│ ] {2}└─ ✓ explorer/m);
    expect(stdout).toMatch(/session resume \S+_explorer/);
    expect(exitCode).toBe(0);
  });
});

describe('dependency arrows', () => {
  const check = (folder: TempWorkspace) => run('scripts/check-arrows.mjs', folder.path);

  it('let a package import what is behind its arrow, and tests the testkit', async () => {
    await using folder = await TempWorkspace.create({
      'packages/sessions/package.json': '{ "dependencies": { "@amplifier/core": "0.1.0" } }',
      'packages/sessions/src/a.ts': "import { Session } from '@amplifier/core';",
      'packages/sessions/src/a.test.ts': "import { settle } from '@amplifier/testkit';",
    });
    expect(await check(folder)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it.each([
    [
      'an import against the arrow',
      { 'packages/core/src/a.ts': "const x = await import('@amplifier/sessions');" },
      /core may import: nothing/,
    ],
    [
      'the testkit in product code',
      { 'packages/core/src/a.ts': "import { settle } from '@amplifier/testkit';" },
      /imports @amplifier\/testkit/,
    ],
    [
      'a dependency of the kernel',
      { 'packages/core/package.json': '{ "dependencies": { "yaml": "1" } }' },
      /nothing but its schema library/,
    ],
    [
      'a manifest against the arrow',
      { 'packages/core/package.json': '{ "dependencies": { "@amplifier/cli": "1" } }' },
      /depends on @amplifier\/cli/,
    ],
    [
      'a package without an arrow',
      { 'packages/kitchen/package.json': '{}' },
      /packages\/kitchen has no arrow/,
    ],
  ])('stop %s', async (_, files, complaint) => {
    await using folder = await TempWorkspace.create({
      'packages/core/package.json': '{}',
      'packages/core/src/index.ts': '',
      ...files,
    });
    const { exitCode, stderr } = await check(folder);
    expect(stderr).toMatch(complaint);
    expect(exitCode).toBe(1);
  });
});

// They take long: only CI runs them.
if (process.env.CI)
  describe('benchmarks', () => {
    const names = readdirSync(`${root}/bench`).filter((file) => file.endsWith('.bench.ts'));
    const { argv, exitCode } = process;
    beforeAll(() => {
      process.argv = [...argv, '--smoke'];
      setFlagsFromString('--expose-gc');
      globalThis.gc = runInNewContext('gc');
    });
    afterAll(() => {
      process.argv = argv;
      process.exitCode = exitCode;
    });

    it.each(names)('%s runs in its smoke form', async (name) => {
      const log = vi.spyOn(console, 'log').mockImplementation(() => {});
      await import(`../bench/${name}`);
      expect(log.mock.calls.join('\n')).toMatch(/\d/);
      expect(process.exitCode).toBe(exitCode);
    });
  });
