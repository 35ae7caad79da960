import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TempWorkspace } from '@amplifier/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Grant, READ_ONLY_GRANT } from './grant.js';
import { openInside } from './open-inside.js';
import { isWithin, pathScope } from './path-scope.js';
import { realGrant, resolveInside } from './resolve-inside.js';

function writer(root: string, deny: string[] = []): Grant {
  return { ...READ_ONLY_GRANT, read: pathScope([root], deny), write: pathScope([root], deny) };
}

/** A project beside a folder that is nobody's business. */
async function scene() {
  const space = await TempWorkspace.create({
    'project/a.txt': 'inside',
    'project/sub/b.txt': 'inside too',
    'secret/key': 'the key',
  });
  await symlink('../secret', space.resolve('project/way-out'));
  await symlink(space.resolve('secret/key'), space.resolve('project/key-link'));
  await symlink('../secret/not-yet', space.resolve('project/dangling'));
  await symlink('sub', space.resolve('project/in-link'));
  await symlink('loop-b', space.resolve('project/loop-a'));
  await symlink('loop-a', space.resolve('project/loop-b'));
  return Object.assign(space, { project: space.resolve('project') });
}

describe('path scopes', () => {
  it.each([
    ['a.txt', true],
    ['./sub/../a.txt', true],
    ['in-link/b.txt', true],
    ['new/deep/file', true],
    ['..dots', true],
    ['../secret/key', false],
    ['sub/../../secret/key', false],
    ['/etc/passwd', false],
    ['way-out/key', false],
    ['way-out/new-file', false],
    ['way-out/../a.txt', true],
    ['key-link', false],
    ['dangling', false],
    ['loop-a', false],
    ['a.txt\0.png', false],
    ['', false],
    ['/proc/self/cwd/../../../etc/passwd', false],
    ['/proc/self/root/etc/passwd', false],
    ['~root/x', true],
  ])('decides on %j', async (path, allowed) => {
    await using space = await scene();
    const resolved = await resolveInside(writer(space.project), 'write', path, space.project);
    expect(resolved.allowed).toBe(allowed);
    if (resolved.allowed) expect(isWithin(space.project, resolved.path)).toBe(true);
    else expect(resolved.because).not.toBe('');
  });

  it('does not mistake a sibling with the same beginning for the folder', async () => {
    await using space = await scene();
    const path = `${space.project}-evil/x`;
    expect((await resolveInside(writer(space.project), 'write', path, space.project)).allowed).toBe(false);
  });

  it('denies a denied name that is a symlink, and the place it leads to', async () => {
    await using space = await TempWorkspace.create({ 'store/env': 'SECRET=1' });
    await symlink('store/env', space.resolve('.env'));
    const grant = await realGrant(writer(space.path, [space.resolve('.env')]));
    for (const path of ['.env', 'store/env', 'store/../.env']) {
      expect((await resolveInside(grant, 'read', path, space.path)).allowed).toBe(false);
    }
    expect((await resolveInside(grant, 'read', 'store/other', space.path)).allowed).toBe(true);
  });

  it('never lets any mix of names out of the root', async () => {
    await using space = await scene();
    const part = fc.constantFrom('..', '.', 'sub', 'way-out', 'in-link', 'dangling', 'key', 'x', '', 'a.txt');
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 7 }), async (parts) => {
        const resolved = await resolveInside(
          writer(space.project),
          'read',
          parts.join('/') || '.',
          space.project,
        );
        if (resolved.allowed) expect(isWithin(space.project, resolved.path)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('opening inside a scope', () => {
  it('reads, writes, creates, updates and appends', async () => {
    await using space = await scene();
    const grant = writer(space.project);
    const options = { cwd: space.project, parents: true };
    for (const [mode, path, text] of [
      ['create', 'new/deep/c.txt', 'one'],
      ['append', 'new/deep/c.txt', ' two'],
      ['write', 'in-link/b.txt', 'changed'],
    ] as const) {
      await using file = await openInside(grant, mode, path, options);
      await file.writeFile(text);
    }
    expect(await space.read('project/new/deep/c.txt')).toBe('one two');
    expect(await space.read('project/sub/b.txt')).toBe('changed');
    await using file = await openInside(grant, 'read', 'a.txt', options);
    expect(await file.readFile('utf8')).toBe('inside');
    await expect(openInside(grant, 'create', 'a.txt', options)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(openInside(grant, 'update', 'none', options)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('names the file and not the way it was reached when opening fails', async () => {
    await using space = await scene();
    const opening = openInside(writer(space.project), 'read', 'none', { cwd: space.project });
    await expect(opening).rejects.toThrow(join(space.project, 'none'));
  });

  it('refuses a path outside with a reason', async () => {
    await using space = await scene();
    const opening = openInside(writer(space.project), 'write', 'way-out/key', { cwd: space.project });
    await expect(opening).rejects.toMatchObject({ code: 'PATH_DENIED' });
    expect(await space.read('secret/key')).toBe('the key');
  });

  it('refuses what is not a regular file, without waiting for it', async () => {
    await using space = await scene();
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', [space.resolve('project/pipe')]);
    const grant = writer(space.project);
    for (const [mode, path] of [
      ['read', 'pipe'],
      ['write', 'pipe'],
      ['read', 'sub'],
      ['write', 'sub'],
    ] as const) {
      await expect(openInside(grant, mode, path, { cwd: space.project })).rejects.toMatchObject({
        code: 'NOT_A_FILE',
      });
    }
  });

  it('holds its ground while another process swaps a folder above and the file itself for symlinks', async () => {
    await using space = await TempWorkspace.create({
      'project/sub/deep/key': 'mine',
      'secret/deep/key': 'the key',
    });
    const project = space.resolve('project');
    const swapper = spawn(process.execPath, ['-e', SWAPPER, project], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(swapper.stdout, 'data');
    const seen = new Set<string>();
    for (let round = 0; round < 1500; round++) {
      const mode = (['write', 'append', 'create', 'read'] as const)[round % 4] ?? 'read';
      try {
        await using file = await openInside(writer(project), mode, 'sub/deep/key', {
          cwd: project,
          parents: round % 3 === 0,
        });
        if (mode === 'read') expect(await file.readFile('utf8')).not.toBe('the key');
        else await file.writeFile('overwritten');
        seen.add('opened');
      } catch (error) {
        seen.add((error as { code?: string }).code ?? String(error));
      }
    }
    swapper.kill('SIGKILL');
    await once(swapper, 'exit');
    expect(await space.read('secret/deep/key')).toBe('the key');
    expect(await readdir(space.resolve('secret/deep'))).toEqual(['key']);
    expect(['opened', 'PATH_DENIED', 'PATH_CHANGED', 'ENOENT', 'ENOTDIR', 'EEXIST']).toEqual(
      expect.arrayContaining([...seen]),
    );
    expect(seen).toContain('opened');
    expect(seen).toContain('PATH_DENIED');
  });

  it('cannot tell a hard link from the file itself, as documented', async () => {
    await using space = await scene();
    await link(space.resolve('secret/key'), space.resolve('project/hard'));
    await using file = await openInside(writer(space.project), 'read', 'hard', { cwd: space.project });
    expect(await file.readFile('utf8')).toBe('the key');
  });

  it('works below a folder that may be entered but not listed', async () => {
    await using space = await TempWorkspace.create();
    await mkdir(space.resolve('dark/inner'), { recursive: true });
    await writeFile(space.resolve('dark/inner/f'), 'found');
    const { chmod } = await import('node:fs/promises');
    await chmod(space.resolve('dark'), 0o111);
    await using file = await openInside(writer(space.path), 'read', 'dark/inner/f', { cwd: space.path });
    expect(await file.readFile('utf8')).toBe('found');
    await chmod(space.resolve('dark'), 0o700);
  });
});

/** Now the folder is real, now it leads out; and the same for the file. As fast as it goes, until it is killed. */
const SWAPPER = `
  const fs = require('node:fs');
  process.chdir(process.argv[1]);
  const attempt = (step) => { try { step(); } catch {} };
  console.log('swapping');
  for (;;) {
    attempt(() => fs.renameSync('sub', 'aside'));
    attempt(() => fs.symlinkSync('../secret', 'sub'));
    attempt(() => fs.unlinkSync('sub'));
    attempt(() => fs.rmSync('sub', { recursive: true }));
    attempt(() => fs.renameSync('aside', 'sub'));
    attempt(() => fs.unlinkSync('sub/deep/key'));
    attempt(() => fs.symlinkSync('../../../secret/deep/key', 'sub/deep/key'));
    attempt(() => fs.unlinkSync('sub/deep/key'));
    attempt(() => fs.mkdirSync('sub/deep', { recursive: true }));
  }
`;
