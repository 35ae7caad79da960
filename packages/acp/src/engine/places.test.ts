import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { NoSandbox } from '@amplifier/workspace';
import { describe, expect, it } from 'vitest';
import { acpBench, acpFacts, patchOf, sandbox } from '../../test-support/acp-bench.js';

type Bench = Awaited<ReturnType<typeof acpBench>>;

interface Place {
  cwd: string;
  /** Of its files in a patch. */
  prefix?: string;
  /** A path of it that is there in a sandbox, which has temporary folders of its own. */
  real?: string;
}

/** Folders that people work in, as they come. */
const FOLDERS: [name: string, make: (bench: Bench) => Promise<Place>][] = [
  ['the root of a repository', async ({ repo }) => ({ cwd: repo.path })],
  [
    'a subfolder of a repository',
    async ({ repo }) => {
      await repo.write('sub/deep/x.txt', 'x\n');
      await repo.commit('sub');
      return { cwd: repo.resolve('sub/deep'), prefix: 'sub/deep/' };
    },
  ],
  [
    'a symlinked folder',
    async ({ repo, home }) => {
      await symlink(repo.path, home.resolve('link'));
      return { cwd: home.resolve('link'), real: repo.path };
    },
  ],
  [
    'a submodule',
    async ({ repo }) => {
      await repo.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', repo.path, 'inner');
      await repo.commit('inner');
      return { cwd: repo.resolve('inner') };
    },
  ],
  [
    'a linked worktree',
    async ({ repo, home }) => {
      await repo.git('worktree', 'add', '--quiet', '--detach', home.resolve('linked'));
      return { cwd: home.resolve('linked') };
    },
  ],
  [
    'a repository without commits',
    async ({ repo, home }) => {
      await repo.git('init', '--quiet', home.resolve('young'));
      return { cwd: home.resolve('young') };
    },
  ],
  [
    'a plain folder',
    async ({ home }) => {
      await mkdir(home.resolve('plain/below'), { recursive: true });
      return { cwd: home.resolve('plain') };
    },
  ],
];

describe.runIf(sandbox.name !== 'none').each(FOLDERS)('in %s', (_name, make) => {
  it('what the agent writes is applied in write and proposed in propose, by relative and by absolute path', async () => {
    await using bench = await acpBench();
    const { cwd, prefix = '', real = cwd } = await make(bench);
    const prompt = `!write b.txt hello\n!write ${real}/c.txt hello\n!fs_write ${cwd}/d.txt hello`;
    const written = ['b.txt', 'c.txt', 'd.txt'];
    const changes = written.map((name) => ({ path: `${prefix}${name}`, kind: 'added' }));
    const proposed = await bench.run(prompt, { cwd, safety_mode: 'propose' });
    expect(proposed).toMatchObject({ status: 'completed', warnings: [] });
    expect(patchOf(proposed)).toMatchObject({ applied: false, changes });
    for (const name of written) await expect(readFile(join(cwd, name))).rejects.toThrow('ENOENT');
    const applied = await bench.run(prompt, { cwd, safety_mode: 'write' });
    expect(applied).toMatchObject({ status: 'completed', warnings: [] });
    expect(patchOf(applied)).toMatchObject({ applied: true, changes });
    for (const name of written) expect(await readFile(join(cwd, name), 'utf8')).toBe('hello\n');
  });
});

describe.runIf(sandbox.name !== 'none')('a tree of its own, seen where the user’s lies', () => {
  it('git works in it, commits included, and nothing of that reaches the user’s branch', async () => {
    await using bench = await acpBench({ flags: ['--modes', 'full'] });
    const head = await bench.repo.git('rev-parse', 'HEAD');
    const identity = '-c user.name=x -c user.email=x@example.invalid';
    const outcome = await bench.run(
      `!shell echo two > a.txt && git ${identity} commit -qam two && git status --porcelain && git log --oneline | wc -l\n!say Done.`,
      { safety_mode: 'write' },
    );
    expect(outcome.warnings).toEqual([]);
    expect(patchOf(outcome)).toMatchObject({ applied: true, changes: [{ path: 'a.txt' }] });
    expect(await bench.repo.git('rev-parse', 'HEAD')).toBe(head);
    expect(await bench.repo.read('a.txt')).toBe('two\n');
    expect(await bench.repo.git('worktree', 'list')).not.toContain('isolation');
  });

  it('an agent’s own session is found again in the next turn, because the folder is the same', async () => {
    await using bench = await acpBench({ flags: ['--resume'] });
    const first = await bench.run('!about', { safety_mode: 'write' });
    expect(first).toMatchObject({ text: expect.stringContaining(`"cwd":"${bench.repo.path}"`) });
    const { outcome } = await bench.delegator.resume(first.session_id, '!write b.txt hello');
    expect(acpFacts(outcome)).toMatchObject({ opened: 'resumed' });
    expect(await bench.repo.read('b.txt')).toBe('hello\n');
  });

  it('a terminal of ours shows the same', async () => {
    await using bench = await acpBench();
    const outcome = await bench.run(`!write b.txt hello\n!terminal cat ${bench.repo.path}/b.txt`, {
      safety_mode: 'write',
    });
    expect(outcome).toMatchObject({ text: expect.stringContaining('exit 0: hello') });
  });

  it('the home itself is copied, and the agent told where it works', async () => {
    await using bench = await acpBench({ isolation: 'user/.amplifier/isolation' });
    const cwd = bench.home.resolve('user');
    await bench.home.write('user/notes.txt', 'one\n');
    const outcome = await bench.run('!prompt\n!write b.txt hello', { cwd, safety_mode: 'write' });
    expect(outcome).toMatchObject({ text: expect.stringContaining(`a copy of ${cwd}.`) });
    expect(patchOf(outcome)).toMatchObject({ applied: true, changes: [{ path: 'b.txt', kind: 'added' }] });
  });
});

it('without a sandbox the agent is told where it works, and refused writes are in the result', async () => {
  await using bench = await acpBench({ engine: { sandbox: new NoSandbox('This test has none.') } });
  const file = bench.repo.resolve('c.txt');
  const told = await bench.run('!prompt', { safety_mode: 'write' });
  expect(told).toMatchObject({ text: expect.stringMatching(/You work in .*tree, a copy of /) });
  const outcome = await bench.run(`!fs_write ${file} hello\n!ask edit ${file}`, { safety_mode: 'write' });
  expect(outcome).toMatchObject({
    status: 'completed',
    warnings: expect.arrayContaining([
      expect.stringMatching(/The agent was refused: write .*c\.txt .*; edit .*c\.txt/),
    ]),
  });
  expect(acpFacts(outcome).refused).toHaveLength(2);
});
