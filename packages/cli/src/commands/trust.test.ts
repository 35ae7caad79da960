import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../test-support/run-cli.js';

describe('amplifier trust', () => {
  it('puts a folder on the list of the user, shows it, and takes it off again', async () => {
    await using box = await CliSandbox.create();
    await box.home.write('settings.yaml', '# mine\nbundle: { active: foundation }\n');
    await mkdir(box.folder.resolve('sub'));
    const trusted = await box.run(['trust', 'sub', '--json']);
    expect(trusted.json(), trusted.stderr).toMatchObject({
      changed: true,
      folder: box.folder.resolve('sub'),
      file: box.home.resolve('settings.yaml'),
    });
    expect(await box.home.read('settings.yaml')).toContain('# mine');
    for (const args of [
      ['trust', 'list'],
      ['trust', '--list'],
    ]) {
      const listed = await box.run(args);
      expect(listed.stdout.trim()).toBe(box.folder.resolve('sub'));
      expect(listed.stderr).toContain(`${box.folder.path} is not trusted`);
    }
    const here = await box.run(['--cwd', box.folder.resolve('sub'), 'trust', '--list', '--json']);
    expect(here.json()).toMatchObject({ trusted: true });
    expect((await box.run(['untrust', 'sub'])).stderr).toContain('Not trusted any more');
    expect((await box.run(['trust', 'list', '--json'])).json()).toMatchObject({ trusted_workspaces: [] });
  });

  it('refuses a folder that is not there, and one whose name is empty', async () => {
    await using box = await CliSandbox.create();
    const missing = await box.run(['trust', 'nowhere']);
    expect([missing.code, missing.stderr]).toMatchObject([1, expect.stringContaining('does not exist')]);
    const empty = await box.run(['trust', '']);
    expect([empty.code, empty.stderr]).toMatchObject([2, expect.stringContaining('empty')]);
  });
});
