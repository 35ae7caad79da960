import { existsSync } from 'node:fs';
import { readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { mountedSession, TempWorkspace } from '@amplifier/testkit';
import { sessionGrant } from '@amplifier/workspace';
import { describe, expect, it } from 'vitest';
import { approvalPreview } from '../../hooks/hooks-approval/approval-preview.js';
import bash from '../tool-bash/index.js';
import filesystem from './index.js';

/** A session in a project beside a folder of secrets, and an editor that opens files by name. */
async function scene() {
  const space = await TempWorkspace.create({ 'project/d/key': 'mine\n', 'secret/key': 'the secret\n' });
  const project = space.resolve('project');
  const folder = space.resolve('project/d');
  const aside = space.resolve('project/aside');
  const link = space.resolve('project/link');
  await symlink(space.resolve('secret'), link);
  const swap = async (from: string, to: string) => {
    await rename(folder, to);
    await rename(from, folder);
  };
  const editor = {
    /** Text of files that are not saved. */
    buffers: new Map<string, string>(),
    /** What a command does before and after the editor opens a file. */
    before: async () => {},
    after: async () => {},
    asked: [] as string[],
    async read(path: string) {
      editor.asked.push(`read ${path}`);
      await editor.before();
      const text = editor.buffers.get(path) ?? (await readFile(path, 'utf8'));
      await editor.after();
      return text;
    },
    async write(path: string, content: string) {
      editor.asked.push(`write ${path}`);
      await editor.before();
      await writeFile(path, content);
      await editor.after();
      return true;
    },
  };
  const grant = await sessionGrant('write', {
    cwd: project,
    trusted: true,
    homes: [space.resolve('secret')],
  });
  const session = await mountedSession({
    toolModules: { 'tool-filesystem': filesystem, 'tool-bash': bash },
    capabilities: {
      'session.working_dir': project,
      'session.grant': grant,
      'session.editor_files': editor as never,
    },
  });
  return {
    editor,
    session,
    file: space.resolve('project/d/key'),
    read: (path: string) => space.read(path),
    isThere: (path: string) => existsSync(space.resolve(path)),
    putLink: () => swap(link, aside),
    takeLink: () => swap(aside, link),
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await space[Symbol.asyncDispose]();
    },
  };
}

describe('the editor', () => {
  it('is read from and written to, with what is not saved', async () => {
    await using space = await scene();
    const { editor, session, file } = space;
    editor.buffers.set(file, 'not saved\n');
    expect((await session.call('read_file', { file_path: 'd/key' })).output).toContain('not saved');
    const edit = { file_path: 'd/key', old_string: 'not', new_string: 'now' };
    expect(await session.call('edit_file', edit)).toMatchObject({ success: true });
    expect(await session.call('write_file', { file_path: 'd/new', content: 'x' })).toMatchObject({
      success: true,
    });
    expect(editor.asked.filter((asked) => asked.startsWith('write'))).toHaveLength(2);
    expect(await space.read('project/d/key')).toBe('now saved\n');
  });

  it.each(['stays', 'is gone again'])(
    'shows nothing through a link that is put there while it reads and %s',
    async (how) => {
      await using space = await scene();
      const { editor, session } = space;
      editor.before = space.putLink;
      if (how === 'is gone again') editor.after = space.takeLink;
      const { output } = await session.call('read_file', { file_path: 'd/key' });
      expect(editor.asked).not.toEqual([]);
      expect(output).toMatch(/mine/);
      if (how === 'stays') await space.takeLink();
      const { coordinator } = session.session;
      const preview = await approvalPreview(coordinator, 'write_file', { file_path: 'd/key', content: 'x' });
      expect(JSON.stringify(preview)).toContain('mine');
      expect(JSON.stringify(preview)).not.toContain('the secret');
    },
  );

  it('is not asked for the preview of a file that the session may not read', async () => {
    await using space = await scene();
    const { coordinator } = space.session.session;
    const file_path = '../secret/key';
    expect(await approvalPreview(coordinator, 'write_file', { file_path, content: 'x' })).toMatchObject({
      kind: 'input',
    });
    expect(space.editor.asked).toEqual([]);
  });

  it.each(['stays', 'is gone again'])(
    'fails to write if a link is put in the place of a folder and %s',
    async (how) => {
      await using space = await scene();
      const { editor, session } = space;
      editor.before = space.putLink;
      if (how === 'is gone again') editor.after = space.takeLink;
      expect(await session.call('write_file', { file_path: 'd/key', content: 'x' })).toMatchObject({
        success: false,
        error: { code: 'FILE_CHANGED', message: expect.stringContaining('may have written elsewhere') },
      });
    },
  );

  it('is not asked to write while a command runs that can replace folders', async () => {
    await using space = await scene();
    const { editor, session } = space;
    editor.before = space.putLink;
    await session.call('bash', { command: 'sleep 600', run_in_background: true });
    expect(await session.call('write_file', { file_path: 'd/new', content: 'x' })).toMatchObject({
      success: true,
    });
    expect(editor.asked).toEqual([]);
    expect(await space.read('project/d/new')).toBe('x');
    expect(space.isThere('secret/new')).toBe(false);
  });

  it('has answered before such a command starts', async () => {
    await using space = await scene();
    const { editor, session } = space;
    let command: Promise<unknown> | undefined;
    editor.before = async () => {
      command = session.call('bash', { command: 'cat d/key' });
      // As long as a command takes to start and end where nothing holds it.
      await session.call('bash', { command: 'true', cwd: '/usr' }, { signal: AbortSignal.timeout(500) });
    };
    await session.call('write_file', { file_path: 'd/key', content: 'written' });
    expect(await command).toMatchObject({ output: { stdout: 'written' } });
  });
});
