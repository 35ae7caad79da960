import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { link, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@amplifier/core';
import {
  type MountedSession,
  mountedSession,
  Outside,
  randomRepo,
  seededRandom,
  TempWorkspace,
} from '@amplifier/testkit';
import { type Grant, pathScope, READ_ONLY_GRANT } from '@amplifier/workspace';
import fc from 'fast-check';
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

/** A second process that swaps a folder for a symbolic link and back as fast as it can. */
const SWAP_FOREVER = `
const { renameSync, rmSync, symlinkSync, unlinkSync } = require('node:fs');
const [dir, outside] = process.argv.slice(1);
process.stdout.write('ready');
for (;;) {
  try { renameSync(dir, dir + '.away'); symlinkSync(outside, dir); unlinkSync(dir); } catch {}
  try { renameSync(dir + '.away', dir); } catch { rmSync(dir + '.away', { recursive: true, force: true }); }
}`;

function leadsTo(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

describe('a session may not leave what it was granted', () => {
  async function attempts(session: MountedSession, file_path: string) {
    return Promise.all([
      session.call('read_file', { file_path }),
      session.call('write_file', { file_path, content: 'pwned' }),
      session.call('edit_file', { file_path, old_string: 'secret', new_string: 'pwned' }),
    ]);
  }

  it('by no link of a random tree', async () => {
    for (let seed = 0; seed < 4; seed++) {
      await using outside = await Outside.create();
      await using repo = await randomRepo(seededRandom(seed), outside);
      await symlink(outside.file, repo.resolve('way-out'));
      await symlink('way-out', repo.resolve('way-to-way-out'));
      await using session = await open(repo.path);
      const links = (await readdir(repo.path, { recursive: true, withFileTypes: true })).filter((entry) =>
        entry.isSymbolicLink(),
      );
      const leadOut = links
        .map(({ parentPath, name }) => join(parentPath, name))
        .filter((path) => leadsTo(path) === outside.file);
      expect(leadOut.length).toBeGreaterThan(1);
      for (const link of leadOut)
        for (const result of await attempts(session, link)) expect(result.success).toBe(false);
      expect(await outside.isUntouched()).toBe(true);
    }
  });

  it.each([
    ['..', '../outside/secret.txt'],
    ['.. hidden in the middle', 'sub/../../outside/secret.txt'],
    ['an absolute path', '<outside>/secret.txt'],
    ['a symbolic link to a file', 'link-to-file'],
    ['a symbolic link to a folder', 'link-to-folder/secret.txt'],
    ['a symbolic link to a link', 'link-to-link/secret.txt'],
    ['a dangling link to a new file', 'dangling'],
    ['a NUL byte', 'secret.txt\0.png'],
    ['/proc/self/environ', '/proc/self/environ'],
    ['/proc/self/root', '/proc/self/root<outside>/secret.txt'],
    ['/dev/mem', '/dev/mem'],
    ['a name that only begins like the folder', '<inside>-evil/secret.txt'],
    ['an empty path', ''],
  ])('by %s', async (_name, path) => {
    await using home = await TempWorkspace.create({
      'inside/sub/a.txt': 'ok',
      'outside/secret.txt': 'secret',
      'inside-evil/secret.txt': 'secret',
    });
    const inside = home.resolve('inside');
    const outside = home.resolve('outside');
    await symlink(`${outside}/secret.txt`, `${inside}/link-to-file`);
    await symlink('../outside', `${inside}/link-to-folder`);
    await symlink('link-to-folder', `${inside}/link-to-link`);
    await symlink(`${outside}/new.txt`, `${inside}/dangling`);
    await using session = await open(inside);
    const results = await attempts(
      session,
      path.replaceAll('<outside>', outside).replaceAll('<inside>', inside),
    );
    for (const result of results) {
      expect(result.success).toBe(false);
      expect(['NOT_PERMITTED', 'PATH_DENIED', 'PATH_INVALID']).toContain(result.error?.code);
      expect(JSON.stringify(result)).not.toMatch(/PATH=|secret"/);
    }
    expect(await home.read('outside/secret.txt')).toBe('secret');
    expect(await readdir(outside)).toEqual(['secret.txt']);
    expect(await home.read('inside-evil/secret.txt')).toBe('secret');
  });

  it('by any path that can be put together from parts', async () => {
    await using home = await TempWorkspace.create({
      'inside/sub/a.txt': 'harmless',
      'outside/secret.txt': 'secret',
    });
    const inside = home.resolve('inside');
    await symlink('..', `${inside}/sub/up`);
    await symlink(home.resolve('outside'), `${inside}/out`);
    await using session = await open(inside);
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'sub',
      'up',
      'out',
      'inside',
      'outside',
      'secret.txt',
      'a.txt',
      home.path,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        async (parts, absolute) => {
          const file_path = (absolute ? `${home.path}/` : '') + parts.join('/');
          const read = await session.call('read_file', { file_path });
          expect(JSON.stringify(read.output ?? '')).not.toContain('\\tsecret');
          const written = await session.call('edit_file', {
            file_path,
            old_string: 'secret',
            new_string: 'pwned',
          });
          expect(written.success).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
    expect(await home.read('outside/secret.txt')).toBe('secret');
  });

  it('by changing a folder for a link while a file in it is used', async () => {
    await using home = await TempWorkspace.create({ 'inside/dir/a.txt': 'a', 'outside/a.txt': 'secret' });
    await using session = await open(home.resolve('inside'));
    const attacker = spawn(process.execPath, [
      '-e',
      SWAP_FOREVER,
      home.resolve('inside/dir'),
      home.resolve('outside'),
    ]);
    const results = [];
    try {
      await once(attacker.stdout, 'data');
      for (let round = 0; round < 200; round++) {
        results.push(await session.call('write_file', { file_path: 'dir/a.txt', content: 'pwned' }));
        results.push(await session.call('read_file', { file_path: 'dir/a.txt' }));
      }
    } finally {
      attacker.kill('SIGKILL');
      await once(attacker, 'exit');
    }
    expect(await home.read('outside/a.txt')).toBe('secret');
    expect(await readdir(home.resolve('outside'))).toEqual(['a.txt']);
    expect(JSON.stringify(results)).not.toContain('secret');
    expect(results.some((result) => !result.success)).toBe(true);
  });

  it('by writing without a grant', async () => {
    await using workspace = await TempWorkspace.create({ 'a.txt': 'secret' });
    await using session = await open(workspace.path, {}, null);
    expect(await session.call('read_file', { file_path: 'a.txt' })).toMatchObject({ success: true });
    const write = await session.call('write_file', { file_path: 'a.txt', content: 'x' });
    expect(write).toMatchObject({ success: false, error: { code: 'NOT_PERMITTED' } });
    const edit = await session.call('edit_file', {
      file_path: 'a.txt',
      old_string: 'secret',
      new_string: 'x',
    });
    expect(edit).toMatchObject({ success: false, error: { code: 'NOT_PERMITTED' } });
    expect(await session.call('read_file', { file_path: '/proc/self/environ' })).toMatchObject({
      success: false,
    });
    expect(await workspace.read('a.txt')).toBe('secret');
  });

  it('by a path its configuration denies', async () => {
    await using workspace = await TempWorkspace.create({ 'src/a.txt': 'a', '.env': 'k' });
    await mkdir(workspace.resolve('other'));
    await link(workspace.resolve('.env'), workspace.resolve('src/hard'));
    await using session = await open(workspace.path, {
      denied_read_paths: ['.env'],
      allowed_write_paths: ['src'],
    });
    expect((await session.call('read_file', { file_path: '.env' })).success).toBe(false);
    expect((await session.call('write_file', { file_path: 'other/x', content: '' })).success).toBe(false);
    expect((await session.call('write_file', { file_path: 'src/x', content: '' })).success).toBe(true);
  });
});
