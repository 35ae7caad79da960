import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chaosAgentCommand } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const REPOSITORY = resolve(fileURLToPath(import.meta.url), '../../../../../..');

it('lists the others when the record of a proposal cannot be read, and names it', async () => {
  await using box = await CliSandbox.create({ 'a.txt': 'one\n' });
  const chaos = { command: chaosAgentCommand(), visible: [REPOSITORY] };
  await box.home.write('settings.yaml', JSON.stringify({ delegation: { agents: { chaos } } }));
  const propose = async (text: string) => {
    await box.run(['delegate', 'acp:chaos', `!write ${text}`, '--safety', 'propose']);
    const listed = await box.run(['proposals', '--json']);
    return (listed.json().proposals as { id: string; state: string }[]).at(-1)?.id ?? '';
  };
  const apply = async (id: string) => String((await box.run(['proposals', 'apply', id, '--json'])).json().id);
  const broken = await apply(await propose('a.txt two'));
  const good = await apply(await propose('b.txt new'));
  const lost = await propose('c.txt new');
  const waiting = await propose('d.txt new');
  const trees = `${box.home.path}-trees`;
  await writeFile(`${trees}/applies/${broken}/apply.json`, '{"version": 1, "id":');
  await writeFile(`${trees}/isolations/${lost}/isolation.json`, '[]');
  const listed = await box.run(['proposals']);
  expect(listed).toMatchObject({ code: 0 });
  expect(listed.stdout).toContain(good.slice(0, 8));
  expect(listed.stdout).toContain(waiting.slice(0, 8));
  for (const file of [`applies/${broken}/apply.json`, `isolations/${lost}/isolation.json`])
    expect(listed.stderr).toContain(`${trees}/${file} cannot be read`);
  const { unreadable } = (await box.run(['proposals', '--json'])).json();
  expect(unreadable).toMatchObject([{ id: lost }, { id: broken }]);
  const shown = await box.run(['proposals', 'show', broken]);
  expect([shown.code, shown.stderr]).toEqual([1, expect.stringContaining('apply.json cannot be read')]);
  const undone = await box.run(['proposals', 'undo', good]);
  expect(undone.code, undone.stderr).toBe(0);
});

it('shows, applies, undoes, discards and cleans what an agent proposed', async () => {
  await using box = await CliSandbox.create({ 'a.txt': 'one\n' });
  const chaos = { command: chaosAgentCommand(), visible: [REPOSITORY] };
  await box.home.write('settings.yaml', JSON.stringify({ delegation: { agents: { chaos } } }));
  const propose = (text: string) =>
    box.run(['delegate', 'acp:chaos', `!write a.txt ${text}`, '--safety', 'propose']);
  const list = async () => {
    const listed = await box.run(['proposals', '--json']);
    return (listed.json() as unknown as { proposals: { id: string; state: string }[] }).proposals;
  };
  const told = await propose('two');
  const [first] = await list();
  const id = first?.id ?? '';
  expect(told.stderr).toContain(`amplifier proposals apply ${id.slice(0, 8)}`);
  const shown = await box.run(['proposals', 'show', id.slice(0, 8)]);
  expect(shown.stdout).toContain('+two');
  const applied = await box.run(['proposals', 'apply', id.slice(0, 8), '--json']);
  expect(applied.json(), applied.stderr).toMatchObject({ status: 'applied' });
  expect(await box.folder.read('a.txt')).toBe('two\n');
  const undone = await box.run(['proposals', 'undo', String(applied.json().id)]);
  expect(undone.code, undone.stderr).toBe(0);
  expect(await box.folder.read('a.txt')).toBe('one\n');
  await propose('three');
  const waiting = (await list()).find(({ state }) => state === 'proposed')?.id ?? '';
  const would = await box.run(['proposals', 'clean', '--days', '0', '--dry-run']);
  expect(would.stderr).toContain('2 would be removed');
  expect((await box.run(['proposals', 'discard', waiting])).code).toBe(0);
  await box.run(['proposals', 'clean', '--days', '0']);
  expect(await list()).toEqual([]);
  const gone = await box.run(['proposals', 'show', waiting]);
  expect(gone).toMatchObject({ code: 1 });
  expect(gone.stderr).toContain('amplifier proposals list');
});
