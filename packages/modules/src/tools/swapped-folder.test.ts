import { chmod, rename, rm, symlink, writeFile } from 'node:fs/promises';
import type { JsonObject } from '@amplifier/core';
import { mountedSession, TempWorkspace } from '@amplifier/testkit';
import { pathScope, READ_ONLY_GRANT } from '@amplifier/workspace';
import { afterEach, describe, expect, it, vi } from 'vitest';
import filesystem from './tool-filesystem/index.js';
import search from './tool-search/index.js';

/** Called before each listing of a folder, and before and after each reading of a file by name. */
const listing = vi.hoisted(() => ({ before: async () => {} }));
const reading = vi.hoisted(() => ({ before: async () => {}, after: async () => {} }));

vi.mock('node:fs/promises', async (original) => {
  const actual = await original<typeof import('node:fs/promises')>();
  const readdir = async (...args: Parameters<typeof actual.readdir>) => {
    await listing.before();
    return actual.readdir(...args);
  };
  const readFile = async (...args: Parameters<typeof actual.readFile>) => {
    await reading.before();
    return actual.readFile(...args).finally(reading.after);
  };
  return { ...actual, readdir, readFile };
});

afterEach(() => {
  listing.before = async () => {};
  Object.assign(reading, { before: async () => {}, after: async () => {} });
});

async function scene() {
  const space = await TempWorkspace.create({
    'project/d/deep/mine.txt': 'mine',
    'project/d/mine.txt': 'mine',
    'secret/secretname.txt': 'key',
    'secret/mine.txt': 'key',
    'secret/deep/secretname.txt': 'key',
  });
  const project = space.resolve('project');
  return {
    project,
    /** Puts a link to the secret folder in the place of `d`, once. */
    async swap() {
      listing.before = async () => {};
      await rename(space.resolve('project/d'), space.resolve('project/aside'));
      await symlink(space.resolve('secret'), space.resolve('project/d'));
    },
    async swapBack() {
      await rm(space.resolve('project/d'));
      await rename(space.resolve('project/aside'), space.resolve('project/d'));
    },
    async call(
      tool: string,
      input: JsonObject,
      ripgrep: string | false = false,
      capabilities: JsonObject = {},
    ) {
      await using session = await mountedSession({
        toolModules: { 'tool-filesystem': filesystem, 'tool-search': search },
        config: { 'tool-search': { ripgrep } },
        capabilities: {
          'session.working_dir': project,
          'session.grant': { ...READ_ONLY_GRANT, read: pathScope([project]), write: pathScope([project]) },
          ...capabilities,
        },
      });
      return session.call(tool, input);
    },
    [Symbol.asyncDispose]: () => space[Symbol.asyncDispose](),
  };
}

describe('a folder that is replaced by a link while it is listed', () => {
  it.each([
    ['list_files', { path: 'd' }],
    ['list_files', { path: 'd', depth: 5 }],
    ['list_files', { path: '.', depth: 5 }],
    ['glob', { pattern: '**' }],
    ['glob', { pattern: '**', path: 'd' }],
    ['read_file', { file_path: 'd/secretnam.txt' }],
  ])('shows nothing of what is behind the link to %s %j', async (tool, input) => {
    for (const when of [1, 2, 3]) {
      await using space = await scene();
      let listed = 0;
      listing.before = async () => {
        if (++listed === when) await space.swap();
      };
      expect(JSON.stringify(await space.call(tool, input))).not.toContain('secretname');
      if (when === 1) expect(listed).toBeGreaterThan(0);
    }
  });

  it('is not followed to keep what a file was before it is written', async () => {
    await using space = await scene();
    Object.assign(reading, { before: space.swap, after: space.swapBack });
    const kept: unknown[] = [];
    const changes = { keep: async (...change: unknown[]) => void kept.push(String(change[1])) };
    const input = { file_path: 'd/mine.txt', content: 'x' };
    const written = await space.call('write_file', input, false, { 'session.changes': changes as never });
    expect(written).toMatchObject({ success: true });
    expect(kept).toEqual(['mine']);
  });

  it('is left out of what ripgrep found there', async () => {
    await using tools = await TempWorkspace.create();
    const rg = tools.resolve('rg');
    await writeFile(rg, "#!/bin/sh\nprintf 'd/mine.txt\\0d/secretname.txt\\0d/deep/secretname.txt\\0'\n");
    await chmod(rg, 0o755);
    await using space = await scene();
    const find = () => space.call('glob', { pattern: '**' }, rg);
    expect((await find()).output).toEqual({ files: ['d/mine.txt'] });
    await space.swap();
    expect((await find()).output).toEqual({ files: [] });
  });
});
