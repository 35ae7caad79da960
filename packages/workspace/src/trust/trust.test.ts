import { chmod, lstat, mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { isTrusted, readTrusted, trustWorkspace, untrustWorkspace } from './trust.js';

const SETTINGS = `# my settings
bundle: { active: dev } # keep me
delegation:
  default_effort: high
  trusted_workspaces: # these only
    - /srv/one   # the first
    - "/srv/two"
providers:
  - module: provider-anthropic # "delegation: not here"
`;

async function scene(text?: string) {
  const space = await TempWorkspace.create(text === undefined ? {} : { 'settings.yaml': text });
  await mkdir(space.resolve('project/sub'), { recursive: true });
  return Object.assign(space, { file: space.resolve('settings.yaml'), project: space.resolve('project') });
}

describe('trusting a workspace', () => {
  it('adds and removes one line and leaves the rest of the file as it was', async () => {
    await using space = await scene(SETTINGS);
    expect((await trustWorkspace(space.file, space.project)).changed).toBe(true);
    expect(await readTrusted(space.file)).toEqual(['/srv/one', '/srv/two', space.project]);
    const text = await space.read('settings.yaml');
    expect(text).toBe(SETTINGS.replace('"/srv/two"\n', `"/srv/two"\n    - ${space.project}\n`));
    expect((await trustWorkspace(space.file, space.project)).changed).toBe(false);
    expect((await untrustWorkspace(space.file, space.project)).changed).toBe(true);
    expect(await space.read('settings.yaml')).toBe(SETTINGS);
    expect((await untrustWorkspace(space.file, space.project)).changed).toBe(false);
  });

  it.each([
    undefined,
    '',
    '# only a comment\n',
    'delegation:\n',
    'delegation:\n  trusted_workspaces: []\n',
    'a: 1\n',
    'a: 1',
    'delegation:\n    x: 1\n',
    'delegation: {x: 1}\n',
    'delegation:\n  trusted_workspaces: [/a]\n',
    'delegation:\n  trusted_workspaces:\n  - /a',
    '---\na: 1\n...\n',
  ])('works on the file %j', async (text) => {
    await using space = await scene(text);
    await trustWorkspace(space.file, space.project);
    expect(await readTrusted(space.file)).toEqual([...(text?.includes('/a') ? ['/a'] : []), space.project]);
    if (text?.includes('#')) expect(await space.read('settings.yaml')).toContain('# only a comment');
  });

  it.each([
    'a: [1\n',
    '- a list\n',
    'delegation:\n  trusted_workspaces: yes\n',
    'a: 1\na: 2\n',
    'delegation: 3\n  x',
  ])('leaves the invalid file %j exactly as it is', async (text) => {
    await using space = await scene(text);
    await expect(trustWorkspace(space.file, space.project)).rejects.toMatchObject({
      code: 'TRUST_FILE_INVALID',
    });
    expect(await space.read('settings.yaml')).toBe(text);
  });

  it('keeps the mode of the file, and a symlink a symlink', async () => {
    await using space = await scene(SETTINGS);
    await chmod(space.file, 0o640);
    await symlink('settings.yaml', space.resolve('link.yaml'));
    await trustWorkspace(space.resolve('link.yaml'), space.project);
    expect((await stat(space.file)).mode & 0o777).toBe(0o640);
    expect((await lstat(space.resolve('link.yaml'))).isSymbolicLink()).toBe(true);
    expect(await readFile(space.file, 'utf8')).toContain(space.project);
  });

  it('loses no entry when many trust at once', async () => {
    await using space = await scene(SETTINGS);
    const folders = Array.from({ length: 8 }, (_, index) => space.resolve(`many/${index}`));
    for (const folder of folders) await mkdir(folder, { recursive: true });
    await Promise.all(folders.map((folder) => trustWorkspace(space.file, folder)));
    expect((await readTrusted(space.file)).sort()).toEqual(['/srv/one', '/srv/two', ...folders].sort());
  });

  it('refuses a folder that does not exist, and warns of one that holds everything', async () => {
    await using space = await scene();
    await expect(trustWorkspace(space.file, space.resolve('no'))).rejects.toMatchObject({
      code: 'FOLDER_NOT_FOUND',
    });
    expect((await trustWorkspace(space.file, homedir())).warning).toContain('far more than one project');
    expect((await trustWorkspace(space.file, '/')).warning).not.toBeNull();
    expect((await trustWorkspace(space.file, space.project)).warning).toBeNull();
    expect((await untrustWorkspace(space.file, space.project)).warning).toContain('still trusted');
  });
});

describe('a trusted folder', () => {
  it('is one on the list or below, by where paths really lead', async () => {
    await using space = await scene();
    await symlink(space.project, space.resolve('alias'));
    await symlink('/etc', space.resolve('project/way-out'));
    const trusted = [space.resolve('alias')];
    expect(await isTrusted(space.project, trusted)).toBe(true);
    expect(await isTrusted(space.resolve('project/sub'), trusted)).toBe(true);
    expect(await isTrusted(space.resolve('alias/sub'), [space.project])).toBe(true);
    expect(await isTrusted(space.resolve('project/way-out'), trusted)).toBe(false);
    expect(await isTrusted(`${space.project}-evil`, trusted)).toBe(false);
    expect(await isTrusted(space.path, trusted)).toBe(false);
    expect(await isTrusted(space.project, [])).toBe(false);
  });
});
