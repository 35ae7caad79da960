import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { FakeModelServer } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

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
    expect((await box.run(['untrust', 'sub'])).stderr).toContain('No longer trusted');
    expect((await box.run(['trust', 'list', '--json'])).json()).toMatchObject({ trusted_workspaces: [] });
  });

  it('shows every command that is trusted, however many there are', async () => {
    const hooks = Array.from({ length: 60 }, (_, at) => ({
      event: 'session:start',
      command: `touch ran-${at}`,
    }));
    await using box = await CliSandbox.create({
      '.amplifier/settings.yaml': JSON.stringify({
        modules: { hooks: [{ module: 'hooks-shell', config: { hooks } }] },
      }),
    });
    for (const args of [['trust', '--list'], ['trust']]) {
      const { stderr } = await box.run(args);
      for (const { command } of hooks) expect(stderr).toContain(`runs: ${command}  (`);
      expect(stderr).not.toContain('more');
    }
  });

  it('refuses a folder that is not there, and one whose name is empty', async () => {
    await using box = await CliSandbox.create();
    const missing = await box.run(['trust', 'nowhere']);
    expect([missing.code, missing.stderr]).toMatchObject([1, expect.stringContaining('does not exist')]);
    const empty = await box.run(['trust', '']);
    expect([empty.code, empty.stderr]).toMatchObject([2, expect.stringContaining('empty')]);
  });

  it('leaves settings out that cannot be used, of a folder that nobody trusts, and refuses them of one that is trusted', async () => {
    await using box = await CliSandbox.create({ '.amplifier/settings.yaml': 'a: [\n', 'a.txt': 'ALPHA' });
    const run = () => box.run(['run', '--offline', 'read a.txt']);
    const untrusted = await run();
    expect([untrusted.code, untrusted.stdout], untrusted.stderr).toEqual([
      0,
      expect.stringContaining('ALPHA'),
    ]);
    expect(untrusted.stderr).toMatch(/invalid settings are skipped: .*\.amplifier\/settings\.yaml:\d/);
    await box.trust();
    const trusted = await run();
    expect([trusted.code, trusted.stderr]).toEqual([1, expect.stringMatching(/settings\.yaml:\d/)]);
  });

  it('shows in a terminal what a folder would do, and does it after a yes, but not after a no', async () => {
    await using server = await FakeModelServer.start();
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` };
    const command = 'touch ran.txt';
    await using box = await CliSandbox.create({
      '.amplifier/settings.yaml': JSON.stringify({
        modules: {
          hooks: [{ module: 'hooks-shell', config: { hooks: [{ event: 'session:start', command }] } }],
        },
      }),
      '.amplifier/agents/sly.md': '---\nname: sly\ntools: [{ module: "x\\e[2J", source: ./x }]\n---\nHi.\n',
    });
    const run = async (answer: string | null) => {
      const terminal = box.open(['run', '!say Hello.'], { env });
      if (answer !== null) {
        await terminal.see('runs: touch ran.txt  (.amplifier/settings.yaml)');
        await terminal.see('Trust this folder? [y/N] ');
        terminal.type(`${answer}\r`);
      }
      await terminal.see('Hello.');
      expect(await terminal.ended).toBe(0);
      return terminal;
    };
    const refused = await run('');
    expect(refused.raw, 'what a file says moves no cursor').not.toContain('\u001b[2J');
    expect(existsSync(box.folder.resolve('ran.txt'))).toBe(false);
    expect((await run(null)).text, 'asked once').toContain('is not trusted');
    const asked = box.open(['trust'], { env });
    await asked.see('Trust this folder? [y/N] ');
    asked.type('y\r');
    await asked.see('Trusted: ');
    await asked.ended;
    await run(null);
    expect(existsSync(box.folder.resolve('ran.txt'))).toBe(true);
    await box.folder.write('.amplifier/agents/more.md', '---\nname: more\nhooks: [hooks-more]\n---\nHi.\n');
    const again = box.open(['run', '!say Hello.'], { env });
    await again.see('has changed since you trusted it. New or changed:');
    await again.see('uses: hooks-more  (.amplifier/agents/more.md)');
    await again.see('[y/N] ');
    again.type('n\r');
    await again.see('Hello.');
    await again.ended;
  });
});
