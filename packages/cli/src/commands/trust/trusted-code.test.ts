import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

/** A module that writes a word when it is loaded. */
const writes = (marker: string, word: string) =>
  `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(marker)}, ${JSON.stringify(word)});\nexport const mount = () => {};\n`;

const GIT_ENVIRONMENT = {
  ...process.env,
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

interface Scene {
  box: CliSandbox;
  /** A folder beside the project. */
  beside: TempWorkspace;
  marker: string;
}

interface Variant {
  name: string;
  /** The file that a session could change. */
  file: (scene: Scene) => string;
  /** Everything else. */
  set: (scene: Scene) => Promise<unknown>;
  env?: (scene: Scene) => Record<string, string>;
  /** Only the project names it, so it counts once the folder is trusted. */
  isProjects?: boolean;
}

const tool = (source: string) => JSON.stringify({ modules: { tools: [{ module: 'tool-x', source }] } });

const VARIANTS: Variant[] = [
  {
    name: 'a package that a trusted module imports from node_modules',
    isProjects: true,
    file: ({ box }) => box.folder.resolve('node_modules/dep/lib/main.js'),
    async set({ box }) {
      await box.folder.write('.amplifier/settings.yaml', tool('./tools/x'));
      await box.folder.write('tools/x/package.json', '{"type":"module","main":"index.js"}');
      await box.folder.write('tools/x/index.js', "export { mount } from 'dep';\n");
      await box.folder.write(
        'node_modules/dep/package.json',
        '{"name":"dep","type":"module","exports":{"import":"./lib/main.js"}}',
      );
    },
  },
  {
    name: 'a package that a trusted module requires',
    isProjects: true,
    file: ({ box }) => box.folder.resolve('node_modules/dep/lib/main.mjs'),
    async set({ box, marker }) {
      await box.folder.write('.amplifier/settings.yaml', tool('./x.mjs'));
      await box.folder.write(
        'x.mjs',
        "import { createRequire } from 'node:module';\nconst load = createRequire(import.meta.url);\nconst require = load;\nawait require('dep').load();\nexport const mount = () => {};\n",
      );
      await box.folder.write('node_modules/dep/package.json', '{"name":"dep","main":"i.js"}');
      await box.folder.write('node_modules/dep/i.js', "exports.load = () => import('./lib/main.mjs');\n");
      expect(marker).toBeTruthy();
    },
  },
  {
    name: 'modules.tools[].source of the user',
    file: ({ box }) => box.folder.resolve('mine/tool.mjs'),
    set: ({ box }) => box.home.write('settings.yaml', tool(box.folder.resolve('mine/tool.mjs'))),
  },
  {
    name: 'sources.modules of the user',
    file: ({ beside }) => beside.resolve('tool.mjs'),
    set: ({ box, beside }) =>
      box.home.write(
        'settings.yaml',
        JSON.stringify({
          modules: { tools: ['tool-x'] },
          sources: { modules: { 'tool-x': beside.resolve('tool.mjs') } },
        }),
      ),
  },
  {
    name: 'a module of a bundle in bundle.added',
    file: ({ box }) => box.folder.resolve('team/tool.mjs'),
    async set({ box }) {
      await box.folder.write(
        'team/bundle.md',
        '---\nbundle: { name: team }\nincludes: [foundation]\ntools: [{ module: tool-x, source: ./tool.mjs }]\n---\nYou are.\n',
      );
      await box.home.write(
        'settings.yaml',
        JSON.stringify({ bundle: { active: 'team', added: { team: box.folder.resolve('team') } } }),
      );
    },
  },
  {
    name: 'AMPLIFIER_MODULE_*',
    file: ({ box }) => box.folder.resolve('tool.mjs'),
    env: ({ box }) => ({ AMPLIFIER_MODULE_TOOL_X: box.folder.resolve('tool.mjs') }),
    set: ({ box }) => box.home.write('settings.yaml', 'modules: { tools: [tool-x] }\n'),
  },
  {
    name: "a project's module outside its folder, by a relative path",
    isProjects: true,
    file: ({ beside }) => beside.resolve('tool.mjs'),
    set: ({ box, beside }) =>
      box.folder.write('.amplifier/settings.yaml', tool(`../${beside.path.split('/').at(-1)}/tool.mjs`)),
  },
  {
    name: "a project's module outside its folder, by an absolute path",
    isProjects: true,
    file: ({ beside }) => beside.resolve('tool.mjs'),
    set: ({ box, beside }) => box.folder.write('.amplifier/settings.yaml', tool(beside.resolve('tool.mjs'))),
  },
  {
    name: "a project's module outside its folder, by a link",
    isProjects: true,
    file: ({ beside }) => beside.resolve('tool.mjs'),
    async set({ box, beside }) {
      await box.folder.write('.amplifier/settings.yaml', tool('./link/tool.mjs'));
      await symlink(beside.path, box.folder.resolve('link'));
    },
  },
];

async function sceneOf(variant: Variant) {
  const box = await CliSandbox.create();
  const beside = await TempWorkspace.create({});
  const all: Scene = { box, beside, marker: box.home.resolve('marker') };
  const change = async (word: string) => {
    await mkdir(dirname(variant.file(all)), { recursive: true });
    await writeFile(variant.file(all), writes(all.marker, word));
  };
  await change('first');
  await variant.set(all);
  const env = variant.env?.(all) ?? {};
  return {
    ...all,
    change,
    trust: () => box.run(['trust', '--json'], { env }),
    run: (...args: string[]) => box.run(['run', '--offline', ...args, 'hello'], { env }),
    word: () => readFile(all.marker, 'utf8').catch(() => null),
    async [Symbol.asyncDispose]() {
      await beside[Symbol.asyncDispose]();
      await box[Symbol.asyncDispose]();
    },
  };
}

describe('code that a session could change', () => {
  it.each(VARIANTS)('is loaded as it was trusted: $name', async (variant) => {
    await using at = await sceneOf(variant);
    if (variant.isProjects) await at.trust();
    const first = await at.run();
    expect([first.code, await at.word()], first.stderr).toEqual([0, 'first']);
    if (!variant.isProjects) expect(first.stderr).toContain('is used for the first time');
    await at.change('changed');
    const changed = await at.run();
    expect(await at.word(), changed.stderr).toBe('first');
    expect(changed.stderr).toMatch(/has changed since (it was|you) trusted( it)?: \S*(tool|main)\.m?js/);
    expect(changed.stderr).toContain(`amplifier trust ${at.box.folder.path}`);
    const trusted = await at.trust();
    expect(trusted.json().acts, 'names it').toContainEqual(
      expect.objectContaining({ what: expect.stringMatching(/^(changed, loaded by|loads): tool-x/) }),
    );
    await at.run();
    expect(await at.word()).toBe('changed');
  });

  it.each<{ name: string; isProjects?: boolean; set: (scene: Scene, source: string) => Promise<unknown> }>([
    {
      name: 'sources.modules of the user',
      set: ({ box }, source) =>
        box.home.write(
          'settings.yaml',
          JSON.stringify({
            modules: { tools: ['tool-x'] },
            sources: { modules: { 'tool-x': `${source}#subdirectory=team/tool.mjs` } },
          }),
        ),
    },
    {
      name: 'a bundle of the user',
      set: ({ box }, source) =>
        box.home.write(
          'settings.yaml',
          JSON.stringify({
            bundle: { active: 'team', added: { team: `${source}#subdirectory=team/bundle.md` } },
          }),
        ),
    },
    {
      name: 'a module of the project',
      isProjects: true,
      set: ({ box }, source) =>
        box.folder.write('.amplifier/settings.yaml', tool(`${source}#subdirectory=team/tool.mjs`)),
    },
  ])('is loaded as it was committed when it was trusted, from a repository: $name', async (variant) => {
    const git = ({ beside }: Scene, ...args: string[]) =>
      execFileSync('git', args, { cwd: beside.path, env: GIT_ENVIRONMENT });
    await using at = await sceneOf({
      name: '',
      file: ({ beside }) => beside.resolve('team/tool.mjs'),
      set: async (scene) => {
        await scene.beside.write(
          'team/bundle.md',
          '---\nbundle: { name: team }\nincludes: [foundation]\ntools: [{ module: tool-x, source: ./tool.mjs }]\n---\nYou are.\n',
        );
        await variant.set(scene, `git+file://${scene.beside.path}@main`);
        git(scene, 'init', '-q', '-b', 'main');
        git(scene, 'add', '-A');
        git(scene, 'commit', '-qm', 'one');
      },
    });
    const commitChange = async (word: string) => {
      await at.change(word);
      git(at, 'commit', '-qam', word);
      // A place is asked again only after a while.
      const cache = at.box.home.resolve('cache');
      for (const file of await readdir(cache, { recursive: true })) {
        if (!/seen\/\w+\.json$/.test(file)) continue;
        const seen = JSON.parse(await readFile(`${cache}/${file}`, 'utf8'));
        const checked_at = new Date(0).toISOString();
        await writeFile(`${cache}/${file}`, JSON.stringify({ ...seen, checked_at }));
      }
    };
    if (variant.isProjects) await at.trust();
    const first = await at.run();
    expect([first.code, await at.word()], first.stderr).toEqual([0, 'first']);
    if (!variant.isProjects) expect(first.stderr).toMatch(/git\+file:\S+ is used for the first time/);
    await commitChange('changed');
    const changed = await at.run();
    expect([changed.code, await at.word()], changed.stderr).toEqual([0, 'first']);
    expect(changed.stderr).toMatch(/git\+file:\S+ has changed since you trusted it/);
    expect(changed.stderr).toContain(`amplifier trust ${at.box.folder.path}`);
    const trusted = await at.trust();
    expect(trusted.json().acts, 'names it').toContainEqual(
      expect.objectContaining({ what: expect.stringMatching(/^changed, is at revision \w{12}$/) }),
    );
    await at.run();
    expect(await at.word()).toBe('changed');
  });

  it('ends the session where a hook was when it was trusted, and is no longer', async () => {
    await using at = await sceneOf({
      name: '',
      file: ({ beside }) => beside.resolve('guard/index.mjs'),
      set: ({ box, beside }) =>
        box.home.write(
          'settings.yaml',
          JSON.stringify({ modules: { hooks: [{ module: 'hooks-x', source: beside.resolve('guard') }] } }),
        ),
    });
    expect((await at.run()).code).toBe(0);
    await rename(at.beside.resolve('guard'), at.beside.resolve('moved'));
    const ran = await at.run();
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toMatch(/The module 'hooks-x' was at \S+ when it was trusted, and is no longer there/);
  });

  it('starts no session when a bundle has lost an include that it had when it was trusted', async () => {
    await using at = await sceneOf({
      name: '',
      file: ({ beside }) => beside.resolve('inc/tool.mjs'),
      async set({ box, beside }) {
        await beside.write(
          'team/bundle.md',
          '---\nbundle: { name: team }\nincludes: [foundation, ../inc/inc.yaml]\n---\nYou are.\n',
        );
        await beside.write(
          'inc/inc.yaml',
          JSON.stringify({ bundle: { name: 'inc' }, hooks: [{ module: 'tool-x', source: './tool.mjs' }] }),
        );
        const added = { team: beside.resolve('team') };
        await box.home.write('settings.yaml', JSON.stringify({ bundle: { active: 'team', added } }));
      },
    });
    const first = await at.run();
    expect([first.code, await at.word()], first.stderr).toEqual([0, 'first']);
    await rename(at.beside.resolve('inc'), at.beside.resolve('moved'));
    const ran = await at.run();
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toMatch(
      /is not as it was when it was trusted: .*\.\.\/inc\/inc\.yaml \(cannot be loaded\)/,
    );
  });

  it('is loaded from the copy while the original changes back and forth', async () => {
    const [variant] = VARIANTS;
    await using at = await sceneOf(variant as Variant);
    await at.trust();
    await at.change('changed');
    await at.run();
    expect(await at.word()).toBeNull();
    await at.change('first');
    const again = await at.run();
    expect(await at.word(), again.stderr).toBe('first');
  });

  it('asks in a terminal about what changed, names it, and asks once for each state', async () => {
    const [variant] = VARIANTS;
    await using at = await sceneOf(variant as Variant);
    await at.trust();
    await at.change('changed');
    const start = async (answer: string | null) => {
      const terminal = at.box.open(['run', '--offline', 'hello']);
      if (answer !== null) {
        await terminal.see('changed, loaded by: tool-x');
        await terminal.see('node_modules/dep/lib/main.js');
        await terminal.see('Trust this folder? [y/N] ');
        terminal.type(`${answer}\r`);
      }
      expect(await terminal.ended, terminal.text).toBe(0);
    };
    await start('n');
    await start(null);
    expect(await at.word()).toBeNull();
    await at.change('again');
    await start('y');
    expect(await at.word()).toBe('again');
  });

  it('is not loaded from a project that was trusted without it', async () => {
    await using at = await sceneOf({
      name: '',
      file: ({ box }) => box.folder.resolve('other/x.mjs'),
      set: ({ box }) => box.folder.write('.amplifier/settings.yaml', tool('tool-x')),
    });
    await at.trust();
    await at.box.folder.write('node_modules/tool-x/package.json', '{"type":"module","main":"i.js"}');
    await at.box.folder.write('node_modules/tool-x/i.js', writes(at.marker, 'planted'));
    const ran = await at.run();
    expect(await at.word(), ran.stderr).toBeNull();
    expect(ran.stderr).toContain('is not part of what you trusted');
  });

  it('is not trusted on first use where the user named it before it existed', async () => {
    await using at = await sceneOf({
      name: '',
      file: ({ beside }) => beside.resolve('unused.mjs'),
      set: ({ box }) => box.home.write('settings.yaml', tool(box.folder.resolve('late.mjs'))),
    });
    await at.run();
    await at.box.folder.write('late.mjs', writes(at.marker, 'planted'));
    const ran = await at.run();
    expect(await at.word(), ran.stderr).toBeNull();
    expect(ran.stderr).toContain('has changed since it was trusted');
  });

  it('imports nothing from outside its copy, and the error names what it wanted', async () => {
    await using at = await sceneOf({
      name: '',
      file: ({ beside }) => beside.resolve('unused.mjs'),
      set: async ({ box }) => {
        const computed = (how: string) =>
          `const name = ['pla', 'nted'].join('');\n${how}\nexport const mount = () => {};\n`;
        await box.folder.write('a.mjs', computed('await import(name);'));
        await box.folder.write(
          'b.mjs',
          computed(
            "import { createRequire } from 'node:module';\nconst load = createRequire(import.meta.url);\nload(name);",
          ),
        );
        await box.folder.write('c.mjs', `${computed('await import(`$' + '{process.cwd()}/planted.mjs`);')}`);
        const tools = ['a', 'b', 'c'].map((name) => ({
          module: `tool-${name}`,
          source: box.folder.resolve(`${name}.mjs`),
        }));
        await box.home.write('settings.yaml', JSON.stringify({ modules: { tools } }));
      },
    });
    await at.box.folder.write('planted.mjs', writes(at.marker, 'planted'));
    // A search that begins in the copy arrives here, above the home.
    const above = `${dirname(at.box.home.path)}/node_modules/planted`;
    await mkdir(above, { recursive: true });
    await writeFile(
      `${above}/index.js`,
      `require('node:fs').writeFileSync(${JSON.stringify(at.marker)}, 'above');\n`,
    );
    // Test runners replace the loader of this process.
    const ran = await at.box.start(['run', '--offline', 'hello']);
    await rm(above, { recursive: true });
    expect(await at.word(), ran.stderr).toBeNull();
    for (const name of ['a', 'b']) expect(ran.stderr).toMatch(new RegExp(`'tool-${name}'.*planted`));
    expect(ran.stderr).toMatch(/'tool-c'.*planted\.mjs.*not part of the trusted copy/);
  });
});

describe('copies of trusted modules', () => {
  async function scene() {
    const at = await sceneOf(VARIANTS[2] as Variant);
    const copies = async () => (await readdir(at.box.home.resolve('modules'))).sort();
    const detail = async () => {
      const { checks } = (await at.box.run(['doctor', '--json'])).json() as unknown as {
        checks: { name: string; state: string; detail: string }[];
      };
      return checks.find(({ name }) => name === 'trusted modules');
    };
    const age = async (name: string, days: number) => {
      const then = new Date(Date.now() - days * 24 * 60 * 60 * 1000);
      await utimes(at.box.home.resolve('modules', name), then, then);
    };
    await at.run();
    const [first = ''] = await copies();
    await at.change('changed');
    await at.trust();
    return { ...at, copies, detail, age, first };
  }

  it('are removed two weeks after their last use, if no trust record names them', async () => {
    await using at = await scene();
    const [, second = ''] = (await at.copies()).sort((a) => (a === at.first ? -1 : 1));
    expect(await at.detail()).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('1 of them unused'),
    });
    // One that is used, however long ago it was made, and one that another process may be about to name.
    await at.age(second, 100);
    await at.age(at.first, 13);
    await at.box.start(['run', '--offline', 'hello']);
    expect(await at.copies()).toEqual([at.first, second].sort());
    await at.age(at.first, 15);
    await mkdir(at.box.home.resolve('modules/half.abc'));
    await at.age('half.abc', 2);
    await at.box.start(['run', '--offline', 'hello']);
    expect(await at.copies()).toEqual([second]);
    expect(await at.word()).toBe('changed');
  });

  it('stay where a trust record cannot be read', async () => {
    await using at = await scene();
    await at.age(at.first, 100);
    await at.box.home.write('trust/broken.json', '{');
    const ran = await at.box.start(['--verbose', 'run', '--offline', 'hello']);
    expect(await at.copies()).toContain(at.first);
    expect(ran.stderr).toContain('could not be removed');
    expect(await at.detail()).toMatchObject({ state: 'broken' });
  });

  it('are made again when one that is removed is trusted again', async () => {
    await using at = await scene();
    await rm(at.box.home.resolve('modules'), { recursive: true });
    await at.box.start(['run', '--offline', 'hello']);
    expect(await at.word()).toBe('changed');
    expect(await at.copies()).toHaveLength(1);
  });
});

describe('a trusted module that looks for code elsewhere', () => {
  const OUTSIDE = '`${process.cwd()}/outside`';
  const made = "import { createRequire } from 'node:module';\n";
  /** By how it looks: the code of the module, and further files of it. */
  const WAYS: { how: string; code: string; more?: Record<string, string> }[] = [
    {
      how: 'createRequire for another folder',
      code: `${made}createRequire(${OUTSIDE} + '/x.js')('./planted.cjs');`,
    },
    {
      how: 'createRequire of process.getBuiltinModule',
      code: `process.getBuiltinModule('module').createRequire(${OUTSIDE} + '/x.js')('./planted.cjs');`,
    },
    {
      how: 'an absolute path in a file that is required',
      code: "import './part.cjs';",
      more: { 'part.cjs': `require(${OUTSIDE} + '/planted.cjs');\n` },
    },
    {
      how: 'the loader itself',
      code: `${made}createRequire(import.meta.url)('module')._load(${OUTSIDE} + '/planted.cjs');`,
    },
    {
      how: 'paths given to require.resolve',
      code: `${made}const require = createRequire(import.meta.url);\nrequire(require.resolve('./planted.cjs', { paths: [${OUTSIDE}] }));`,
    },
    {
      how: 'a module without a file',
      code: `await import('data:text/javascript,' + encodeURIComponent('await import(' + JSON.stringify('file://' + ${OUTSIDE} + '/planted.mjs') + ')'));`,
    },
    {
      how: 'a worker outside of its copy',
      code: `import { Worker } from 'node:worker_threads';\nimport { once } from 'node:events';\nawait once(new Worker(${OUTSIDE} + '/planted.mjs'), 'exit');`,
    },
    {
      how: 'an import of a worker',
      code: `import { Worker } from 'node:worker_threads';\nimport { once } from 'node:events';\nawait once(new Worker(new URL('./part.mjs', import.meta.url)), 'exit');`,
      more: { 'part.mjs': `await import(${OUTSIDE} + '/planted.mjs');\n` },
    },
    {
      how: 'a require of a worker',
      code: `import { Worker } from 'node:worker_threads';\nimport { once } from 'node:events';\nawait once(new Worker(new URL('./part.cjs', import.meta.url)), 'exit');`,
      more: { 'part.cjs': `require('node:module').createRequire(${OUTSIDE} + '/x.js')('./planted.cjs');\n` },
    },
    {
      how: 'a worker that is a text',
      code: `import { Worker } from 'node:worker_threads';\nimport { once } from 'node:events';\nawait once(new Worker('require("./outside/planted.cjs")', { eval: true }), 'exit');`,
    },
  ];

  /** Node 20 ends the process when an imported CommonJS file throws, also when the import is caught. */
  const ENDS_ALL = 'an absolute path in a file that is required';
  it.each([
    ['all in one process', WAYS.filter(({ how }) => how !== ENDS_ALL)],
    [ENDS_ALL, WAYS.filter(({ how }) => how === ENDS_ALL)],
  ])('loads nothing from outside its copy: %s', async (_, wanted) => {
    await using box = await CliSandbox.create();
    const ways = wanted.map(({ how, code, more = {} }, at) => {
      // Each has its own folder outside, so that what was loaded names its way.
      const own = (text: string) => text.replaceAll('outside', `outside-${at}`);
      const files = { 'x.mjs': `${code}\nexport const mount = () => {};\n`, ...more };
      const marker = box.home.resolve(`marker-${at}`);
      return { how, module: `tool-x${at}`, folder: `mine-${at}`, files, marker, own };
    });
    for (const { folder, files, marker, own } of ways) {
      for (const [name, text] of Object.entries(files))
        await box.folder.write(`${folder}/${name}`, own(text));
      await box.folder.write(own('outside/planted.mjs'), writes(marker, 'planted'));
      await box.folder.write(
        own('outside/planted.cjs'),
        `require('node:fs').writeFileSync(${JSON.stringify(marker)}, 'planted');\n`,
      );
    }
    const tools = ways.map(({ module, folder }) => ({
      module,
      source: box.folder.resolve(`${folder}/x.mjs`),
    }));
    await box.home.write('settings.yaml', JSON.stringify({ modules: { tools } }));
    // Test runners replace the loader of this process.
    const ran = await box.start(['run', '--offline', 'hello']);
    expect(ways.filter(({ marker }) => existsSync(marker)).map(({ how }) => how)).toEqual([]);
    for (const { how, module } of ways) {
      const refused = new RegExp(`'${module}'.*(not part of the trusted copy|from a text)`);
      expect(ran.stderr, how).toMatch(refused);
    }
  });

  it('still works with workers, packages and lazy parts of its copy', async () => {
    await using box = await CliSandbox.create();
    const marker = box.home.resolve('marker');
    await box.folder.write(
      'mine/x.mjs',
      `import { Worker } from 'node:worker_threads';\nimport { once } from 'node:events';\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\nrequire('dep').check();\nconst [said] = await once(new Worker(new URL('./part.mjs', import.meta.url)), 'message');\n(await import('node:fs')).writeFileSync(${JSON.stringify(marker)}, said);\nexport const mount = () => {};\n`,
    );
    await box.folder.write(
      'mine/part.mjs',
      "import { parentPort } from 'node:worker_threads';\nimport { word } from './word.mjs';\nparentPort.postMessage(word);\n",
    );
    await box.folder.write('mine/word.mjs', "export const word = 'worker';\n");
    await box.folder.write('mine/node_modules/dep/package.json', '{"name":"dep","main":"i.js"}');
    await box.folder.write('mine/node_modules/dep/i.js', "exports.check = () => require('./late.js');\n");
    await box.folder.write('mine/node_modules/dep/late.js', 'module.exports = 1;\n');
    await box.home.write('settings.yaml', tool(box.folder.resolve('mine/x.mjs')));
    const ran = await box.start(['run', '--offline', 'hello']);
    expect(await readFile(marker, 'utf8').catch(() => null), ran.stderr).toBe('worker');
  });
});

describe('a bundle that the user names in a folder where sessions write', () => {
  const BUNDLE = (more: string) =>
    `---\nbundle: { name: team }\nincludes: [foundation]\n${more}---\nYou are a team.\n`;
  const hooked = (command: string) =>
    `hooks: [{ module: hooks-shell, config: { hooks: [{ event: 'session:start', command: ${command} }] } }]\n`;

  it('starts no session with hooks or agents that it did not have when it was first used', async () => {
    await using box = await CliSandbox.create({
      'team/bundle.md': BUNDLE(''),
      'team/agents/helper.md': '---\nname: helper\ndescription: Helps.\n---\nHelp.\n',
    });
    await box.home.write(
      'settings.yaml',
      JSON.stringify({ bundle: { active: 'team', added: { team: box.folder.resolve('team') } } }),
    );
    await box.run(['trust', '--json']);
    const run = () => box.run(['run', '--offline', 'hello']);
    expect((await run()).code).toBe(0);
    await box.folder.write('team/bundle.md', BUNDLE('').replace('a team', 'another team'));
    expect((await run()).code, 'text may change').toBe(0);
    await box.folder.write('team/bundle.md', BUNDLE(hooked('touch ran.txt')));
    const changed = await run();
    expect([changed.code, changed.stderr]).toEqual([
      1,
      expect.stringMatching(/bundle .*team\/bundle\.md is not as it was when it was trusted/),
    ]);
    expect(existsSync(box.folder.resolve('ran.txt'))).toBe(false);
    const { acts } = (await box.run(['trust', '--json'])).json();
    expect(acts).toContainEqual({
      file: box.folder.resolve('team/bundle.md'),
      what: 'changed, part of a bundle',
    });
    expect((await run()).code).toBe(0);
    expect(existsSync(box.folder.resolve('ran.txt'))).toBe(true);
    await box.folder.write('team/agents/new.md', '---\nname: new\nhooks: [hooks-shell]\n---\nHi.\n');
    expect((await run()).stderr).toContain('team/agents/new.md');
  });
});

describe('a source that is fetched for the user', () => {
  /** Notes who is asked for what. */
  async function registry(asked: string[], name: string) {
    const server = createServer((request, response) => {
      asked.push(`${name} ${request.url}`);
      response.writeHead(404).end('{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/`, [Symbol.dispose]: () => server.close() };
  }

  it("is not asked of the registry that a project's .npmrc names", async () => {
    const asked: string[] = [];
    using users = await registry(asked, 'user');
    using projects = await registry(asked, 'project');
    await using box = await CliSandbox.create({
      'package.json': '{}',
      '.npmrc': `registry=${projects.url}$` + '{SECRET_OF_USER}/\n',
    });
    await box.home.write('npmrc', `registry=${users.url}\n`);
    await box.home.write('settings.yaml', tool('npm:demo'));
    const ran = await box.start(['run', '--offline', 'hello'], {
      env: {
        npm_config_registry: '',
        npm_config_userconfig: box.home.resolve('npmrc'),
        npm_config_cache: box.home.resolve('npm-cache'),
        SECRET_OF_USER: 'secret',
      },
    });
    expect(asked, ran.stderr).toContain('user /demo');
    expect(asked.filter((line) => line.startsWith('project'))).toEqual([]);
  });

  it("is not taken from where a project's git settings lead", async () => {
    await using box = await CliSandbox.create();
    await using repositories = await TempWorkspace.create({});
    const marker = box.home.resolve('marker');
    const git = (cwd: string, ...args: string[]) =>
      execFileSync('git', ['-C', cwd, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args]);
    for (const name of ['good', 'evil']) {
      await repositories.write(`${name}/index.mjs`, writes(marker, name));
      git(repositories.resolve(name), 'init', '--quiet');
      git(repositories.resolve(name), 'add', '.');
      git(repositories.resolve(name), 'commit', '--quiet', '-m', 'x');
    }
    const url = (name: string) => `file://${repositories.resolve(name)}`;
    git(box.folder.path, 'init', '--quiet');
    git(box.folder.path, 'config', `url.${url('evil')}.insteadOf`, url('good'));
    await box.home.write('settings.yaml', tool(`git+${url('good')}#subdirectory=index.mjs`));
    const ran = await box.start(['run', '--offline', 'hello']);
    expect(await readFile(marker, 'utf8').catch(() => null), ran.stderr).toBe('good');
  });
});

describe('a bundle by the name of an installed package', () => {
  const files = (folder: string, marker: string, word: string) => ({
    [`${folder}/package.json`]: '{"name":"team","version":"1.0.0"}',
    [`${folder}/bundle.md`]:
      '---\nbundle: { name: team }\nincludes: [foundation]\ntools: [{ module: tool-x, source: ./x.mjs }]\n---\nYou are.\n',
    [`${folder}/x.mjs`]: writes(marker, word),
  });

  async function scene(settings: { user?: string; project?: string }) {
    const box = await CliSandbox.create();
    const marker = box.home.resolve('marker');
    const install = async (place: TempWorkspace, word: string) => {
      for (const [path, text] of Object.entries(files('node_modules/team', marker, word)))
        await place.write(path, text);
    };
    await install(box.folder, 'project');
    if (settings.user) await box.home.write('settings.yaml', settings.user);
    if (settings.project) await box.folder.write('.amplifier/settings.yaml', settings.project);
    const word = () => readFile(marker, 'utf8').catch(() => null);
    return { box, install, word, [Symbol.asyncDispose]: () => box[Symbol.asyncDispose]() };
  }

  it.each([
    { by: 'the flag', user: '', args: ['--bundle', 'team'] },
    { by: 'active', user: 'bundle: { active: team }\n', args: [] },
    { by: 'app', user: 'bundle: { app: [team] }\n', args: [] },
    { by: 'added', user: 'bundle: { active: mine, added: { mine: team } }\n', args: [] },
  ])('is looked for in the home of the user who names it, not in the folder: $by', async ({ user, args }) => {
    await using at = await scene({ user });
    const run = () => at.box.run(['run', '--offline', ...args, 'hello']);
    const missing = await run();
    expect([missing.code, await at.word()], missing.stderr).toEqual([1, null]);
    expect(missing.stderr).toContain(`is installed for ${at.box.home.path}`);
    await at.box.run(['trust', '--json']);
    await run();
    expect(await at.word(), 'in a trusted folder').toBeNull();
    await at.install(at.box.home, 'home');
    const ran = await run();
    expect([ran.code, await at.word()], ran.stderr).toEqual([0, 'home']);
  });

  it('counts with the folder where only the project names it, until it changes', async () => {
    await using at = await scene({ project: 'bundle: { active: team }\n' });
    const run = () => at.box.run(['run', '--offline', 'hello']);
    await run();
    expect(await at.word()).toBeNull();
    await at.box.run(['trust', '--json']);
    const ran = await run();
    expect([ran.code, await at.word()], ran.stderr).toEqual([0, 'project']);
    const bundle = at.box.folder.resolve('node_modules/team/bundle.md');
    await writeFile(bundle, (await readFile(bundle, 'utf8')).replace('tool-x', 'tool-y'));
    const changed = await run();
    expect([changed.code, changed.stderr]).toEqual([1, expect.stringContaining('amplifier trust')]);
  });
});

describe('a relative source in the settings of the user', () => {
  const bundle = (name: string) =>
    `---\nbundle: { name: ${name} }\nincludes: [foundation]\ntools: [{ module: tool-x, source: ./x.mjs }]\n---\nYou are.\n`;
  const tools = [{ module: 'tool-x', source: './part/x.mjs' }];

  it.each([
    { by: 'bundle.active', settings: { bundle: { active: './part' } } },
    { by: 'bundle.app', settings: { bundle: { app: ['./part/bundle.md'] } } },
    { by: 'bundle.added', settings: { bundle: { active: 'mine', added: { mine: './part' } } } },
    {
      by: 'sources.bundles',
      settings: { bundle: { active: 'mine' }, sources: { bundles: { mine: './part' } } },
    },
    { by: 'modules.tools[].source', settings: { modules: { tools } } },
    {
      by: 'sources.modules',
      settings: { modules: { tools: ['tool-x'] }, sources: { modules: { 'tool-x': './part/x.mjs' } } },
    },
    {
      by: 'overrides',
      settings: { bundle: { active: './lists' }, overrides: { 'tool-x': { source: './part/x.mjs' } } },
    },
  ])('starts at the file, and never means the current folder: $by', async ({ settings }) => {
    await using box = await CliSandbox.create();
    const marker = box.home.resolve('marker');
    const word = () => readFile(marker, 'utf8').catch(() => null);
    await box.folder.write('part/bundle.md', bundle('planted'));
    await box.folder.write('part/x.mjs', writes(marker, 'planted'));
    await box.home.write('lists/bundle.md', bundle('lists').replace(', source: ./x.mjs', ''));
    await box.home.write('settings.yaml', JSON.stringify(settings));
    const run = () => box.run(['run', '--offline', 'hello']);
    await run();
    expect(await word()).toBeNull();
    await box.run(['trust', '--json']);
    await run();
    expect(await word(), 'in a trusted folder').toBeNull();
    await box.home.write('part/bundle.md', bundle('mine'));
    await box.home.write('part/x.mjs', writes(marker, 'home'));
    const ran = await run();
    expect([ran.code, await word()], ran.stderr).toEqual([0, 'home']);
  });

  it('is written as an absolute path by `bundle use`', async () => {
    await using box = await CliSandbox.create({ 'part/bundle.md': bundle('mine').replace(/tools.*\n/, '') });
    const used = await box.run(['bundle', 'use', './part', '--json']);
    expect(used.json()).toMatchObject({ active: box.folder.resolve('part') });
    expect((await box.run(['run', '--offline', 'hello'])).code).toBe(0);
  });
});

describe('a module that the user names without a path', () => {
  it.each([
    { by: 'the settings', user: 'modules: { tools: [tool-x] }\n', env: {} },
    {
      by: 'the environment',
      user: 'modules: { tools: [tool-y] }\n',
      env: { AMPLIFIER_MODULE_TOOL_Y: 'tool-x' },
    },
  ])('is looked for in the home of the user, in a trusted folder too: $by', async ({ user, env }) => {
    // The folder has a say in something else, so that its trust has a digest.
    await using box = await CliSandbox.create({ '.amplifier/settings.yaml': 'routing: { matrix: fast }\n' });
    const marker = box.home.resolve('marker');
    const word = () => readFile(marker, 'utf8').catch(() => null);
    await box.home.write('settings.yaml', user);
    await box.run(['trust', '--json'], { env });
    await box.folder.write('node_modules/tool-x/package.json', '{"type":"module","main":"i.js"}');
    await box.folder.write('node_modules/tool-x/i.js', writes(marker, 'planted'));
    const ran = await box.run(['run', '--offline', 'hello'], { env });
    expect(await word(), ran.stderr).toBeNull();
    await box.home.write('node_modules/tool-x/package.json', '{"type":"module","main":"i.js"}');
    await box.home.write('node_modules/tool-x/i.js', writes(marker, 'home'));
    await box.run(['run', '--offline', 'hello'], { env });
    expect(await word()).toBe('home');
  });

  it('is loaded from a relative path of the environment once a person has agreed in that folder', async () => {
    await using box = await CliSandbox.create();
    const marker = box.home.resolve('marker');
    const word = () => readFile(marker, 'utf8').catch(() => null);
    const env = { AMPLIFIER_MODULE_TOOL_X: './x.mjs' };
    await box.home.write('settings.yaml', 'modules: { tools: [tool-x] }\n');
    await box.run(['trust', '--json']);
    await box.folder.write('x.mjs', writes(marker, 'planted'));
    const ran = await box.run(['run', '--offline', 'hello'], { env });
    expect(await word(), ran.stderr).toBeNull();
    expect(ran.stderr).toContain('is not part of what you trusted');
    await box.run(['trust', '--json'], { env });
    await box.run(['run', '--offline', 'hello'], { env });
    expect(await word()).toBe('planted');
  });
});

describe('an agent file that the environment names in a folder where sessions write', () => {
  it.each([
    { by: 'an absolute path', before: '', relative: false },
    { by: 'an absolute path, before it existed', before: null, relative: false },
    { by: 'a relative path', before: null, relative: true },
  ])('is text until a person agrees to what it declares: $by', async ({ before, relative }) => {
    await using box = await CliSandbox.create();
    const marker = box.home.resolve('marker');
    await box.folder.write('x.mjs', writes(marker, 'loaded'));
    const agent = (more: string) =>
      box.folder.write('mine/helper.md', `---\nname: helper\ndescription: Helps.\n${more}---\nHelp.\n`);
    const path = relative ? './mine/helper.md' : box.folder.resolve('mine/helper.md');
    const env = { AMPLIFIER_AGENT_HELPER: path };
    const run = () => box.run(['run', '--offline', '--agent', 'helper', 'hello'], { env });
    const word = () => readFile(marker, 'utf8').catch(() => null);
    if (before !== null) await agent(before);
    if (!relative) await run();
    await agent('tools: [{ module: tool-x, source: ../x.mjs }]\n');
    const changed = await run();
    expect(await word(), changed.stderr).toBeNull();
    expect(changed.stderr).toContain('Only its text is used');
    const { acts } = (await box.run(['trust', '--json'], { env })).json();
    expect(acts).toContainEqual({
      file: box.folder.resolve('mine/helper.md'),
      what: 'changed, an agent that the environment names',
    });
    const agreed = await run();
    expect([agreed.code, await word()], agreed.stderr).toEqual([0, 'loaded']);
  });
});
