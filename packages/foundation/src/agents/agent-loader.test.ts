import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { AgentLoader } from './agent-loader.js';
import { AgentResolver } from './agent-resolver.js';
import { agentSearchOrder, environmentOverride } from './agent-search-order.js';

const agent = (name: string, description = name) =>
  `---\nmeta:\n  name: ${name}\n  description: ${description}\n---\nI am ${name}.`;

async function house(files: Record<string, string>, environment: Record<string, string> = {}) {
  const workspace = await TempWorkspace.create(files);
  const resolver = new AgentResolver({
    searchPaths: agentSearchOrder({
      userDir: workspace.resolve('home/.amplifier'),
      projectDir: workspace.resolve('project/.amplifier'),
      bundles: [
        {
          path: workspace.resolve('bundle/agents'),
          origin: 'developer',
          namespace: 'developer',
          confine_to: workspace.resolve('bundle'),
        },
      ],
    }),
    override: environmentOverride(environment, { home: workspace.resolve('home') }),
  });
  return {
    workspace,
    resolver,
    loader: new AgentLoader({ resolver }),
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
}

const EVERYWHERE = {
  'home/test.md': agent('zen', 'from the environment'),
  'home/.amplifier/agents/zen.md': agent('zen', 'from the user'),
  'project/.amplifier/agents/zen.md': agent('zen', 'from the project'),
  'bundle/agents/zen.md': agent('zen', 'from the bundle'),
};

describe('finding an agent', () => {
  it.each([
    ['env', Object.keys(EVERYWHERE), 'from the environment'],
    ['user', Object.keys(EVERYWHERE).slice(1), 'from the user'],
    ['project', Object.keys(EVERYWHERE).slice(2), 'from the project'],
    ['bundle', Object.keys(EVERYWHERE).slice(3), 'from the bundle'],
  ])('takes the %s file first and names what it hides', async (level, files, description) => {
    const kept = Object.fromEntries(files.map((file) => [file, EVERYWHERE[file as keyof typeof EVERYWHERE]]));
    await using home = await house(kept, level === 'env' ? { AMPLIFIER_AGENT_ZEN: '~/test.md' } : {});
    const found = await home.loader.loadAgent('zen');
    expect(found.agent.description).toBe(description);
    expect(found.origin).toBe(
      level === 'env' ? 'env AMPLIFIER_AGENT_ZEN' : level === 'bundle' ? 'developer' : level,
    );
    expect(found.hides.map(({ origin }) => origin)).toEqual(
      ['user', 'project', 'developer'].slice(4 - files.length),
    );
  });

  it('serves an agent that exists only in the environment', async () => {
    await using home = await house({ 'x.md': agent('special') });
    const path = home.workspace.resolve('x.md');
    const resolver = new AgentResolver({
      searchPaths: [],
      override: environmentOverride({ AMPLIFIER_AGENT_SPECIAL_ANALYZER: path }),
    });
    expect(await resolver.resolve('special-analyzer')).toMatchObject({ path });
  });

  it('says which variable points nowhere', async () => {
    await using home = await house(EVERYWHERE, { AMPLIFIER_AGENT_ZEN: '/nowhere.md' });
    await expect(home.loader.loadAgent('zen')).rejects.toThrow(/AMPLIFIER_AGENT_ZEN.*nowhere/);
  });

  it('takes bundle:agent from that bundle, whatever hides the bare name', async () => {
    await using home = await house(EVERYWHERE);
    expect((await home.loader.loadAgent('developer:zen')).origin).toBe('developer');
    await expect(home.loader.loadAgent('other:zen')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
  });

  it('lets a user override bundle:agent in a folder of the bundle’s name, or by variable', async () => {
    await using home = await house(
      { ...EVERYWHERE, 'home/.amplifier/agents/developer/zen.md': agent('mine') },
      { AMPLIFIER_AGENT_DEVELOPER_HAWK: '~/test.md' },
    );
    expect((await home.loader.loadAgent('developer:zen')).agent.name).toBe('mine');
    expect((await home.loader.loadAgent('developer:hawk')).origin).toBe('env AMPLIFIER_AGENT_DEVELOPER_HAWK');
  });

  it('suggests near names', async () => {
    await using home = await house({ ...EVERYWHERE, 'bundle/agents/explorer.md': agent('explorer') });
    await expect(home.loader.loadAgent('exploer')).rejects.toThrow(
      /No agent is called 'exploer'. Did you mean 'explorer'/,
    );
  });

  it.each([
    '../secret',
    'a/../../b',
    '/etc/passwd',
    'a\\b',
    'x:../y',
    '',
    'a\0b',
    ':x',
    '..',
    'a'.repeat(300),
  ])('refuses the name %j before it touches the disk', async (name) => {
    await using home = await house(EVERYWHERE);
    await expect(home.loader.loadAgent(name)).rejects.toMatchObject({ code: 'INVALID_AGENT_NAME' });
  });

  it('does not follow a link out of a bundle, but does in the user’s own folder', async () => {
    await using home = await house({ ...EVERYWHERE, 'elsewhere.md': agent('elsewhere') });
    const target = home.workspace.resolve('elsewhere.md');
    await symlink(target, home.workspace.resolve('bundle/agents/leak.md'));
    await symlink(target, home.workspace.resolve('home/.amplifier/agents/dotfile.md'));
    await expect(home.loader.loadAgent('leak')).rejects.toMatchObject({ code: 'PATH_ESCAPES_ROOT' });
    expect((await home.loader.loadAgent('dotfile')).agent.name).toBe('elsewhere');
    await home.workspace.write('home/.amplifier/agents/leak.md', agent('mine'));
    expect((await home.loader.loadAgent('leak')).agent.name).toBe('mine');
  });

  it('reports a link that leads to itself', async () => {
    await using home = await house(EVERYWHERE);
    const loop = home.workspace.resolve('home/.amplifier/agents/loop.md');
    await symlink(loop, loop);
    await expect(home.loader.loadAgent('loop')).rejects.toMatchObject({ code: 'SYMLINK_LOOP', file: loop });
    expect((await home.loader.listAgents()).problems[0]).toMatchObject({ code: 'SYMLINK_LOOP' });
  });
});

describe('reading agents', () => {
  it('refuses a 50 MB file without reading it, and one that is not text', async () => {
    await using home = await house({ 'bundle/agents/big.md': 'x'.repeat(50 * 1024 * 1024) });
    await home.workspace.write('bundle/agents/bytes.md', new Uint8Array([0xff, 0xfe, 0x00]));
    await expect(home.loader.loadAgent('big')).rejects.toThrow(
      /big\.md: The file has 50\.0 MB; at most 1\.0 MB/,
    );
    await expect(home.loader.loadAgent('bytes')).rejects.toMatchObject({ code: 'NOT_TEXT' });
  });

  it('lists what can be used and what cannot, and goes on', async () => {
    await using home = await house({
      ...EVERYWHERE,
      'bundle/agents/broken.md': '---\nname: a',
      'bundle/agents/README.md': 'not an agent',
      'bundle/agents/review/security.md': agent('security'),
    });
    const { agents, problems } = await home.loader.listAgents();
    expect(agents.map(({ name }) => name)).toEqual(['zen', 'review/security']);
    expect(problems).toMatchObject([{ code: 'FRONTMATTER_NOT_CLOSED', level: 'error' }]);
    expect((await home.loader.loadAgent('review/security')).agent.name).toBe('security');
  });

  it('names both files when two claim one name', async () => {
    await using home = await house({
      'bundle/agents/a.md': agent('twin'),
      'bundle/agents/b.md': agent('twin'),
    });
    const { problems } = await home.loader.listAgents();
    expect(problems[0]).toMatchObject({ code: 'DUPLICATE_AGENT_NAME' });
    expect(problems[0]?.message).toMatch(/b\.md:3: .*a\.md:3 both name their agent 'twin'/);
  });

  it('reads a file again when it changed', async () => {
    await using home = await house(EVERYWHERE);
    const before = await home.loader.loadAgent('zen');
    const path = home.workspace.resolve('home/.amplifier/agents/zen.md');
    await writeFile(path, agent('zen', 'changed it'));
    await utimes(path, new Date(0), new Date(0));
    const after = await home.loader.loadAgent('zen');
    expect(after.agent.description).toBe('changed it');
    expect(after.digest).not.toBe(before.digest);
  });

  it('offers the fragment of what it loaded', async () => {
    await using home = await house(EVERYWHERE);
    await mkdir(home.workspace.resolve('home/.amplifier/agents/.hidden'));
    const found = await home.loader.loadAgent('zen');
    expect(found.toMountPlanFragment()).toEqual({
      name: 'zen',
      description: 'from the user',
      instruction: 'I am zen.',
    });
  });
});
