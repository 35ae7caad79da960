import { execFile } from 'node:child_process';
import { chmod, symlink, truncate, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { JsonObject } from '@amplifier/core';
import { mountedSession, TempGitRepo, TempWorkspace } from '@amplifier/testkit';
import { pathScope, READ_ONLY_GRANT } from '@amplifier/workspace';
import { rgPath } from '@vscode/ripgrep';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import module from './index.js';

const FILES = {
  '.gitignore': '*.log\n/build/\n!keep.log\n',
  '.github/ci.yml': 'needle: hidden\n',
  'a.ts': 'const needle = 1;\nother\nneedle again\r\nend\n',
  'a/b.ts': 'no match\n',
  'a/deep/c.ts': 'Needle\n',
  'a/.gitignore': 'secret.ts\n',
  'a/secret.ts': 'needle\n',
  'build/out.ts': 'needle\n',
  'debug.log': 'needle\n',
  'keep.log': 'needle\n',
  'image.bin': 'needle\n\0binary\n',
  'odd name [1] ü.ts': 'x needle\n',
  'z.md': '# needle (and) more\n',
};

let repo: TempGitRepo;
let outside: TempWorkspace;
beforeAll(async () => {
  repo = await TempGitRepo.create(FILES);
  outside = await TempWorkspace.create({ 'secret.ts': 'needle outside\n' });
  await symlink(outside.path, repo.resolve('link'));
});
afterAll(async () => {
  await repo[Symbol.asyncDispose]();
  await outside[Symbol.asyncDispose]();
});

describe.each([
  ['ripgrep', rgPath],
  ['our own engine', false],
])('search with %s', (_name, ripgrep) => {
  async function search(tool: 'glob' | 'grep', input: JsonObject, deny: string[] = [], folder = repo.path) {
    await using session = await mountedSession({
      toolModules: { 'tool-search': module },
      config: { 'tool-search': { ripgrep } },
      capabilities: {
        'session.working_dir': folder,
        'session.grant': { ...READ_ONLY_GRANT, read: pathScope([folder], deny) },
      },
    });
    return session.call(tool, input);
  }

  it('finds files by name, honours every .gitignore, and follows no link', async () => {
    expect((await search('glob', { pattern: '*.ts' })).output).toEqual({
      files: ['a/b.ts', 'a/deep/c.ts', 'a.ts', 'odd name [1] ü.ts'],
    });
    expect((await search('glob', { pattern: '*.log' })).output).toEqual({ files: ['keep.log'] });
    expect((await search('glob', { pattern: '.github/**' })).output).toEqual({ files: ['.github/ci.yml'] });
    expect((await search('glob', { pattern: 'a/*.ts' })).output).toEqual({ files: ['a/b.ts'] });
    expect((await search('glob', { pattern: '.git/**' })).output).toEqual({ files: [] });
  });

  it('stops at its limit and says so', async () => {
    const { output } = await search('glob', { pattern: '*.ts', limit: 2 });
    expect(output).toEqual({ files: ['a/b.ts', 'a/deep/c.ts'], truncated_at: 2 });
  });

  it('applies the .gitignore of the folders above when it looks in one below', async () => {
    expect((await search('glob', { pattern: '*', path: 'a' })).output).toEqual({
      files: ['a/.gitignore', 'a/b.ts', 'a/deep/c.ts'],
    });
  });

  it('finds lines, with context, without binary and ignored files', async () => {
    const { output } = await search('grep', { pattern: 'needle', output_mode: 'content' });
    expect(output).toEqual({
      matches: 6,
      content: [
        '.github/ci.yml:1:needle: hidden',
        'a.ts:1:const needle = 1;',
        'a.ts:3:needle again',
        'keep.log:1:needle',
        'odd name [1] ü.ts:1:x needle',
        'z.md:1:# needle (and) more',
      ].join('\n'),
    });
    const context = await search('grep', {
      pattern: 'again$',
      path: 'a.ts',
      output_mode: 'content',
      context: 1,
    });
    expect(context.output).toEqual({ matches: 1, content: 'a.ts-2-other\na.ts:3:needle again\na.ts-4-end' });
    const close = await search('grep', {
      pattern: 'needle',
      glob: 'a.ts',
      output_mode: 'content',
      context: 2,
    });
    expect((close.output as { content: string }).content.split('\n')).toHaveLength(4);
  });

  it('lists files, counts, narrows by glob and ignores case', async () => {
    expect((await search('grep', { pattern: 'needle', glob: '*.ts' })).output).toEqual({
      files: ['a.ts', 'odd name [1] ü.ts'],
    });
    expect((await search('grep', { pattern: 'needle', glob: '*.ts', output_mode: 'count' })).output).toEqual({
      counts: { 'a.ts': 2, 'odd name [1] ü.ts': 1 },
    });
    const { output } = await search('grep', { pattern: 'NEEDLE', glob: 'a/**', case_insensitive: true });
    expect(output).toEqual({ files: ['a/deep/c.ts'] });
    expect((await search('grep', { pattern: '\\(and\\)' })).output).toEqual({ files: ['z.md'] });
    expect((await search('grep', { pattern: 'needle', limit: 1 })).output).toMatchObject({ truncated_at: 1 });
  });

  it('explains a pattern that cannot be read, and does not take it for an option', async () => {
    expect(await search('grep', { pattern: '(' })).toMatchObject({ error: { code: 'INVALID_PATTERN' } });
    expect((await search('grep', { pattern: '--files' })).output).toEqual({ files: [] });
  });

  it('is not slowed down by a pattern made to be slow', async () => {
    await using workspace = await TempWorkspace.create({ 'a.txt': `${'a'.repeat(5000)}!\n` });
    const result = await search('grep', { pattern: '(a+)+$' }, [], workspace.path);
    expect(result.output).toEqual({ files: [] });
  });

  it('looks nowhere it may not', async () => {
    for (const path of ['..', '/etc', outside.path, 'link', '/proc/self', 'a\0b'])
      expect(await search('grep', { pattern: 'needle', path })).toMatchObject({
        success: false,
        error: { code: 'NOT_PERMITTED' },
      });
    const denied = await search('grep', { pattern: 'needle' }, [
      repo.resolve('a.ts'),
      repo.resolve('.github'),
    ]);
    expect(denied.output).toEqual({ files: ['keep.log', 'odd name [1] ü.ts', 'z.md'] });
    const globbed = await search('glob', { pattern: '**' }, [repo.resolve('a')]);
    expect((globbed.output as { files: string[] }).files.filter((file) => file.startsWith('a/'))).toEqual([]);
  });

  it.each([
    ['a link to a device', (path: string) => symlink('/dev/zero', path)],
    ['a pipe', async (path: string) => void (await promisify(execFile)('mkfifo', [path]))],
    ['a file of gigabytes', (path: string) => writeFile(path, '').then(() => truncate(path, 2 ** 33))],
  ])('ends where %s is in the place of a .gitignore, and applies the others', async (_kind, put) => {
    await using folder = await TempWorkspace.create({
      'found.ts': 'needle\n',
      'sub/found.ts': 'needle\n',
      'fine/.gitignore': 'left.ts\n',
      'fine/left.ts': 'needle\n',
    });
    await put(folder.resolve('sub/.gitignore'));
    const expected = { files: ['found.ts', 'sub/found.ts'] };
    expect((await search('grep', { pattern: 'needle' }, [], folder.path)).output).toEqual(expected);
    expect((await search('glob', { pattern: '**/*.ts' }, [], folder.path)).output).toEqual(expected);
    const below = { files: ['sub/found.ts'] };
    expect((await search('grep', { pattern: 'needle', path: 'sub' }, [], folder.path)).output).toEqual(below);
    expect((await search('glob', { pattern: '*.ts', path: 'sub' }, [], folder.path)).output).toEqual(below);
  });

  it('says what is missing when there is no such folder', async () => {
    expect(await search('glob', { pattern: '*', path: 'nowhere' })).toMatchObject({ success: false });
  });

  it('stops when it is cancelled', async () => {
    await using session = await mountedSession({
      toolModules: { 'tool-search': module },
      config: { 'tool-search': { ripgrep } },
      capabilities: { 'session.working_dir': repo.path },
    });
    const result = await session.call('grep', { pattern: 'x' }, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ error: { code: 'CANCELLED' } });
  });
});

it('limits the memory of ripgrep, and says so when it ends early', async () => {
  await using folder = await TempWorkspace.create({ 'plain.ts': 'needle\n' });
  await using programs = await TempWorkspace.create({
    rg: '#!/bin/sh\necho "at most $(ulimit -v) KiB" >&2\nkill -ABRT $$\n',
  });
  await chmod(programs.resolve('rg'), 0o755);
  await using session = await mountedSession({
    toolModules: { 'tool-search': module },
    config: { 'tool-search': { ripgrep: programs.resolve('rg') } },
    capabilities: { 'session.working_dir': folder.path },
  });
  const { error } = await session.call('grep', { pattern: 'needle' });
  expect(error?.message).toMatch(/ended before it had searched everything \(at most \d+ KiB\)/);
});

it('shows nothing of a file that is replaced by a link while ripgrep looks for matches', async () => {
  await using folder = await TempWorkspace.create({ 'plain.ts': 'needle inside\n' });
  await symlink(outside.resolve('secret.ts'), folder.resolve('swapped.ts'));
  // What the program reports of a file that was a regular one when it walked the tree.
  const program = outside.resolve('rg');
  await writeFile(program, "#!/bin/sh\nprintf 'plain.ts\\0swapped.ts\\0'\n");
  await chmod(program, 0o755);
  await using session = await mountedSession({
    toolModules: { 'tool-search': module },
    config: { 'tool-search': { ripgrep: program } },
    capabilities: {
      'session.working_dir': folder.path,
      'session.grant': { ...READ_ONLY_GRANT, read: pathScope([folder.path]) },
    },
  });
  const { output } = await session.call('grep', { pattern: 'needle', output_mode: 'content' });
  expect(output).toEqual({ matches: 1, content: 'plain.ts:1:needle inside' });
});
