import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { run, sandbox, start, works } from '../../test-support/write-mode.js';

if (!works) console.warn(`SKIPPED: every test of planted git folders. ${sandbox.because}`);

const COMMIT = 'git add -A && git commit -qm 1 --allow-empty';
/** For lines of a person and of a command. */
const GIT_ENV = {
  ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'protocol.file.allow', GIT_CONFIG_VALUE_0: 'always' },
  ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b' },
};
const EXPORTS = Object.entries(GIT_ENV)
  .map(([name, value]) => `export ${name}=${value}`)
  .join('; ');

/** Runs a line as a person would, outside of the sandbox. */
async function byHand({ path }: TempWorkspace, line: string): Promise<string> {
  const options = { cwd: path, env: { PATH: process.env.PATH, HOME: path, ...GIT_ENV } };
  const { stdout } = await promisify(execFile)('bash', ['-ec', line], options);
  return stdout.trim();
}

const command = (space: TempWorkspace, line: string) => run(space.path, `${EXPORTS}; ${line}`);

/** Settings that create `marker` as soon as git looks at the work tree. The command cannot create it: it is outside of its folder. */
const acting = (marker: string) => `[core]\\n\\tfsmonitor = touch ${marker}; false\\n`;

/** A repository at `at` with such settings and a worktree `w`, which `pointer` leads to. */
const deepRepository = (at: string, marker: string, pointer: string) =>
  [
    `git init -q ${at}; printf '${acting(marker)}' >> ${at}/.git/config; mkdir -p ${at}/.git/worktrees/w`,
    `echo ../.. > ${at}/.git/worktrees/w/commondir; echo ref: refs/heads/main > ${at}/.git/worktrees/w/HEAD`,
    `echo "gitdir: $PWD/${at}/.git/worktrees/w" > ${pointer}`,
  ].join('\n');

const LIBRARY = `git init -q lib; (cd lib; echo 1 > f; ${COMMIT}); echo lib > .gitignore`;
const UNINITIALISED = `${LIBRARY}; git init -q; git submodule add -q ./lib libs/foo; ${COMMIT}; git submodule -q deinit -f libs/foo; rm -rf .git/modules`;
const submodule = (at: string, marker: string) =>
  `mkdir -p ${at}; rmdir ${at}; git init -q --bare ${at}; printf '${acting(marker)}\\tbare = false\\n[remote "origin"]\\n\\turl = '$PWD'/lib\\n' >> ${at}/config`;
const UPDATE = 'git submodule update --init; git status; git -C libs/foo status';
const renamed = (name: string) =>
  `git config -f .gitmodules --rename-section submodule.libs/foo submodule.${name}`;

interface Planted {
  what: string;
  /** What a person did before. */
  before?: string;
  line(marker: string): string;
  /** What a person does afterwards. */
  after: string;
  held: string;
}

const PLANTED: Planted[] = [
  {
    what: 'behind a pointer in the working folder',
    line: (marker) => deepRepository('node_modules/a/b/c', marker, '.git'),
    after: 'git status',
    held: '.git',
  },
  {
    what: 'behind a pointer in a folder below',
    before: `mkdir docs; git init -q; ${COMMIT}`,
    line: (marker) => deepRepository('build/a/b', marker, 'docs/.git'),
    after: 'git -C docs status',
    held: 'docs/.git',
  },
  {
    what: 'behind a pointer whose way has a link',
    line: (marker) =>
      `git init -q good; mkdir -p docs; ln -s ../good/.git docs/way; echo "gitdir: way" > docs/.git; git init -q node_modules/a/b; printf '${acting(marker)}' >> node_modules/a/b/.git/config`,
    after: 'ln -sfn ../node_modules/a/b/.git docs/way; git -C docs status',
    held: 'docs/.git',
  },
  {
    what: 'behind a pointer that leaves a link again',
    line: (marker) =>
      `mkdir -p docs/other node_modules/a/b/c; ln -s other docs/way; git init -q docs/good; mv docs/good/.git docs/store; echo "gitdir: way/../store" > docs/.git; git init -q node_modules/a/b; mv node_modules/a/b/.git node_modules/a/b/store; printf '${acting(marker)}' >> node_modules/a/b/store/config`,
    after: 'ln -sfn ../node_modules/a/b/c docs/way; git -C docs status',
    held: 'docs/.git',
  },
  {
    what: 'behind the commondir of a new worktree, with line ends that git ignores',
    before: `git init -q; ${COMMIT}`,
    line: (marker) =>
      `git worktree add -q wt; git init -q node_modules/a/b; printf '${acting(marker)}' >> node_modules/a/b/.git/config; (echo "$PWD/node_modules/a/b/.git"; yes "" | head -c 100000) > .git/worktrees/wt/commondir`,
    after: 'git -C wt status',
    held: 'wt/.git',
  },
  {
    what: 'in the settings of a new worktree',
    before: `echo 1 > f; git init -q; ${COMMIT}; git sparse-checkout init --cone`,
    line: (marker) =>
      `git worktree add -q wt; printf '${acting(marker)}' >> .git/worktrees/wt/config.worktree`,
    after: 'git -C wt status',
    held: '.git/worktrees/wt/config.worktree',
  },
  {
    what: 'for a submodule that is not there yet',
    before: UNINITIALISED,
    line: (marker) => submodule('.git/modules/libs/foo', marker),
    after: UPDATE,
    held: '.git/modules/libs/foo/config',
  },
  {
    what: 'for a submodule whose name has the parts of git’s own folders, deep down',
    before: UNINITIALISED,
    line: (marker) => {
      const name = 'info/objects/1/2/3/4/5/6/7/8';
      return `${renamed(name)}; echo x > .git/modules.x; mkdir .git/modules; echo x > .git/modules/HEAD; ${submodule(`.git/modules/${name}`, marker)}`;
    },
    after: UPDATE,
    held: '.git/modules/info/objects/1/2/3/4/5/6/7/8/config',
  },
  {
    what: 'for a submodule, by a link',
    before: UNINITIALISED,
    line: (marker) =>
      `${submodule('node_modules/a/b/foo', marker)}; mkdir -p .git/modules; ln -s ../../node_modules/a/b .git/modules/libs`,
    after: UPDATE,
    held: '.git/modules/libs',
  },
  {
    what: 'for a submodule, among more folders than are looked into',
    before: UNINITIALISED,
    line: (marker) =>
      `${submodule('.git/modules/libs/foo', marker)}; mkdir .git/modules/z; cd .git/modules/z; seq 1200 | xargs mkdir`,
    after: UPDATE,
    held: '.git/modules',
  },
  {
    what: 'in a submodule of a new repository',
    before: LIBRARY,
    line: (marker) =>
      `git init -q new; cd new; git submodule add -q $PWD/../lib foo; ${COMMIT}; printf '${acting(marker)}' >> .git/modules/foo/config`,
    after: 'git -C new status; git -C new/foo status',
    held: 'new/.git/modules/foo/config',
  },
];

describe.runIf(works)('settings of git that name a program are held back', () => {
  it.each(PLANTED)('$what', async ({ before = 'true', line, after, held }) => {
    await using outside = await TempWorkspace.create();
    const marker = outside.resolve('acted');
    await using space = await TempWorkspace.create();
    await byHand(space, before);
    const { held_back } = await command(space, line(marker));
    await byHand(space, `set +e; ${after}; true`);
    expect(existsSync(marker)).toBe(false);
    expect(held_back.join('\n')).toContain(`may not write ${space.resolve(held)}, so it was renamed`);
  });

  it('where a later command changes what a harmless pointer leads to', async () => {
    await using outside = await TempWorkspace.create();
    const marker = outside.resolve('acted');
    await using space = await TempWorkspace.create();
    const first = await command(
      space,
      'git init -q node_modules/a/b; mkdir docs; echo "gitdir: ../node_modules/a/b/.git" > docs/.git',
    );
    expect(first.held_back).toEqual([]);
    const { err } = await command(space, `printf '${acting(marker)}' >> node_modules/a/b/.git/config`);
    expect(err).toContain('Read-only file system');
    await byHand(space, 'git -C docs status');
    expect(existsSync(marker)).toBe(false);
  });
});

describe.runIf(works)(
  'a command in the background that makes a repository whose settings name a program',
  () => {
    const line = (marker: string) => {
      const plant = `git init -q docs; printf '${acting(marker)}' >> docs/.git/config; echo > made`;
      return `${EXPORTS}; while read -r line < go && [ "$line" = plant ]; do ${plant}; done`;
    };
    const PLANT = 'echo plant > go; read -r line < made';

    it('finds them renamed when it ends', async () => {
      await using outside = await TempWorkspace.create();
      const marker = outside.resolve('acted');
      await using space = await TempWorkspace.create();
      await byHand(space, 'mkfifo go made');
      const background = await start(space.path, line(marker), { staysOn: true });
      await byHand(space, `${PLANT}; echo end > go`);
      const { held_back } = await background.done;
      await byHand(space, 'git -C docs status');
      expect(existsSync(marker)).toBe(false);
      expect(held_back.join('\n')).toContain(`${space.resolve('docs/.git/config')}, so it was renamed`);
    });

    it('finds them renamed when another command in the folder starts or ends', async () => {
      await using outside = await TempWorkspace.create();
      const marker = outside.resolve('acted');
      await using space = await TempWorkspace.create();
      await byHand(space, 'mkfifo go made');
      const background = await start(space.path, line(marker), { staysOn: true });
      const told = [
        expect.stringMatching(/^A command runs in the background .*docs\/\.git\/config, so it was renamed/),
      ];
      await byHand(space, PLANT);
      expect((await command(space, 'ls docs/.git/config')).held_back).toEqual(told);
      await byHand(space, 'git -C docs status; git -C docs config user.name A');
      expect((await command(space, PLANT)).held_back).toEqual(told);
      await byHand(space, 'git -C docs status; echo end > go');
      expect((await background.done).held_back).toEqual([]);
      expect(existsSync(marker)).toBe(false);
    });
  },
);

const index = new URL('../../dist/index.js', import.meta.url).href;
/** Runs a command in write mode, in a process that does not live to see its end. */
const OWNER = `
  const { detectSandbox, sessionGrant, startProcess } = await import(process.argv[3]);
  const [, cwd, line] = process.argv;
  const grant = await sessionGrant('write', { cwd, trusted: true, homes: [] });
  const onOutput = (_, chunk) => process.stdout.write(chunk);
  await (await startProcess({ command: ['bash', '-c', line], cwd, grant, sandbox: await detectSandbox(), onOutput })).done;
`;
const CHECK = `
  const { checkLeft } = await import(process.argv[2]);
  console.log(JSON.stringify(await checkLeft([process.argv[1]])));
`;
/** Root lists every folder, unless it has no capabilities. */
const PLAIN_USER =
  process.getuid?.() === 0
    ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all', process.execPath]
    : [process.execPath];

describe.runIf(works)('a folder that a command leaves unlisted', () => {
  it.each(['111', '311', '000'])('is opened and looked through (%s)', async (mode) => {
    await using outside = await TempWorkspace.create();
    const marker = outside.resolve('acted');
    await using space = await TempWorkspace.create();
    const cwd = await realpath(space.path);
    const line = `git init -q docs/x; printf '${acting(marker)}' >> docs/x/.git/config; echo evil > docs/.envrc; chmod ${mode} docs/x docs; echo up; sleep 600`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', OWNER, cwd, line, index], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(owner.stdout, 'data');
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    const [program = '', ...args] = [...PLAIN_USER, '--input-type=module', '-e', CHECK, cwd, index];
    const said = JSON.parse((await promisify(execFile)(program, args)).stdout).join('\n');
    for (const name of ['docs', 'docs/x'])
      expect(said).toContain(`${space.resolve(name)} could not be listed`);
    for (const name of ['docs/.envrc', 'docs/x/.git/config'])
      expect(said).toContain(`${space.resolve(name)}, so it was renamed`);
    await byHand(space, 'git -C docs/x status');
    expect(existsSync(marker)).toBe(false);
  });
});

describe.runIf(works)('ordinary work with git', () => {
  const WORK: { what: string; before?: string; line: string; after?: string }[] = [
    {
      what: 'a worktree, in a folder below too',
      before: `echo 1 > f; git init -q; ${COMMIT}`,
      line: 'git worktree add -q wt && git worktree add -q deep/down/wt2 && git -C deep/down/wt2 status',
      after: 'git -C wt status && git -C deep/down/wt2 status',
    },
    {
      what: 'a worktree of a sparse checkout',
      before: `echo 1 > f; git init -q; ${COMMIT}; git sparse-checkout init --cone`,
      line: 'git worktree add -q wt',
      after: 'git -C wt status && test -f .git/worktrees/wt/config.worktree',
    },
    {
      what: 'a worktree of a bare repository',
      before: `git init -q src; (cd src; echo 1 > f; ${COMMIT})`,
      line: 'git clone -q --bare src store && git -C store worktree add -q ../wt',
      after: 'git -C wt status',
    },
    {
      what: 'a new repository with a submodule',
      before: LIBRARY,
      line: `git init -q && git submodule add -q ./lib libs/foo && ${COMMIT} && git -C libs/foo log`,
      after: 'git -C libs/foo status && git submodule status',
    },
    {
      what: 'the update of a submodule',
      before: `${UNINITIALISED}; git submodule -q init`,
      line: 'git submodule -q update && cat libs/foo/f',
      after: 'git -C libs/foo status && git submodule update',
    },
    {
      what: 'a clone with submodules, sparse',
      before: `git init -q lib; (cd lib; echo 1 > f; ${COMMIT}); git init -q src; (cd src; git submodule add -q $PWD/../lib foo; ${COMMIT})`,
      line: 'git clone -q --recurse-submodules src copy && git -C copy sparse-checkout init --cone',
      after: 'git -C copy status && git -C copy/foo log',
    },
    {
      what: 'a clone with its folder of git elsewhere',
      before: `git init -q src; (cd src; echo 1 > f; ${COMMIT})`,
      line: 'git clone -q --separate-git-dir=store src copy',
      after: 'git -C copy status',
    },
    {
      what: 'the installation of packages that are repositories',
      line: 'mkdir -p node_modules/a node_modules/@b/c; git init -q node_modules/a; git init -q node_modules/@b/c; git -C node_modules/a config core.fsmonitor ./watch',
    },
  ];

  it.each(WORK)('goes on: $what', async ({ before = 'true', line, after = 'true' }) => {
    await using space = await TempWorkspace.create();
    await byHand(space, before);
    const { held_back, err } = await command(space, `${line} && echo 1 > done`);
    expect([held_back, existsSync(space.resolve('done'))], err).toEqual([[], true]);
    await byHand(space, after);
  });
});
