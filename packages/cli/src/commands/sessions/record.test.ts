import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

it('amplifier record verifies, backs up and compacts, and brings sessions back when the file is damaged', async () => {
  await using box = await CliSandbox.create({ 'a.txt': 'A' });
  await box.run(['run', '--offline', 'read a.txt']);
  const ids = async () =>
    ((await box.run(['session', 'list', '--json'])).json().sessions as { session_id: string }[]).map(
      ({ session_id }) => session_id,
    );
  const before = await ids();
  expect(before).toHaveLength(1);
  expect((await box.run(['record', 'verify', '--json'])).json()).toMatchObject({ sessions: 1, problems: [] });
  const backup = box.home.resolve('backup.db');
  expect((await box.run(['record', 'backup', backup])).code).toBe(0);
  expect((await stat(backup)).mode & 0o077, 'what was said is for nobody else').toBe(0);
  expect((await box.run(['record', 'compact'])).code).toBe(0);
  const file = box.home.resolve('amplifier.db');
  await writeFile(file, 'this is no database any more, and quite long enough to be one');
  const damaged = await box.run(['session', 'list']);
  expect([damaged.code, damaged.stderr]).toEqual([
    0,
    expect.stringMatching(
      /amplifier\.db was damaged\. It is now .*damaged-.*restored from their readable copies: 1\./s,
    ),
  ]);
  expect(await ids()).toEqual(before);
  const rebuilt = await box.run(['record', 'rebuild']);
  expect(rebuilt.stderr, 'nothing was').not.toContain('was damaged');
  expect(rebuilt.stderr).toMatch(/restored from their readable copies: 1\..*damaged-/);
  expect(await ids()).toEqual(before);
  expect((await readdir(box.home.path)).some((name) => name.startsWith('amplifier.db.damaged-'))).toBe(true);
  expect((await box.run(['record', 'verify'])).code).toBe(0);
});

it('the user switches readable copies off in their settings', async () => {
  await using box = await CliSandbox.create({ 'a.txt': 'A' });
  await box.home.write('settings.yaml', 'sessions: { readable_copies: false }\n');
  await box.run(['run', '--offline', 'read a.txt']);
  expect((await box.run(['session', 'list', '--json'])).json().sessions).toHaveLength(1);
  expect(existsSync(box.home.resolve('projects'))).toBe(false);
});

it('a backup replaces no file, and says which folder is missing', async () => {
  await using box = await CliSandbox.create({ 'a.txt': 'A' });
  const backup = (to: string) => box.run(['record', 'backup', to]);
  await box.run(['run', '--offline', 'read a.txt']);
  for (const there of ['a.txt', '.', box.home.resolve('amplifier.db')])
    expect(await backup(there)).toMatchObject({ code: 2, stderr: expect.stringContaining('exists already') });
  expect(await readFile(box.folder.resolve('a.txt'), 'utf8')).toBe('A');
  expect(await backup('nowhere/b.db')).toMatchObject({ code: 2, stderr: expect.stringContaining('nowhere') });
  expect(existsSync(box.folder.resolve('nowhere'))).toBe(false);
});

it('a damaged record is named when it cannot be backed up, and an empty file is no record without sessions', async () => {
  await using box = await CliSandbox.create({ 'a.txt': 'A' });
  // Processes of their own: each leaves the file whole.
  await box.start(['run', '--offline', 'read a.txt']);
  const file = box.home.resolve('amplifier.db');
  const bytes = await readFile(file);
  await writeFile(file, Buffer.from(bytes).fill(0, 4096 * 5, 4096 * 12));
  const { code, stderr } = await box.start(['record', 'backup', 'b.db']);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/amplifier\.db is damaged.*amplifier record verify/),
  ]);
  expect(await readdir(box.folder.path)).toEqual(['a.txt']);
  await writeFile(file, '');
  const listed = await box.start(['session', 'list']);
  expect([listed.stdout, listed.stderr]).toEqual([
    expect.stringContaining('read a.txt'),
    expect.stringMatching(/amplifier\.db was missing or empty\..*copies: 1\./),
  ]);
});
