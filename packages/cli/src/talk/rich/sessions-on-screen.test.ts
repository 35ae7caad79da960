import type { ChildProcess } from 'node:child_process';
import { spawnSync } from 'node:child_process';
import { FakeModelServer, replyFromConversation } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';
import { TmuxTerminal } from '../../../test-support/tmux-terminal.js';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
const json = (value: unknown) => JSON.stringify(value);

async function sandbox(server: FakeModelServer): Promise<CliSandbox> {
  const box = await CliSandbox.create({});
  await box.home.write(
    'settings.yaml',
    `config:\n  providers:\n    - module: provider-openai-compatible\n      id: shop\n      config:\n        base_url: ${server.url}/v1\n        default_model: fake-1\n`,
  );
  return box;
}

describe.runIf(hasTmux)('sessions on a real screen', () => {
  it('counts down while it waits to try again, and an error names the provider, the status and what to do', async () => {
    // It fails until the screen has told so.
    let isTold = false;
    let isBroken = false;
    await using server = await FakeModelServer.start({
      script: () => {
        if (!isTold) return { fail: { status: 429, message: 'slow down', headers: { 'retry-after': '1' } } };
        return isBroken ? { fail: { status: 401, message: 'bad key' } } : { text: 'At last.' };
      },
    });
    await using box = await sandbox(server);
    await using terminal = await TmuxTerminal.open(box, [], { columns: 100 });
    await terminal.see('/help');
    await terminal.type('go');
    await terminal.press('Enter');
    await terminal.see(/retrying in \d s .*429/);
    isTold = true;
    await terminal.see(/^At last\./m);
    isBroken = true;
    await terminal.type('once more');
    await terminal.press('Enter');
    const shown = await terminal.see(/401[\s\S]*provider test/);
    expect(shown).toContain('shop (openai-compatible) answered 401: bad key');
    expect(shown).toContain('amplifier provider test shop');
  });

  it('never moves the cursor up for a person who has the screen read to them, also when it asks', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server);
    await using terminal = await TmuxTerminal.open(box, [], { env: { AMPLIFIER_SCREEN_READER: '1' } });
    await terminal.see('›');
    await terminal.type(`!call write_file ${json({ file_path: 'x.txt', content: 'X' })}`);
    await terminal.press('Enter');
    await terminal.see(/x\.txt \(new\)[\s\S]*1\. Allow once[\s\S]*^\?/m);
    await terminal.type('y');
    await terminal.press('Enter');
    await terminal.see(/^Done\./m);
    expect(await box.folder.read('x.txt')).toBe('X');
    expect(terminal.output).not.toMatch(/\\033\[\d+A/);
    expect(terminal.output).not.toContain('[?2026h');
  });

  it('takes the newest of the folder with --continue, and brings what was killed to its end with /continue', async () => {
    let answers = 0;
    await using server = await FakeModelServer.start({
      script: ({ steps }) => (++answers === 2 ? { hang: 'before' } : replyFromConversation(steps)),
    });
    await using box = await sandbox(server);
    let child: ChildProcess | undefined;
    const leaf = { agent: 'self', context_depth: 'none', instruction: '!say Leaf done.' };
    const killed = box.run(['run', `!call delegate ${json(leaf)}\n!then\n!say Brought to its end.`], {
      onStart: (process) => {
        child = process;
      },
    });
    await server.received(2);
    child?.kill('SIGKILL');
    await killed;
    await using terminal = await TmuxTerminal.open(box, ['--continue'], { columns: 100 });
    await terminal.see(/interrupted[\s\S]*\/continue/);
    await terminal.type('/continue');
    await terminal.press('Enter');
    await terminal.see(/^Brought to its end\./m);
    await terminal.type('!say And more.');
    await terminal.press('Enter');
    await terminal.see(/^And more\./m);
  });

  it('offers past sessions when none is named: typing searches, Enter opens', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server);
    await box.run(['run', 'About apples\n!say Apples are red.']);
    await box.run(['run', 'About pears\n!say Pears are green.']);
    await using terminal = await TmuxTerminal.open(box, ['session', 'resume'], { columns: 100 });
    await terminal.see(/Which session\?[\s\S]*About pears[\s\S]*About apples/);
    await terminal.type('apples');
    await terminal.see(/About apples[\s\S]*Apples are red\./);
    await terminal.press('Enter');
    await terminal.see('/help');
    await terminal.type('!say Opened again.');
    await terminal.press('Enter');
    await terminal.see(/^Opened again\./m);
    expect(
      server.exchanges
        .at(-1)
        ?.steps.map(({ text }) => text)
        .join('\n'),
    ).toContain('Apples are red.');
  });
});
