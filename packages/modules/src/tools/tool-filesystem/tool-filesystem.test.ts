import { chmod, lstat, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import type { JsonObject } from '@amplifier/core';
import { type MountedSession, mountedSession, recordEvents, TempWorkspace } from '@amplifier/testkit';
import { type Grant, pathScope, READ_ONLY_GRANT } from '@amplifier/workspace';
import { describe, expect, it } from 'vitest';
import module from './index.js';

const grantFor = (folder: string): Grant => ({
  ...READ_ONLY_GRANT,
  read: pathScope([folder]),
  write: pathScope([folder]),
});

function open(
  folder: string,
  config: JsonObject = {},
  grant: Grant | null = grantFor(folder),
): Promise<MountedSession> {
  return mountedSession({
    toolModules: { 'tool-filesystem': module },
    config: { 'tool-filesystem': config },
    capabilities: { 'session.working_dir': folder, ...(grant ? { 'session.grant': grant } : {}) },
  });
}

describe('read_file', () => {
  it('reads lines with their numbers, in parts', async () => {
    await using workspace = await TempWorkspace.create({ 'a.txt': 'one\ntwo\r\nthree' });
    await using session = await open(workspace.path);
    const all = await session.call('read_file', { file_path: 'a.txt' });
    expect(all.output).toBe('     1\tone\n     2\ttwo\n     3\tthree');
    const part = await session.call('read_file', {
      file_path: workspace.resolve('a.txt'),
      offset: 2,
      limit: 1,
    });
    expect(part.output).toBe('     2\ttwo\n[lines 2 to 2 of 3; read on with offset 3]');
    const beyond = await session.call('read_file', { file_path: 'a.txt', offset: 9 });
    expect(beyond.output).toBe('[the file has 3 lines; there is nothing from line 9 on]');
    await workspace.write('empty.txt', '');
    expect((await session.call('read_file', { file_path: 'empty.txt' })).output).toBe('[the file is empty]');
  });

  it('cuts endless lines and long files, and says where to read on', async () => {
    await using workspace = await TempWorkspace.create({
      'long.txt': `${'é'.repeat(100_000)}\nnext\n`,
      'many.txt': 'line\n'.repeat(5000),
      'wide.txt': `${'x'.repeat(1900)}\n`.repeat(1000),
    });
    await using session = await open(workspace.path);
    const long = await session.call('read_file', { file_path: 'long.txt' });
    expect(long.output).toMatch(/^ {5}1\té+… \[198000 more bytes in this line\]\n {5}2\tnext$/);
    const many = await session.call('read_file', { file_path: 'many.txt' });
    expect(many.output).toMatch(/\n\[lines 1 to 2000 of 5000; read on with offset 2001\]$/);
    const wide = String((await session.call('read_file', { file_path: 'wide.txt' })).output);
    expect(wide.length).toBeLessThan(280_000);
    expect(wide).toMatch(/\[lines 1 to 138 of 1000; read on with offset 139\]$/);
  });

  it('refuses binary files, folders and names that are not there, with a hint', async () => {
    await using workspace = await TempWorkspace.create({
      'config.json': '{}',
      'b.bin': new Uint8Array([1, 0, 2]),
    });
    await using session = await open(workspace.path);
    const code = async (file_path: string) => (await session.call('read_file', { file_path })).error;
    expect(await code('b.bin')).toMatchObject({ code: 'BINARY_FILE' });
    expect(await code('.')).toMatchObject({ code: 'WRONG_KIND' });
    expect(await code('confg.json')).toMatchObject({
      code: 'NOT_FOUND',
      message: "There is no file 'confg.json'. Did you mean 'config.json' in the same folder?",
    });
  });

  it('shows an image as an image', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await using workspace = await TempWorkspace.create({ 'dot.txt': png });
    await using session = await open(workspace.path);
    const { output } = await session.call('read_file', { file_path: 'dot.txt' });
    expect(output).toEqual({
      content_blocks: [
        { type: 'text', text: `dot.txt (image/png, ${png.length} bytes)` },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') } },
      ],
    });
  });

  it('reads the start of a file of many gigabytes in little memory', async () => {
    await using workspace = await TempWorkspace.create({ 'huge.log': 'first\nsecond\n' });
    await truncate(workspace.resolve('huge.log'), 8 * 1024 ** 3);
    await using session = await open(workspace.path);
    const before = process.memoryUsage().arrayBuffers;
    const result = await session.call('read_file', { file_path: 'huge.log', limit: 1 });
    expect(result.error).toMatchObject({ code: 'BINARY_FILE' });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 ** 2);
  });
});

describe('read_file of a file that is not read to its end', () => {
  const MEGABYTE = 1024 ** 2;

  it('has the first part of a line of 300 MB, says what is left out, and keeps the file open for the rest', async () => {
    await using workspace = await TempWorkspace.create({ 'line.txt': `first\n${'x'.repeat(20_000)}` });
    await truncate(workspace.resolve('line.txt'), 300 * MEGABYTE);
    await using session = await open(workspace.path);
    const before = process.memoryUsage().arrayBuffers;
    const { output, error } = await session.call('read_file', { file_path: 'line.txt' });
    expect(error).toBeUndefined();
    const [first, second, note] = String(output).split('\n');
    expect(first).toBe('     1\tfirst');
    expect(second).toMatch(/^ {5}2\tx{2000}… \[up to 314570794 more bytes in this line\]$/);
    expect(note).toMatch(/^\[lines 1 to 2 of very many; more is beyond the first 256 MB/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * MEGABYTE);
    const beyond = await session.call('read_file', { file_path: 'line.txt', offset: 3 });
    expect(beyond.output).toMatch(/^\[line 3 is beyond the first 256 MB/);
    const part = await session.call('read_file', { file_path: 'line.txt', limit: 1 });
    expect(part.output).toBe('     1\tfirst\n[lines 1 to 1 of very many; read on with offset 2]');
  });
});

describe('write_file', () => {
  it('makes folders, replaces files whole, keeps their mode and leaves no draft', async () => {
    await using workspace = await TempWorkspace.create({ 'run.sh': 'old' });
    await chmod(workspace.resolve('run.sh'), 0o755);
    await using session = await open(workspace.path);
    const recorder = recordEvents(session.session.coordinator.hooks);
    const created = await session.call('write_file', { file_path: 'new/deep/a.txt', content: 'ä' });
    expect(created.output).toEqual({ file_path: 'new/deep/a.txt', bytes: 2, created: true });
    const replaced = await session.call('write_file', { file_path: 'run.sh', content: 'new' });
    expect(replaced.output).toMatchObject({ created: false });
    expect(await workspace.read('run.sh')).toBe('new');
    expect((await stat(workspace.resolve('run.sh'))).mode & 0o777).toBe(0o755);
    expect(await readdir(workspace.path)).toEqual(['new', 'run.sh']);
    expect(recorder.of('artifact:write')[1]).toMatchObject({ path: workspace.resolve('run.sh'), bytes: 3 });
  });

  it('writes through a symbolic link that stays inside, and keeps the link', async () => {
    await using workspace = await TempWorkspace.create({ 'real.txt': 'old' });
    await symlink('real.txt', workspace.resolve('link.txt'));
    await using session = await open(workspace.path);
    await session.call('write_file', { file_path: 'link.txt', content: 'new' });
    expect(await workspace.read('real.txt')).toBe('new');
    expect((await lstat(workspace.resolve('link.txt'))).isSymbolicLink()).toBe(true);
  });

  it('writes in place where the grant covers the file alone', async () => {
    await using workspace = await TempWorkspace.create({ 'only.txt': 'old', 'other.txt': 'old' });
    const grant = { ...grantFor(workspace.path), write: pathScope([workspace.resolve('only.txt')]) };
    await using session = await open(workspace.path, {}, grant);
    expect(await session.call('write_file', { file_path: 'only.txt', content: 'new' })).toMatchObject({
      success: true,
    });
    expect(await session.call('write_file', { file_path: 'other.txt', content: 'x' })).toMatchObject({
      error: { code: 'NOT_PERMITTED' },
    });
    expect(await workspace.read('only.txt')).toBe('new');
    expect(await workspace.read('other.txt')).toBe('old');
  });
});

describe('edit_file and multi_edit', () => {
  it('replaces one exact piece and keeps everything else, BOM and line ends included', async () => {
    await using workspace = await TempWorkspace.create({ 'a.txt': '\uFEFFone\r\ntwo\r\n' });
    await using session = await open(workspace.path);
    const result = await session.call('edit_file', {
      file_path: 'a.txt',
      old_string: 'two',
      new_string: '2',
    });
    expect(result.output).toEqual({ file_path: 'a.txt', replacements: 1, line: 2 });
    expect(await workspace.read('a.txt')).toBe('\uFEFFone\r\n2\r\n');
  });

  it('refuses an ambiguous text and leaves the file alone', async () => {
    await using workspace = await TempWorkspace.create({ 'a.txt': 'x\nx\n' });
    await using session = await open(workspace.path);
    const result = await session.call('edit_file', { file_path: 'a.txt', old_string: 'x', new_string: 'y' });
    expect(result.error).toMatchObject({
      code: 'AMBIGUOUS_MATCH',
      message: expect.stringContaining('2 times, on lines 1, 2'),
    });
    expect(await workspace.read('a.txt')).toBe('x\nx\n');
  });

  it('makes all edits of a multi_edit or none', async () => {
    await using workspace = await TempWorkspace.create({ 'a.txt': 'one two' });
    await using session = await open(workspace.path);
    const edits = [
      { old_string: 'one', new_string: 'three' },
      { old_string: 'three two', new_string: 'four' },
    ];
    const missing = [...edits, { old_string: 'gone', new_string: '' }];
    const failed = await session.call('multi_edit', { file_path: 'a.txt', edits: missing });
    expect(failed.error?.message).toMatch(/^Edit 3 of 3: .* No edit was made\.$/);
    expect(await workspace.read('a.txt')).toBe('one two');
    const done = await session.call('multi_edit', { file_path: 'a.txt', edits });
    expect(done).toMatchObject({
      success: true,
      output: { edits: [{ replacements: 1 }, { replacements: 1 }] },
    });
    expect(await workspace.read('a.txt')).toBe('four');
  });

  it('refuses more edits in one call than it makes', async () => {
    await using workspace = await TempWorkspace.create({ 'a.txt': 'x' });
    await using session = await open(workspace.path);
    const edits = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        old_string: at % 2 ? 'y' : 'x',
        new_string: at % 2 ? 'x' : 'y',
      }));
    const refused = await session.call('multi_edit', { file_path: 'a.txt', edits: edits(201) });
    expect(refused.error).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/201 edits; one call makes at most 200\. Split/),
    });
    expect(await workspace.read('a.txt')).toBe('x');
    const done = await session.call('multi_edit', { file_path: 'a.txt', edits: edits(199) });
    expect(done.output).toMatchObject({ edits: { length: 199 } });
    expect(await workspace.read('a.txt')).toBe('y');
  });

  it('loses none of twenty edits of one file made at once', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `<${index}>`);
    await using workspace = await TempWorkspace.create({ 'a.txt': names.join('\n') });
    await using session = await open(workspace.path);
    const results = await Promise.all(
      names.map((name) =>
        session.call('edit_file', {
          file_path: 'a.txt',
          old_string: name,
          new_string: name.toUpperCase().replace('<', '['),
        }),
      ),
    );
    expect(results.every((result) => result.success)).toBe(true);
    expect(await workspace.read('a.txt')).not.toContain('<');
  });

  it('does not damage text that is not UTF-8', async () => {
    const latin1 = new Uint8Array([0x61, 0xe9, 0x62]);
    await using workspace = await TempWorkspace.create({ 'a.txt': latin1 });
    await using session = await open(workspace.path);
    const result = await session.call('edit_file', { file_path: 'a.txt', old_string: 'a', new_string: 'z' });
    expect(result.error).toMatchObject({ code: 'BINARY_FILE' });
    expect(new Uint8Array(await readFile(workspace.resolve('a.txt')))).toEqual(latin1);
  });

  it('refuses to write over a change that somebody else made meanwhile', async () => {
    await using workspace = await TempWorkspace.create({ 'a.txt': 'old' });
    const { replaceFile } = await import('./replace-file.js');
    const path = workspace.resolve('a.txt');
    const expected = await lstat(path, { bigint: true });
    await writeFile(path, 'theirs, longer');
    const writing = replaceFile({ grant: grantFor(workspace.path), path, content: 'ours', expected });
    await expect(writing).rejects.toMatchObject({ code: 'FILE_CHANGED' });
    expect(await readdir(workspace.path)).toEqual(['a.txt']);
  });
});

describe('list_files', () => {
  it('lists levels in order, marks folders and links, and follows no link', async () => {
    await using workspace = await TempWorkspace.create({ 'b.txt': '', 'a/c.txt': '', 'a/d/e.txt': '' });
    await symlink('/', workspace.resolve('root'));
    await using session = await open(workspace.path);
    const { output } = await session.call('list_files', { depth: 2 });
    expect(output).toMatchObject({ entries: ['a/', 'b.txt', 'root@', 'a/c.txt', 'a/d/'] });
  });
});

describe('a file that changed since the session saw it', () => {
  it('may be written again by the one who wrote it, and when only its time changed', async () => {
    await using workspace = await TempWorkspace.create({ 'a.txt': 'one' });
    await using session = await open(workspace.path);
    await session.call('read_file', { file_path: 'a.txt' });
    await workspace.write('a.txt', 'one');
    expect((await session.call('write_file', { file_path: 'a.txt', content: 'two' })).success).toBe(true);
    expect((await session.call('write_file', { file_path: 'a.txt', content: 'three' })).success).toBe(true);
    await rm(workspace.resolve('a.txt'));
    const gone = await session.call('write_file', { file_path: 'a.txt', content: 'four' });
    expect(gone.error?.message).toContain('it was removed');
  });
});
