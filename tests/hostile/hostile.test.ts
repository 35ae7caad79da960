import { existsSync } from 'node:fs';
import { folderTrust, hostPaths, trustFolder } from '@amplifier/host';
import { describe, expect, it, vi } from 'vitest';
import { amplifierHere, ENTRY_POINTS } from './entry-points.js';
import { HostileScene } from './hostile-scene.js';
import { waysIn } from './ways-in.js';

// Real programs are started, on machines that have other things to do.
vi.setConfig({ testTimeout: 180_000 });

const ways = await waysIn();

describe('a hostile repository with a hostile model, in a folder nobody trusted', () => {
  it.each(ENTRY_POINTS)('gets nowhere at $name', async ({ ask, name }) => {
    await using scene = await HostileScene.create(ways);
    const shown = await ask(scene, scene.prompt, 'write');
    expect(await scene.leaks(shown), shown).toEqual([]);
    expect(shown, 'the work itself was done').toContain('Hello.');
    // The daemon's own sessions read nothing of a folder, so that there is nothing to tell.
    if (!name.startsWith('REST')) expect(shown).toContain('amplifier trust');
  });

  it('gets nowhere by an instruction that the person asks for by name', async () => {
    await using scene = await HostileScene.create(await waysIn());
    const shown = await amplifierHere(scene, 'run', '/tidy');
    expect(await scene.leaks(shown), shown).toEqual([]);
    expect(shown, 'the work itself was done').toContain('Tidied.');
  });

  it.each(['read_only', 'propose'])('gets nowhere in %s mode', async (mode) => {
    await using scene = await HostileScene.create(ways);
    const shown = await amplifierHere(scene, 'run', '--safety', mode, scene.prompt);
    expect(await scene.leaks(shown), shown).toEqual([]);
    expect(shown).toContain('Hello.');
  });

  const LOOKS = [
    ['agent', 'list'],
    ['agent', 'show', 'explorer'],
    ['bundle', 'show'],
    ['provider', 'models'],
    ['provider', 'test'],
    ['doctor'],
    ['mcp-server', 'list'],
    ['mcp-server', 'test'],
    ['skill', 'list'],
  ];
  it('gets nowhere by looking at what there is', async () => {
    await using scene = await HostileScene.create(ways);
    const shown: string[] = [];
    for (const command of LOOKS)
      shown.push(`$ amplifier ${command.join(' ')}\n${await amplifierHere(scene, ...command)}`);
    expect(await scene.leaks(shown.join('\n')), shown.join('\n')).toEqual([]);
  });
});

describe('a hostile model in a folder that a person trusted', () => {
  it('gets nowhere in write mode, although it may write', async () => {
    await using scene = await HostileScene.create(ways.filter(({ by_a_model }) => by_a_model));
    const paths = hostPaths(scene.folder.path, scene.environment);
    await trustFolder(paths, await folderTrust(paths));
    const library = ENTRY_POINTS.find(({ name }) => name === 'the library');
    const shown = (await library?.ask(scene, scene.prompt, 'write')) ?? '';
    expect(await scene.leaks(shown), shown).toEqual([]);
    expect(existsSync(scene.folder.resolve('written')), shown).toBe(true);
    expect(existsSync(scene.folder.resolve('.envrc.held-back')), shown).toBe(true);
  });
});

describe('the traps', () => {
  it('catch what acts once the folder is trusted, so that an empty list means something', async () => {
    const acting = ways.filter(({ acts_when_trusted }) => acts_when_trusted);
    await using scene = await HostileScene.create(acting);
    const paths = hostPaths(scene.folder.path, scene.environment);
    await trustFolder(paths, await folderTrust(paths));
    const shown = await amplifierHere(scene, 'run', scene.prompt);
    const caught = (await scene.leaks(shown)).map((leak) => leak.split(':')[0]);
    expect([...new Set(caught)].sort(), shown).toEqual(acting.map(({ name }) => name));
  });
});
