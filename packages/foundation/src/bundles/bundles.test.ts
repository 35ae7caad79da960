import { symlink } from 'node:fs/promises';
import { cloneJson, type JsonObject, validateMountPlan } from '@amplifier/core';
import { TempGitRepo, TempWorkspace } from '@amplifier/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentLoader } from '../agents/agent-loader.js';
import { AgentResolver } from '../agents/agent-resolver.js';
import { SourceResolver } from '../sources/source-resolver.js';
import { bundleToMountPlan } from './bundle.js';
import { parseBundle } from './bundle-document.js';
import { BundleLoader, bundleSearchPaths } from './bundle-loader.js';
import { discoverBundles } from './discover-bundles.js';
import { mergeBundleModules, mergeBundleValues } from './merge-bundle-values.js';
import { snapshotBundle } from './snapshot-bundle.js';

async function shelf(
  files: Record<string, string>,
  options: { strict?: boolean; registry?: Record<string, string> } = {},
) {
  const workspace = await TempWorkspace.create(files);
  const registry = Object.fromEntries(
    Object.entries(options.registry ?? {}).map(([name, path]) => [
      name,
      path.includes(':') ? path : workspace.resolve(path),
    ]),
  );
  const sources = new SourceResolver({ cacheDir: workspace.resolve('.cache'), revisionMaxAgeMs: 0 });
  const loader = new BundleLoader({ sources, registry, strict: options.strict ?? false });
  return {
    workspace,
    load: (reference: string) => loader.load(reference, workspace.path),
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
}

const yaml = (name: string, rest = '') => `bundle: { name: ${name} }\n${rest}`;
const agent = (name: string, rest = '') =>
  `---\nmeta: { name: ${name}, description: ${name} }\n${rest}---\nI am ${name}.`;

describe('a bundle file', () => {
  it('is Markdown whose body is the instruction, or YAML without one', () => {
    const markdown = parseBundle('---\nbundle: { name: b, version: 1.0 }\n---\nBe kind.\n', '/b/bundle.md');
    expect(markdown).toMatchObject({ name: 'b', version: '1', instruction: 'Be kind.', root: '/b' });
    expect(parseBundle(yaml('y'), '/y/part.yaml')).toMatchObject({ name: 'y', instruction: null });
  });

  it('is named after its folder or file when it gives no name', () => {
    expect(parseBundle('', '/shelf/mine/bundle.yaml').name).toBe('mine');
    expect(parseBundle('', '/shelf/part.yaml').name).toBe('part');
  });

  it('makes relative sources absolute, wherever a module is named', () => {
    const document = parseBundle(
      yaml(
        'b',
        'tools: [{ module: t, source: ./t }, plain]\nsession: { orchestrator: { module: l, source: ../l }, context_source: ./c }',
      ),
      '/x/y/bundle.yaml',
    );
    expect(document.tools).toEqual([{ module: 't', source: '/x/y/t' }, { module: 'plain' }]);
    expect(document.session).toEqual({
      orchestrator: { module: 'l', source: '/x/l' },
      context_source: '/x/y/c',
    });
  });

  it('moves the root of its name by namespace_root', () => {
    expect(parseBundle('bundle: { name: b, namespace_root: .. }', '/x/y/b.yaml').root).toBe('/x');
  });

  it('reports a key that means nothing, with the one that was probably meant', () => {
    const [warning] = parseBundle('bundle: { name: b }\ntool: []', '/b.yaml').warnings;
    expect(warning?.message).toBe(
      "/b.yaml:2: A bundle has no 'tool', so it is not used. Did you mean 'tools'?",
    );
  });

  it.each([
    ['tools: { a: 1 }', 2, /tools must be a list of modules, not a mapping; write tools: \[/],
    ['tools:\n  - module: a\n  - 5', 4, /tools\[1\] must be a module id/],
    ['includes: ./x', 2, /includes must be a list/],
    ['agents: some', 2, /agents must be all, none, a list/],
    ['session: fast', 2, /session must be a mapping/],
    ['context: [a]', 2, /context must be a mapping/],
    ['hooks: [', 2, /cannot be read/],
  ])('says what is wrong with %j', (rest, line, message) => {
    const parse = () => parseBundle(yaml('b', rest), '/b/bundle.yaml');
    expect(parse).toThrow(message);
    expect(parse).toThrow(`/b/bundle.yaml:${line}:`);
  });

  it('is no file of another kind', () => {
    expect(() => parseBundle('print(1)', '/b/some.py')).toThrow(
      /some\.py: This is no bundle\. A bundle is a Markdown/,
    );
  });

  it('that opens a frontmatter and never closes it is refused', () => {
    expect(() => parseBundle('---\nbundle: {}\n', '/b.md')).toThrow(/never closed/);
  });
});

describe('laying bundles over each other', () => {
  it.each([
    [
      [1, '1'],
      ['1', 2],
      [1, '1', 2],
    ],
    [
      { a: [1], b: { c: 1 } },
      { a: [1, 2], b: { d: 2 } },
      { a: [1, 2], b: { c: 1, d: 2 } },
    ],
    [[{ x: 1, y: 2 }], [{ y: 2, x: 1 }], [{ x: 1, y: 2 }]],
    [1, { a: 1 }, { a: 1 }],
    [[1], 'x', 'x'],
  ])('%j with %j is %j', (base, overlay, merged) => {
    expect(mergeBundleValues(base, overlay)).toEqual(merged);
  });

  it('merges modules by id, else by module, in order of first appearance', () => {
    const base = [
      { module: 'a', config: { list: [1] } },
      { module: 'p', id: 'one' },
    ];
    const overlay = [
      { module: 'b' },
      { module: 'a', config: { list: [2], k: 1 } },
      { module: 'p', id: 'two' },
    ];
    expect(mergeBundleModules(base, overlay)).toEqual([
      { module: 'a', config: { list: [1, 2], k: 1 } },
      { module: 'p', id: 'one' },
      { module: 'b' },
      { module: 'p', id: 'two' },
    ]);
  });

  it('is associative and idempotent while a key keeps its kind, and changes no input', () => {
    const section = fc.record(
      {
        n: fc.integer(),
        l: fc.uniqueArray(fc.oneof(fc.integer({ max: 3, min: 0 }), fc.constant('1'))),
        o: fc.dictionary(fc.constantFrom('a', '__proto__'), fc.integer()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(section, section, section, (a, b, c) => {
        const before = cloneJson([a, b, c]);
        const left = mergeBundleValues(mergeBundleValues(a, b), c);
        expect(left).toEqual(mergeBundleValues(a, mergeBundleValues(b, c)));
        const ab = mergeBundleValues(a, b);
        expect(mergeBundleValues(ab, b)).toEqual(ab);
        expect([a, b, c]).toEqual(before);
      }),
    );
  });
});

describe('includes', () => {
  it('are laid on left to right, the including bundle on top', async () => {
    await using at = await shelf({
      'one.yaml': yaml('one', 'session: { v: 1, list: [a] }\ntools: [{ module: t, config: { from: one } }]'),
      'two.md':
        '---\nbundle: { name: two, description: second }\nsession: { v: 2, list: [b] }\n---\nTwo speaks.',
      'bundle.yaml': yaml(
        'top',
        'includes: [./one.yaml, { bundle: ./two }]\nsession: { w: 3 }\ntools: [extra]',
      ),
    });
    const bundle = await at.load('.');
    expect(bundle).toMatchObject({
      name: 'top',
      description: 'second',
      instruction: 'Two speaks.',
      session: { v: 2, w: 3, list: ['a', 'b'] },
    });
    expect(bundle.tools.map(({ module }) => module)).toEqual(['t', 'extra']);
    expect(bundle.parts.map(({ name }) => name)).toEqual(['one', 'two', 'top']);
  });

  it('by the name of the bundle that the file lies in mean that bundle, whatever is registered by the name', async () => {
    const files = {
      'bundle.yaml': yaml('house', 'session: { v: own }'),
      'bundles/with-more.yaml': yaml('more', 'includes: [{ bundle: house }, { bundle: house:parts/one }]'),
      'parts/one.yaml': yaml('one', 'session: { one: 1 }'),
      'elsewhere/bundle.yaml': yaml('house', 'session: { v: other }'),
    };
    await using at = await shelf(files, { registry: { house: 'elsewhere' } });
    const bundle = await at.load('./bundles/with-more');
    expect(bundle.session).toEqual({ v: 'own', one: 1 });
    expect(bundle.warnings).toEqual([]);
  });

  it('in a diamond are laid on once, at their first place', async () => {
    await using at = await shelf({
      'base.yaml': yaml('base', 'session: { v: base }'),
      'left.yaml': yaml('left', 'includes: [./base]\nsession: { v: left }'),
      'right.yaml': yaml('right', 'includes: [./base]'),
      'bundle.yaml': yaml('top', 'includes: [./left, ./right]'),
    });
    const bundle = await at.load('.');
    expect(bundle.parts.map(({ name }) => name)).toEqual(['base', 'left', 'right', 'top']);
    expect(bundle.session.v).toBe('left');
  });

  it('in a circle are survived with a warning; strict refuses them', async () => {
    const files = {
      'a.yaml': yaml('a', 'includes: [./b]\nsession: { a: 1 }'),
      'b.yaml': yaml('b', 'includes: [./c, ./a]\nsession: { b: 1 }'),
      'c.yaml': yaml('c', 'includes: [./b]\nsession: { c: 1 }'),
    };
    await using at = await shelf(files);
    const bundle = await at.load('./a');
    expect(bundle.session).toEqual({ a: 1, b: 1, c: 1 });
    expect(bundle.warnings.map(({ code }) => code)).toEqual(['BUNDLE_CYCLE', 'BUNDLE_CYCLE']);
    expect(bundle.warnings[0]?.message).toMatch(
      /c\.yaml:2: It includes '\.\/b', which includes this one again/,
    );
    await using strict = await shelf(files, { strict: true });
    await expect(strict.load('./a')).rejects.toMatchObject({ code: 'BUNDLE_CYCLE' });
  });

  it('that are missing are a warning with file and line; strict refuses them', async () => {
    const files = {
      'a.yaml': yaml('a', 'includes:\n  - ./gone\n  - ./b\n'),
      'b.yaml': yaml('b', 'session: { b: 1 }'),
    };
    await using at = await shelf(files);
    const bundle = await at.load('./a');
    expect(bundle.session).toEqual({ b: 1 });
    expect(bundle.warnings[0]?.message).toMatch(
      /a\.yaml:3: It includes '\.\/gone', which cannot be loaded: .*gone is not there/,
    );
    await using strict = await shelf(files, { strict: true });
    await expect(strict.load('./a')).rejects.toMatchObject({ code: 'BUNDLE_DEPENDENCY', line: 3 });
  });

  it('of a known name with a wrong path are always refused', async () => {
    await using at = await shelf({ 'bundle.yaml': yaml('me', 'includes: [me:behaviors/nope]') });
    await expect(at.load('.')).rejects.toThrow(
      /bundle\.yaml:2: .*'me:behaviors\/nope' leads to .* no bundle/,
    );
  });

  it('go by name: its own, a registered one, one that another include brings', async () => {
    await using at = await shelf(
      {
        'me/bundle.yaml': yaml(
          'me',
          'includes: [guest:parts/p, me:behaviors/own, lib:extras, ./guest/bundle.yaml]',
        ),
        'me/behaviors/own.yaml': yaml('behavior-own', 'session: { own: 1 }'),
        'me/guest/bundle.yaml': yaml('guest', 'session: { guest: 1 }'),
        'me/guest/parts/p.md': '---\nbundle: { name: p }\nsession: { part: 1 }\n---',
        'library/bundle.md': '---\nbundle: { name: lib }\n---',
        'library/extras/bundle.yaml': yaml('extras', 'session: { extras: 1 }'),
      },
      { registry: { lib: 'library', me: 'me' } },
    );
    const bundle = await at.load('me');
    expect(bundle.session).toEqual({ part: 1, own: 1, extras: 1, guest: 1 });
    expect(bundle.warnings).toEqual([]);
  });

  it('of an unknown name suggest a known one', async () => {
    await using at = await shelf({ 'x/bundle.md': '---\n---' }, { registry: { foundation: 'x' } });
    await expect(at.load('fondation')).rejects.toThrow(
      /No bundle is called 'fondation'.*Did you mean 'foundation'/,
    );
    await expect(at.load('fondation:x')).rejects.toThrow(/Did you mean 'foundation'/);
    await expect(at.load('./x/../nothing')).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
  });

  it('come from git with their revision, and stay inside their repository', async () => {
    await using repo = await TempGitRepo.create({
      'bundle.md': '---\nbundle: { name: remote }\n---\nRemote.',
      'behaviors/b.yaml': yaml(
        'behavior-b',
        'agents: { include: [remote:scout, scout] }\ncontext: { include: [remote:context/c.md] }\ntools: [{ module: tool-m, source: ../modules/m }]',
      ),
      'behaviors/evil.yaml': yaml('evil', 'includes: [/etc/hosts, ../../outside]'),
      'behaviors/spy.yaml': yaml('spy', 'context: { include: [../../../../../../etc/hosts, ../secret] }'),
      'behaviors/module.yaml': yaml('module', 'tools: [{ module: m, source: ../../../out }]'),
      'agents/scout.md': agent('scout', 'tools: [{ module: tool-s, source: ./s }]\n'),
      'context/c.md': 'context',
    });
    await symlink('/etc/hosts', repo.resolve('secret'));
    await symlink('/etc/hosts', repo.resolve('agents/leak.md'));
    await repo.commit('link');
    await using at = await shelf({});
    const from = (file: string) =>
      at.load(`git+file://${repo.path}@main#subdirectory=behaviors/${file}.yaml`);
    const bundle = await from('b');
    expect(bundle.parts[0]).toMatchObject({ revision: await repo.git('rev-parse', 'HEAD'), stale: false });
    expect(Object.keys(bundle.agents)).toEqual(['remote:scout', 'scout']);
    expect(Object.keys(bundle.context)).toEqual(['remote:context/c.md']);
    expect(bundle.tools[0]?.source).toMatch(/modules\/m$/);
    expect(bundle.agents.scout?.tools).toMatchObject([{ source: expect.stringMatching(/^\/.*agents\/s$/) }]);
    const resolver = new AgentResolver({ searchPaths: bundleSearchPaths(bundle) });
    expect((await resolver.resolve('remote:scout')).origin).toBe('remote');
    await expect(resolver.resolve('remote:leak')).rejects.toMatchObject({ code: 'PATH_ESCAPES_ROOT' });
    const evil = await from('evil');
    expect(evil.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/'\/etc\/hosts' leads out of/),
      expect.stringMatching(/leads out of/),
    ]);
    await expect(from('spy')).rejects.toThrow(/spy\.yaml:2: .*leads out of/);
    await expect(from('module')).rejects.toThrow(/module\.yaml: .*leads out of/);
  });
});

describe('the agents of a bundle', () => {
  const files = {
    'base/bundle.yaml': yaml('base', 'agents: { include: [base:scout, helper] }'),
    'base/agents/scout.md': agent('scout', 'model_role: fast\n'),
    'base/agents/helper.md': agent('helper'),
    'agents/own.md': agent('own'),
    'agents/other.md': agent('other'),
  };
  const withAgents = (value: string) => ({
    ...files,
    'bundle.yaml': yaml('top', `includes: [./base]\n${value}`),
  });

  it.each([
    ['', ['base:scout', 'helper']],
    ['agents: all', ['base:scout', 'helper', 'other', 'own']],
    ['agents: none', []],
    ['agents: [own, scout]', ['base:scout', 'own']],
    ['agents: [base:scout]', ['base:scout']],
    ['agents: { include: [own] }', ['base:scout', 'helper', 'own']],
    ['agents: { mine: { description: inline } }', ['base:scout', 'helper', 'mine']],
  ])('%s', async (value, names) => {
    await using at = await shelf(withAgents(value));
    expect(Object.keys((await at.load('.')).agents)).toEqual(names);
  });

  it('carry what their files say; a definition in the bundle comes first and is filled from the file', async () => {
    await using at = await shelf(withAgents('agents: { own: { description: Mine, instruction: "" } }'));
    const { agents } = await at.load('.');
    expect(agents['base:scout']).toMatchObject({ model_role: 'fast', instruction: 'I am scout.' });
    expect(agents.own).toMatchObject({ description: 'Mine', instruction: 'I am own.' });
  });

  it('that are missing or broken are named and left out', async () => {
    await using at = await shelf({
      ...withAgents('agents: { include: [nope, bad] }'),
      'agents/bad.md': '---\nname: x',
    });
    const { agents, warnings } = await at.load('.');
    expect(Object.keys(agents)).toEqual(['base:scout', 'helper']);
    expect(warnings.map(({ code }) => code)).toEqual(['AGENT_NOT_FOUND', 'FRONTMATTER_NOT_CLOSED']);
    await using listed = await shelf(withAgents('agents: [ghost]'));
    expect((await listed.load('.')).warnings[0]?.message).toMatch(/lists the agent 'ghost'.*There are: none/);
  });

  it('can be found through a resolver, with or without the name of their bundle', async () => {
    await using at = await shelf(withAgents('agents: all'));
    const loader = new AgentLoader({
      resolver: new AgentResolver({ searchPaths: bundleSearchPaths(await at.load('.')) }),
    });
    expect((await loader.loadAgent('own')).origin).toBe('top');
    expect((await loader.loadAgent('scout')).origin).toBe('base');
    expect((await loader.loadAgent('base:scout')).origin).toBe('base');
    await symlink(at.workspace.resolve('agents/own.md'), at.workspace.resolve('base/agents/linked.md'));
    expect((await loader.loadAgent('base:linked')).agent.name).toBe('own');
  });
});

describe('what is found in bundles of others', () => {
  it('loads: agents by path, sources by name, an @ too many, keys in the wrong place', async () => {
    await using at = await shelf({
      'bundle.md': `---
bundle:
  name: wild
  author: Somebody
  includes:
    - bundle: ./nested-by-mistake
includes:
  - bundle: "@wild:behaviors/one.yaml"
session:
  orchestrator: { module: loop-streaming, source: wild:modules/loop }
agents:
  include:
    - wild:agents/specialist
    - wild:experts/researcher
context:
  include: ["@wild:context/rules.md"]
---
Body.`,
      'behaviors/one.yaml': yaml('one', 'tools: [{ module: tool-x, source: "wild:modules/tool-x" }]'),
      'agents/specialist.md': agent('specialist', 'tools: [{ module: tool-y, source: "wild:modules/y" }]\n'),
      'experts/researcher.md': agent('researcher', 'tools: [read_file, delegate]\n'),
      'context/rules.md': 'Rules.',
    });
    const bundle = await at.load('.');
    expect(Object.keys(bundle.agents)).toEqual(['wild:agents/specialist', 'wild:experts/researcher']);
    expect(bundle.agents['wild:agents/specialist']?.tools).toMatchObject([
      { source: at.workspace.resolve('modules/y') },
    ]);
    expect(bundle.tools[0]?.source).toBe(at.workspace.resolve('modules/tool-x'));
    expect(bundle.session).toMatchObject({ orchestrator: { source: at.workspace.resolve('modules/loop') } });
    expect(Object.keys(bundle.context)).toEqual(['wild:context/rules.md']);
    expect(bundle.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/bundle\.md:5: 'includes' stands inside 'bundle'.*Move it to the top level/),
    ]);
    const resolver = new AgentResolver({ searchPaths: bundleSearchPaths(bundle) });
    expect((await resolver.resolve('wild:agents/specialist')).path).toBe(
      (await resolver.resolve('specialist')).path,
    );
    expect((await resolver.resolve('wild:experts/researcher')).origin).toBe('wild');
  });
});

describe('a composed bundle', () => {
  const FILES = {
    'bundle.md': `---
bundle: { name: whole, version: 2.1.0, description: All of it }
session: { orchestrator: loop-basic, context: { module: context-simple, config: { max_tokens: 5 } } }
providers: [{ module: provider-x, config: { api_key: "\${X_KEY}", client_secret: hunter2 } }]
tools: [tool-filesystem]
spawn: { exclude_tools: [tool-delegate] }
agents: all
context: { rules: context/rules.md }
---
# Title

Do this.

---

And that.
`,
    'agents/a.md': agent('a', 'tools: [tool-filesystem]\n'),
    'context/rules.md': 'Rules.',
  };

  it('becomes a mount plan the kernel accepts', async () => {
    await using at = await shelf(FILES);
    const plan = bundleToMountPlan(await at.load('.'));
    expect(validateMountPlan(plan)).toEqual({ valid: true, issues: [] });
    expect(Object.keys(plan)).toEqual(['session', 'providers', 'tools', 'agents', 'spawn']);
  });

  it('can be kept as one file that gives the same plan, prompt and context again, without secrets', async () => {
    await using at = await shelf(FILES);
    const bundle = await at.load('.');
    const text = snapshotBundle(bundle);
    expect(text).not.toContain('hunter2');
    expect(text).toContain('${X_KEY}');
    await at.workspace.write('kept/bundle.md', text);
    const again = await at.load('./kept');
    const masked = JSON.parse(
      JSON.stringify(bundleToMountPlan(bundle)).replace('hunter2', '[REDACTED]'),
    ) as JsonObject;
    expect(bundleToMountPlan(again)).toEqual(masked);
    expect(again).toMatchObject({
      name: 'whole',
      version: '2.1.0',
      instruction: bundle.instruction,
      context: bundle.context,
    });
  });

  it('is discovered in folders, earlier ones first', async () => {
    await using at = await shelf({
      'user/mine/bundle.md': '',
      'user/flat.yaml': '',
      'project/mine/bundle.md': '',
      'project/theirs/bundle.yaml': '',
      'project/not-one/README.md': '',
    });
    const found = await discoverBundles([
      at.workspace.resolve('user'),
      at.workspace.resolve('project'),
      '/nowhere',
    ]);
    expect(Object.keys(found).sort()).toEqual(['flat', 'mine', 'theirs']);
    expect(found.mine).toBe(at.workspace.resolve('user/mine/bundle.md'));
  });

  it('of a size nobody writes is refused', async () => {
    await using at = await shelf({ 'bundle.md': 'x'.repeat(50 * 1024 * 1024) });
    await expect(at.load('.')).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  });

  it('behind a link that leads to itself is refused', async () => {
    await using at = await shelf({});
    await symlink(at.workspace.resolve('loop.yaml'), at.workspace.resolve('loop.yaml'));
    await expect(at.load('./loop')).rejects.toThrow(/leads back to itself|not there/);
  });
});
