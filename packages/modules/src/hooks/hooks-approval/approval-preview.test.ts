import { symlink } from 'node:fs/promises';
import type { Coordinator } from '@amplifier/core';
import { mountedSession, TempWorkspace } from '@amplifier/testkit';
import { FULL_GRANT, pathScope } from '@amplifier/workspace';
import { expect, it } from 'vitest';
import { approvalPreview } from './approval-preview.js';

it('draws a change from a file of the session, and nothing of a file that a link leads to', async () => {
  await using folder = await TempWorkspace.create({ 'a.txt': 'before\n' });
  await using outside = await TempWorkspace.create({ 'secret.txt': 'the secret\n' });
  await symlink(outside.resolve('secret.txt'), folder.resolve('link.txt'));
  const grant = { ...FULL_GRANT, read: pathScope([folder.path]), write: pathScope([folder.path]) };
  const capabilities: Record<string, unknown> = {
    'session.working_dir': folder.path,
    'session.grant': grant,
  };
  const coordinator = {
    getCapability: (name: string) => capabilities[name] ?? null,
  } as unknown as Coordinator;
  const preview = (file_path: string) =>
    approvalPreview(coordinator, 'write_file', { file_path, content: 'after\n' });
  expect(await preview('a.txt')).toMatchObject({ kind: 'change', is_new: false, removed: 1, added: 1 });
  expect(await preview('new.txt')).toMatchObject({ kind: 'change', is_new: true, added: 1 });
  const linked = await preview('link.txt');
  expect(linked).toMatchObject({ kind: 'input' });
  expect(JSON.stringify(linked)).not.toContain('secret\\n');
});

it('summarizes a change of texts that are too different to compare', async () => {
  const lines = (word: string) => Array.from({ length: 1_500 }, (_, at) => `${word} ${at}\n`).join('');
  await using workspace = await TempWorkspace.create({ 'a.txt': `same\n${lines('old')}` });
  await using session = await mountedSession({
    capabilities: { 'session.working_dir': workspace.path, 'session.grant': FULL_GRANT },
  });
  const input = { file_path: 'a.txt', content: `same\n${lines('new')}` };
  const preview = await approvalPreview(session.session.coordinator, 'write_file', input);
  expect(preview).toMatchObject({
    kind: 'change',
    is_new: false,
    added: 1_500,
    removed: 1_500,
    left_out: 2_601,
  });
  if (preview.kind !== 'change') return;
  expect(preview.lines).toHaveLength(400);
  expect(preview.lines[0]?.text).toMatch(/too large to be shown whole: 1501 lines before, 1501 after/);
  expect(preview.lines[1]).toEqual({ sign: '-', number: 2, text: 'old 0' });
  expect(preview.lines[21]).toEqual({ sign: '+', number: 2, text: 'new 0' });
});
