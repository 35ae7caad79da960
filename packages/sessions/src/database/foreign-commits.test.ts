import { rm, writeFile } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it, vi } from 'vitest';
import { ForeignCommits } from './foreign-commits.js';

it('tells whoever listens to look when the record or its watch cannot be read, and goes on', async () => {
  await using workspace = await TempWorkspace.create({ 'record-wal': '' });
  const path = workspace.resolve('record-wal');
  const onNews = vi.fn();
  const commits = new ForeignCommits(
    path,
    () => {
      throw new Error('disk I/O error');
    },
    onNews,
  );
  commits.start();
  await writeFile(path, 'one');
  await vi.waitFor(() => expect(onNews).toHaveBeenCalled(), { timeout: 100_000 });
  await rm(path);
  const before = onNews.mock.calls.length;
  await vi.waitFor(() => expect(onNews.mock.calls.length).toBeGreaterThan(before), { timeout: 100_000 });
  commits.stop();
});
