import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TempGitRepo, TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { run, sandbox, start, works } from '../../test-support/write-mode.js';
import { sessionGrant } from '../grant/safety-mode.js';
import { takeSnapshot } from '../patches/snapshot.js';
import { startProcess } from '../processes/start-process.js';
import { checkLeft } from './check-after.js';

if (!works) console.warn(`SKIPPED: every test of what is missing. ${sandbox.because}`);

describe.runIf(works)('a command in write mode', () => {
  it('leaves nothing that acts later where there was none, in repositories below its folder either', async () => {
    const paths = [
      '.vscode/tasks.json',
      '.github/workflows/evil.yml',
      '.amplifier/agents/pwn.md',
      '.amplifier/settings.yaml',
      '.claude/settings.json',
      '.mcp.json',
      '.envrc',
      '.gitlab-ci.yml',
      'Jenkinsfile',
      '.pre-commit-config.yaml',
      'lint-staged.config.mjs',
      '.devcontainer.json',
      '.git/hooks/post-checkout',
      '.git/config',
      '.git/commondir',
      'sub/.git/hooks/post-checkout',
      'sub/.git/config',
      'sub/.vscode/tasks.json',
      '.git/modules/deep/one/hooks/post-checkout',
    ];
    const moves = [
      'mkdir -p "$(dirname $P)"; echo evil > $P',
      'rm -rf $P; d="$(dirname $P)"; mv "$d" moved; mkdir -p "$d"; echo evil > $P',
      'mkdir -p away; echo evil > away/y; ln -sfn $PWD/away/y $P; ln -sfn $PWD/away "$(dirname $P)"',
      'mkdir -p "$(dirname $P)"; echo evil > $P; [ "$(dirname $P)" = . ] || chmod 000 "$(dirname $P)"',
    ];
    for (const move of moves) {
      await using repo = await TempGitRepo.create({ 'a.txt': 'a' });
      await rm(repo.resolve('.git/hooks'), { recursive: true, force: true });
      await mkdir(repo.resolve('sub/.git/hooks'), { recursive: true });
      await mkdir(repo.resolve('.git/modules/deep/one/hooks'), { recursive: true });
      await repo.write('.git/modules/deep/one/HEAD', 'ref: refs/heads/main\n');
      const before = await readdir(repo.path);
      const { held_back } = await run(repo.path, `for P in ${paths.join(' ')}; do ${move}; done`);
      for (const path of paths)
        expect(await readFile(repo.resolve(path), 'utf8').catch(() => ''), `${move}: ${path}`).not.toContain(
          'evil',
        );
      expect(held_back.join('\n'), move).toContain(
        `may not write ${repo.resolve('.envrc')}, so it was renamed`,
      );
      const after = (await readdir(repo.path)).filter((name) => !/^moved|^away|held-back/.test(name));
      // Folders that hold nothing may stay, those whose part was renamed too.
      const harmless = ['.amplifier', '.claude', '.github', '.vscode'];
      expect(
        after.filter((name) => !harmless.includes(name)),
        move,
      ).toEqual(before);
      await run(repo.path, 'chmod -R u+rwx . 2>/dev/null');
    }
  });

  it('leaves nothing in the places that the git settings of the folder name', async () => {
    await using repo = await TempGitRepo.create({ 'hooks/pre-commit': 'mine', 'settings/git': '' });
    await repo.git('config', 'core.hooksPath', 'hooks');
    await repo.git('config', '--add', 'include.path', '../settings/git');
    await repo.git('config', '--add', 'include.path', '../settings/missing');
    const paths = ['hooks/pre-commit', 'hooks/post-checkout', 'settings/git', 'settings/missing'];
    await run(
      repo.path,
      `for P in ${paths.join(' ')}; do echo evil > $P; done; mv hooks other; echo a > free`,
    );
    for (const path of paths)
      expect(await readFile(repo.resolve(path), 'utf8').catch(() => ''), path).not.toContain('evil');
    expect(await repo.read('hooks/pre-commit')).toBe('mine');
    expect(existsSync(repo.resolve('free'))).toBe(true);
  });

  it('cannot have us rename anything outside of its folder', async () => {
    await using outside = await TempWorkspace.create({
      'workflows/a.yml': 'theirs',
      'hooks/post-checkout': 'theirs',
    });
    await using space = await TempWorkspace.create({ 'a.txt': 'a' });
    await run(space.path, `ln -s ${outside.path} .github; ln -s ${outside.path} .git`);
    expect((await readdir(outside.path)).sort()).toEqual(['hooks', 'workflows']);
    expect((await readdir(space.path)).sort()).toEqual(['.git.held-back', '.github.held-back', 'a.txt']);
  });

  it('makes a repository, of which only what acts is held back', async () => {
    await using bare = await TempWorkspace.create({ 'a.txt': 'a' });
    const commit = 'git add -A && git -c user.name=a -c user.email=a@b commit -qm b';
    const line = `git init -q -b main && git config user.name A && ${commit}`;
    const made = await run(bare.path, `${line} && ls -A`);
    expect(made).toMatchObject({ out: '.git\na.txt', err: '', held_back: [] });
    // Its settings are locked from now on, as those of every repository are, and commits go on.
    const next = await run(
      bare.path,
      `git config core.fsmonitor evil; echo b > b.txt; ${commit}; git log --oneline | wc -l`,
    );
    expect(next.out).toBe('2');
    expect(next.held_back).toEqual([]);

    await using other = await TempWorkspace.create({ 'a.txt': 'a' });
    const evil = [
      'git init -q; git config core.fsmonitor evil; printf evil > .git/hooks/post-checkout',
      'git init -q sub; git -C sub config core.hooksPath evil; printf evil > sub/.git/hooks/pre-commit',
      'mkdir -p x/y; cp -r .git x/y/real; printf "gitdir: ./real" > x/y/.git',
    ];
    const { held_back } = await run(other.path, evil.join('\n'));
    expect(
      held_back.map((line) => /write (.*), so/.exec(line)?.[1]?.slice(other.path.length)).sort(),
    ).toEqual([
      '/.git/config',
      '/.git/hooks',
      '/sub/.git/config',
      '/sub/.git/hooks',
      '/x/y/.git',
      '/x/y/real/HEAD',
    ]);
    expect((await run(other.path, 'git status --short; git log 2>&1')).out).not.toContain('fatal: not a git');
  });

  /** By what it does: a line that makes git, or another program, act in a folder below. */
  const PLANTED: { what: string; line: string; acts: string; held: string }[] = [
    {
      what: 'the working folder is a bare repository',
      line: 'git init -q --bare x; mv x/HEAD x/objects x/refs x/config .; git --git-dir=. config core.fsmonitor evil',
      acts: 'config',
      held: 'HEAD',
    },
    {
      what: 'it is one with the folders that it has',
      line: "mkdir objects refs; printf 'ref: refs/heads/main' > HEAD; printf evil > hooks/pre-commit",
      acts: 'hooks/pre-commit',
      held: 'HEAD',
    },
    {
      what: 'a folder below is one',
      line: 'git init -q --bare deep/down/x; git --git-dir=deep/down/x config core.fsmonitor evil',
      acts: 'deep/down/x/config',
      held: 'deep/down/x/HEAD',
    },
    {
      what: 'a folder below is one by a pointer',
      line: 'mkdir y; git init -q --bare z; git --git-dir=z config core.fsmonitor evil; rm z/HEAD; printf "ref: refs/heads/main" > y/HEAD; printf ../z > y/commondir',
      acts: 'z/config',
      held: 'y/HEAD',
    },
    {
      what: 'a shell enters a folder below',
      line: 'mkdir sub; echo evil > sub/.envrc',
      acts: 'sub/.envrc',
      held: 'sub/.envrc',
    },
    {
      what: 'an editor opens a folder below',
      line: 'mkdir -p a/b/c/.vscode; echo evil > a/b/c/.vscode/tasks.json',
      acts: 'a/b/c/.vscode/tasks.json',
      held: 'a/b/c/.vscode',
    },
    {
      what: 'cargo builds in a folder of a build',
      line: 'mkdir -p build/.cargo; echo evil > build/.cargo/config.toml',
      acts: 'build/.cargo/config.toml',
      held: 'build/.cargo/config.toml',
    },
    {
      what: 'a name that is a pattern',
      line: 'echo evil > a.code-workspace',
      acts: 'a.code-workspace',
      held: 'a.code-workspace',
    },
    {
      what: 'a folder whose name is no text',
      line: "mkdir $'\\xff'; echo evil > $'\\xff'/.envrc",
      acts: '-',
      held: 'base64:/y8uZW52cmM=',
    },
  ];

  it.each(PLANTED)('leaves nothing behind where $what', async ({ line, acts, held }) => {
    await using space = await TempWorkspace.create({ 'a.txt': 'a', 'hooks/README': 'mine' });
    const { held_back, err } = await run(space.path, line);
    expect(err.replace(/warning.*/g, '')).toBe('');
    expect(held_back.join('\n')).toContain(`${held}, so it was renamed`);
    if (acts === held) expect(existsSync(space.resolve(acts))).toBe(false);
    // Git finds no repository from where a person would start it.
    const found = await run(
      space.path,
      `cd "$(dirname ${held.startsWith('base64:') ? '.' : held})" && git rev-parse --git-dir`,
    );
    expect(found.out).toBe('');
    expect(await space.read('hooks/README')).toBe('mine');
  });

  it('makes a bare repository, whose settings are locked for the next command of the session', async () => {
    await using space = await TempWorkspace.create({ 'a.txt': 'a' });
    const cwd = await realpath(space.path);
    const grant = await sessionGrant('write', { cwd, trusted: true, homes: [] });
    const next = async (line: string) => {
      const running = await startProcess({ command: ['bash', '-c', line], cwd, grant, sandbox });
      return running.done;
    };
    const made = await next(
      'git init -q --bare store.git && git init -q sub && git clone -q --bare sub copy.git',
    );
    expect([made.held_back, made.exit_code]).toEqual([[], 0]);
    await next(
      'for at in store.git copy.git sub/.git; do git --git-dir=$at config core.fsmonitor evil; echo evil > $at/hooks/pre-commit; echo evil > $at/config.worktree; done',
    );
    for (const at of ['store.git', 'copy.git', 'sub/.git'])
      for (const name of ['config', 'hooks/pre-commit', 'config.worktree'])
        expect(
          await readFile(space.resolve(at, name), 'utf8').catch(() => ''),
          `${at}/${name}`,
        ).not.toContain('evil');
  });

  it('names what acts in a folder below and was changed, and leaves it', async () => {
    await using space = await TempWorkspace.create({ 'pkg/.npmrc': 'mine', 'pkg/.vscode/a/b.json': 'mine' });
    const quiet = await run(space.path, 'cat pkg/.npmrc; echo b > b.txt');
    expect(quiet.held_back).toEqual([]);
    const { held_back } = await run(space.path, 'echo evil >> pkg/.npmrc; echo evil > pkg/.vscode/a/b.json');
    expect([...held_back].sort()).toEqual([
      expect.stringContaining('pkg/.npmrc was changed'),
      expect.stringContaining('pkg/.vscode was changed'),
    ]);
    expect(await space.read('pkg/.npmrc')).toBe('mineevil\n');
  });

  it('works with git where there is a repository, its worktrees too, and finds no folders of ours', async () => {
    await using repo = await TempGitRepo.create({ 'a.txt': 'a' });
    const line =
      'ls -A; echo b > b.txt; mkdir -p .github; echo c > .github/README.md; git add -A && git -c user.name=a -c user.email=a@b commit -qm b && git show --stat --format= && git worktree add -q tree';
    const { out, err, held_back } = await run(repo.path, line);
    expect(err).toBe('');
    expect(out).toMatch(/^\.git\na\.txt\n.*README.md.*b.txt.*2 files changed/s);
    expect(held_back).toEqual([]);
    await repo.write('evil/config', '[core]\n\tfsmonitor = evil\n');
    // Where git finds the settings of a worktree cannot be changed, from inside of it either.
    const pointer =
      'echo ../../../evil > .git/worktrees/tree/commondir; echo "gitdir: ../evil" > tree/.git; cat tree/.git';
    expect((await run(repo.path, pointer)).out).toContain('/.git/worktrees/tree');
    expect(await readFile(repo.resolve('.git/worktrees/tree/commondir'), 'utf8')).toBe('../..\n');
    await run(repo.resolve('tree'), 'echo "gitdir: ../evil" > .git');
    expect(await readFile(repo.resolve('tree/.git'), 'utf8')).toContain('/.git/worktrees/tree');
  });
});

/** Starts a command in write mode and waits for its end, in a process of its own. */
const OWNER = `
  const { detectSandbox, sessionGrant, startProcess } = await import(process.argv[2]);
  const cwd = process.argv[1];
  const grant = await sessionGrant('write', { cwd, trusted: true, homes: [] });
  const line = 'echo evil > .envrc; git init -q sub; echo evil > sub/.git/hooks/pre-commit; echo up; sleep 600';
  const onOutput = (_, chunk) => process.stdout.write(chunk);
  await (await startProcess({ command: ['bash', '-c', line], cwd, grant, sandbox: await detectSandbox(), onOutput })).done;
`;

it.runIf(works)(
  'what a command left whose process was killed is held back by the next, and told',
  async () => {
    await using space = await TempWorkspace.create({ 'a.txt': 'a', Jenkinsfile: 'theirs' });
    const cwd = await realpath(space.path);
    const index = new URL('../../dist/index.js', import.meta.url).href;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', OWNER, cwd, index], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(owner.stdout, 'data');
    // One that runs beside it leaves alone what a living process looks after.
    expect(await checkLeft([cwd])).toEqual([]);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    expect(existsSync(space.resolve('.envrc'))).toBe(true);
    const { held_back } = await run(space.path, 'true');
    expect(
      held_back.map((line) => /was killed\. .* write (.*), so/.exec(line)?.[1]?.slice(cwd.length)),
    ).toEqual(['/.envrc', '/sub/.git/hooks']);
    expect(existsSync(space.resolve('.envrc'))).toBe(false);
    expect(existsSync(space.resolve('.envrc.held-back'))).toBe(true);
    expect(existsSync(space.resolve('Jenkinsfile'))).toBe(true);
    // Dealt with once: what a person puts there from now on stays.
    await space.write('.envrc', 'mine');
    expect((await run(space.path, 'true')).held_back).toEqual([]);
    expect(await space.read('.envrc')).toBe('mine');
  },
);

describe.runIf(works)('a command that stays on', () => {
  it('takes away what a killed process left, and shows it to nobody as part of the folder', async () => {
    await using space = await TempWorkspace.create({ 'a.txt': 'a' });
    for (const name of ['.github', '.github/workflows', '.circleci']) {
      await mkdir(space.resolve(name));
      await chmod(space.resolve(name), 0o1755);
    }
    await mkdir(space.resolve('.idea'));
    // Deep folders of the same rights are somebody's own, and no reason to look further than one of ours reaches.
    const deep = Array.from({ length: 150 }, () => '.github').join('/');
    await mkdir(space.resolve('deep', deep), { recursive: true });
    for (let at = deep; at !== '.'; at = dirname(at)) await chmod(space.resolve('deep', at), 0o1755);
    const { entries } = await takeSnapshot(space.path);
    expect([...entries.keys()].filter((path) => !path.startsWith('deep/')).sort()).toEqual([
      '.idea',
      'a.txt',
      'deep',
    ]);
    expect(entries.size).toBeGreaterThan(150);
    await run(space.path, 'true');
    expect((await readdir(space.path)).sort()).toEqual(['.idea', 'a.txt', 'deep']);
  });

  it('keeps its places closed as long as it runs, and lets others make a repository', async () => {
    await using space = await TempWorkspace.create();
    await run(space.path, 'mkfifo pipe');
    const tries = 'mkdir -p .vscode/x; echo "$?"; echo evil > .git/config; ls -A .git | wc -l';
    const long = await start(space.path, `read -r line < pipe; ${tries}`, { staysOn: true });
    const beside = await run(
      space.path,
      'mkdir .vscode/x; git init -q && git config user.name A; echo go > pipe',
    );
    expect(beside.held_back).toEqual([]);
    const [made, inGit] = (await long.done).stdout.text.trim().split('\n');
    expect(made).not.toBe('0');
    expect(Number(inGit)).toBeGreaterThan(3);
    expect(existsSync(space.resolve('.vscode'))).toBe(false);
    expect(await readFile(space.resolve('.git/config'), 'utf8')).toMatch(/name = A/);
  });
});

describe.runIf(works)('a command in write mode', () => {
  it('does not find secrets where a link leads to them', async () => {
    await using home = await TempWorkspace.create({ 'data/ssh/id_rsa': 'secret', 'work/a.txt': 'a' });
    await symlink(home.resolve('data/ssh'), home.resolve('.ssh'));
    await mkdir(home.resolve('empty'));
    const line = `cat ${home.path}/.ssh/id_rsa ${home.path}/data/ssh/id_rsa`;
    expect((await run(home.path, line, home.path)).out).toBe('');
  });
});
