import { symlink } from 'node:fs/promises';
import type { Diagnostic } from '@amplifier/core';
import { TempWorkspace } from '@amplifier/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandMentions } from './expand-mentions.js';
import { findMentions } from './find-mentions.js';
import { loadMentions } from './load-mentions.js';
import { mentionResolver } from './mention-resolver.js';
import { systemPrompt } from './system-prompt.js';

describe('mentions in a text', () => {
  it.each([
    ['see @docs/a.md and @b', ['docs/a.md', 'b']],
    ['@foundation:context/x.md', ['foundation:context/x.md']],
    ['(@a.md), "@b.md" — @c.md.', ['a.md', 'b.md', 'c.md']],
    ['@~/notes.md @./here.md @.amplifier/x', ['~/notes.md', './here.md', '.amplifier/x']],
    ['twice @a.md @a.md', ['a.md']],
    ['mail me@example.com or a.b@c.d', []],
    ['no `@a.md` and ``@b `c` @d`` here', []],
    ['```\n@a.md\n```\n@b.md', ['b.md']],
    ['~~~ts\n@a.md\n```\n@c.md\n~~~\n@b.md', ['b.md']],
    ['````\n```\n@a.md\n````\n@b.md', ['b.md']],
    ['```\nnever closed @a.md', []],
    ['an ` alone, then @a.md', ['a.md']],
    ['@ alone, @@ and @-x', []],
    ['@see:', ['see']],
  ])('%j', (text, expected) => {
    expect(findMentions(text)).toEqual(expected);
  });

  it('are found at once in a text that was made to take for ever', () => {
    const long = `a${':.-'.repeat(200_000)}a`;
    const spans = Array.from({ length: 1_000 }, (_, at) => '`'.repeat(at + 1)).join('b');
    expect(findMentions(`@${long} @b ${spans}`)).toEqual([long, 'b']);
  });

  it('are found in any text without hanging or throwing', () => {
    const piece = fc.constantFrom('@a', '`', '```', '\n', '~~~', ' ', '@b:c/d.md', 'x@y.z', '``');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        expect(findMentions(pieces.join('')).length).toBeLessThanOrEqual(pieces.length);
      }),
    );
  });
});

async function desk(files: Record<string, string>) {
  const workspace = await TempWorkspace.create(files);
  const resolver = mentionResolver({
    baseDir: workspace.resolve('project'),
    namespaces: { house: workspace.resolve('house'), user: workspace.resolve('home/.amplifier') },
    home: workspace.resolve('home'),
  });
  return {
    workspace,
    resolver,
    load: (text: string) => loadMentions(text, resolver),
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
}

describe('what a text mentions', () => {
  it('is looked for in the bundle, the home folder, the user’s settings and the project', async () => {
    await using at = await desk({
      'house/context/rules.md': 'house rules',
      'home/notes.md': 'home notes',
      'home/.amplifier/me.md': 'about me',
      'project/src/a.ts': 'code',
    });
    const { files, missing } = await at.load(
      '@house:context/rules @~/notes.md @user:me.md @src/a.ts @param @lost:x',
    );
    expect(files.map(({ content }) => content)).toEqual(['house rules', 'home notes', 'about me', 'code']);
    expect(missing).toEqual([
      { mention: 'param', reason: 'not_found' },
      { mention: 'lost:x', reason: 'not_found' },
    ]);
  });

  it('is followed a few levels, beside the file it stands in first; circles end', async () => {
    await using at = await desk({
      'project/a.md': 'A @deep/b.md',
      'project/deep/b.md': 'B @c.md @../a.md',
      'project/deep/c.md': 'C beside b @d.md',
      'project/c.md': 'C in the project',
      'project/deep/d.md': 'D',
      'project/loop.md': 'L @loop.md',
    });
    const { files } = await at.load('@a.md @loop.md');
    expect(files.map(({ content }) => content[0])).toEqual(['A', 'B', 'C', 'L']);
    expect(files[2]?.content).toContain('beside b');
  });

  it('counts once when two files are equal, and names both', async () => {
    await using at = await desk({ 'project/a.md': 'same', 'project/b.md': 'same' });
    const { files } = await at.load('@a.md @b.md');
    expect(files).toHaveLength(1);
    expect(files[0]?.mentions.map(({ mention }) => mention)).toEqual(['a.md', 'b.md']);
  });

  it('may be a folder, which is listed with its folders first', async () => {
    await using at = await desk({ 'project/src/z/x': '', 'project/src/a.ts': '' });
    expect((await at.load('@src')).files[0]?.content).toBe('z/\na.ts');
  });

  it('never leads up, never out of a bundle, and is never huge or binary', async () => {
    await using at = await desk({
      'secret.md': 'secret',
      'house/x': '',
      'project/big.md': 'x'.repeat(50 * 1024 * 1024),
    });
    await at.workspace.write('project/bytes', new Uint8Array([0xff, 0x00]));
    await symlink(at.workspace.resolve('secret.md'), at.workspace.resolve('house/link.md'));
    const loop = at.workspace.resolve('project/loop');
    await symlink(loop, loop);
    const { files, missing } = await at.load(
      '@../secret.md @house:../secret.md @house:link.md @big.md @bytes @loop',
    );
    expect(files).toEqual([]);
    expect(missing.map(({ reason }) => reason)).toEqual([
      'not_allowed',
      'not_allowed',
      'not_allowed',
      'too_large',
      'not_text',
      'not_found',
    ]);
  });
});

describe('expanding', () => {
  it('puts the files before the text, which stays as it is', async () => {
    await using at = await desk({ 'project/a.md': 'content\n' });
    const { text } = await expandMentions('Look at @a.md please.', { resolver: at.resolver });
    expect(text).toBe(
      `<context_file paths="@a.md → ${at.workspace.resolve('project/a.md')}">\ncontent\n</context_file>\n\nLook at @a.md please.`,
    );
  });

  it('never follows what is quoted from a conversation', async () => {
    await using at = await desk({ 'project/secret.md': 'the secret', 'project/task.md': 'the task' });
    const { text } = await expandMentions([{ quoted: 'USER: read @secret.md' }, 'Do @task.md'], {
      resolver: at.resolver,
    });
    expect(text).toContain('the task');
    expect(text).not.toContain('the secret');
    expect(text).toContain('USER: read @secret.md');
  });

  it('does not repeat what was seen, and an unknown mention brings nothing back', async () => {
    await using at = await desk({ 'project/a.md': 'aaa', 'project/b.md': 'bbb' });
    const first = await expandMentions('@a.md', { resolver: at.resolver });
    const seen = new Set(first.digests);
    const second = await expandMentions('@a.md @b.md', { resolver: at.resolver, seen });
    expect(second.text).not.toContain('aaa');
    expect(second.text).toContain('bbb');
    expect((await expandMentions('@nobody', { resolver: at.resolver, seen })).text).toBe('@nobody');
  });
});

describe('the system prompt', () => {
  it('is the instruction, then the context files and what they mention, each once', async () => {
    await using at = await desk({
      'house/rules.md': 'Rules. @more.md',
      'house/more.md': 'More.',
      'project/p.md': 'Project.',
    });
    const context = { 'house:rules': at.workspace.resolve('house/rules.md') };
    const prompt = await systemPrompt(
      { instruction: 'Be good. @house:rules.md @p.md', context },
      at.resolver,
    );
    const [instruction, blocks = ''] = prompt.split('\n\n---\n\n');
    expect(instruction).toBe('Be good. @house:rules.md @p.md');
    expect(blocks.match(/<context_file/g)).toHaveLength(3);
    expect(await systemPrompt({ instruction: null }, at.resolver)).toBe('');
  });

  it('reports a context file that is gone and goes on', async () => {
    await using at = await desk({});
    const reports: Diagnostic[] = [];
    const prompt = await systemPrompt(
      { instruction: 'Hi', context: { 'a:b': '/gone.md' } },
      at.resolver,
      (report) => reports.push(report),
    );
    expect(prompt).toBe('Hi');
    expect(reports[0]?.message).toMatch(/\/gone\.md: There is no such file/);
  });
});
