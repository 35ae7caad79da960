import { symlink } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { findInstructions } from './find-instructions.js';
import { readInstructions } from './read-instructions.js';

async function read(space: TempWorkspace, folder: string, maxBytes?: number) {
  const home = space.resolve('home');
  const places = { cwd: space.resolve(folder), home, amplifierHome: space.resolve('home/.amplifier') };
  const { files, dropped } = await readInstructions(await findInstructions(places), {
    home,
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  return {
    texts: files.map(({ content }) => content),
    dropped: dropped.map(({ path, why }) => [path.slice(space.path.length + 1), why]),
  };
}

describe('instructions of a project', () => {
  it("come from the person, then from the repository's root down to the folder, ours last", async () => {
    await using space = await TempWorkspace.create({
      'home/.claude/CLAUDE.md': 'mine for claude',
      'home/.codex/AGENTS.md': 'mine for codex',
      'home/.amplifier/AGENTS.md': 'mine',
      'home/work/AGENTS.md': 'above the repository',
      'home/work/repo/.git/HEAD': '',
      'home/work/repo/CLAUDE.md': 'root for claude',
      'home/work/repo/.claude/CLAUDE.md': 'root, in its folder',
      'home/work/repo/CLAUDE.local.md': 'root, of one person',
      'home/work/repo/AGENTS.md': 'root',
      'home/work/repo/packages/a/AGENTS.md': 'package',
      'home/work/repo/packages/a/.amplifier/AGENTS.md': 'package, for amplifier',
    });
    const { texts } = await read(space, 'home/work/repo/packages/a');
    expect(texts).toEqual([
      ...['mine for claude', 'mine for codex', 'mine', 'root for claude', 'root, in its folder'],
      ...['root, of one person', 'root', 'package', 'package, for amplifier'],
    ]);
    expect((await read(space, 'home/work')).texts).toEqual([
      'mine for claude',
      'mine for codex',
      'mine',
      'above the repository',
    ]);
  });

  it('bring what they import, each text once, and say nothing of an @word that is no file', async () => {
    await using space = await TempWorkspace.create({
      'home/.claude/CLAUDE.md': '@~/rules.md\nbe kind',
      'home/rules.md': 'rules',
      'repo/.git/HEAD': '',
      'repo/CLAUDE.md': '@AGENTS.md',
      'repo/AGENTS.md': 'See @docs/style.md and ask @maintainer; not `@docs/secret.md`.',
      'repo/docs/style.md': 'style, see @../AGENTS.md',
      'repo/docs/secret.md': 'secret',
    });
    const { texts, dropped } = await read(space, 'repo');
    expect(texts).toEqual([
      ...['rules', '@~/rules.md\nbe kind', 'style, see @../AGENTS.md'],
      ...['See @docs/style.md and ask @maintainer; not `@docs/secret.md`.', '@AGENTS.md'],
    ]);
    expect(dropped).toEqual([]);
  });

  it('never lead out of the repository, by a path or a link', async () => {
    await using space = await TempWorkspace.create({
      'home/.ssh/id': 'KEY',
      'outside.md': 'OUTSIDE',
      'other.md': 'OTHER',
      'repo/.git/HEAD': '',
      'repo/AGENTS.md': '@~/.ssh/id @../outside.md @linked.md /etc/hosts',
    });
    await symlink('../other.md', space.resolve('repo/linked.md'));
    const { texts, dropped } = await read(space, 'repo');
    expect(texts).toEqual(['@~/.ssh/id @../outside.md @linked.md /etc/hosts']);
    expect(dropped.map(([path]) => path)).toEqual(['home/.ssh/id', 'outside.md', 'repo/linked.md']);
  });

  it('that do not fit are dropped with the reason', async () => {
    await using space = await TempWorkspace.create({
      'repo/.git/HEAD': '',
      'repo/AGENTS.md': 'a'.repeat(80),
      'repo/sub/AGENTS.md': 'b'.repeat(80),
    });
    const { texts, dropped } = await read(space, 'repo/sub', 100);
    expect(texts).toEqual(['a'.repeat(80)]);
    expect(dropped).toEqual([['repo/sub/AGENTS.md', 'All instructions together may have 100 bytes.']]);
  });
});
