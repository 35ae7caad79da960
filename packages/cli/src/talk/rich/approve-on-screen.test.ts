import { spawnSync } from 'node:child_process';
import { FakeModelServer } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';
import { HARD_TO_READ, TmuxTerminal } from '../../../test-support/tmux-terminal.js';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
const ESC = '\u001b\\[';
const call = (tool: string, input: object) => `!call ${tool} ${JSON.stringify(input)}`;
const then = (...steps: string[]) => steps.join('\n!then\n');

async function sandbox(server: FakeModelServer, files: Record<string, string> = {}): Promise<CliSandbox> {
  const box = await CliSandbox.create(files);
  await box.home.write(
    'settings.yaml',
    `config:\n  providers:\n    - module: provider-openai-compatible\n      config:\n        base_url: ${server.url}/v1\n        default_model: fake-1\npermissions:\n  ask:\n    - delegate: explorer\n`,
  );
  return box;
}

describe.runIf(hasTmux)('what is asked on a real screen', () => {
  it('shows the change, the command, the address and the delegation before they are approved', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server, { 'src/a.ts': 'one\ntwo\nthree\n' });
    await using terminal = await TmuxTerminal.open(box, [], { columns: 100, rows: 40 });
    await terminal.see('/help');
    const task = then(
      call('read_file', { file_path: 'src/a.ts' }),
      call('edit_file', { file_path: 'src/a.ts', old_string: 'two', new_string: 'TWO' }),
      call('bash', { command: 'git status --short' }),
      call('web_fetch', { url: 'https://docs.example.test/guide' }),
      call('delegate', {
        agent: 'explorer',
        context_depth: 'none',
        instruction: 'Look.\n!say Seen.',
        model_role: 'fast',
      }),
      '!say All asked.',
    );
    await terminal.paste(task);
    await terminal.press('Enter');
    const edit = await terminal.see(/src\/a\.ts {2}\+1 -1[\s\S]*❯ 1\. Allow once/);
    expect(edit).toMatch(/ 1 {3}one\n *2 - two\n *2 \+ TWO\n *3 {3}three/);
    expect(edit).toMatch(/3\. Allow always: write: src\/\*\*, in this conversation/);
    const painted = await terminal.screen({ colors: true });
    expect(painted).toMatch(new RegExp(`${ESC}31m.*- two`));
    expect(painted).toMatch(new RegExp(`${ESC}32m.*\\+ TWO`));
    expect(painted, 'on light and on dark').not.toMatch(HARD_TO_READ);
    expect(edit.match(/session_\w+/g), 'the id once').toHaveLength(1);
    await terminal.press('Down');
    await terminal.press('Down');
    await terminal.see(/❯ 3\. Allow always/);
    await terminal.press('Enter');
    const command = await terminal.see(/\$ git status --short[\s\S]*❯ 1\. Allow once/);
    expect(command).toContain(`in ${box.folder.path}`);
    expect(command.replace(/\s+/g, ' ')).toMatch(/The sandbox lets it write|No sandbox holds it/);
    expect(command.replace(/\s+/g, ' ')).toMatch(
      /4\. Allow always: bash: git status \*, as a rule in \S*settings\.yaml/,
    );
    await terminal.type('4');
    await terminal.see(
      /https:\/\/docs\.example\.test\/guide\n\s+at docs\.example\.test[\s\S]*❯ 1\. Allow once/,
    );
    await terminal.type('n');
    await terminal.see(
      /agent {3}explorer\n\s+model {3}as its role 'fast' is configured\n\s+task {4}Look\.[\s\S]*context_depth: none[\s\S]*❯ 1/,
    );
    await terminal.type('y');
    await terminal.see(/^All asked\.[\s\S]*tok · \/help/m);
    expect(await box.folder.read('src/a.ts')).toBe('one\nTWO\nthree\n');
    expect(await box.home.read('settings.yaml')).toContain('bash: git status *');
    await terminal.type('/undo yes');
    await terminal.press('Enter');
    await terminal.see(/Undone:\n\s+restore src\/a\.ts/);
    expect(await box.folder.read('src/a.ts')).toBe('one\ntwo\nthree\n');
  });

  it('asks once for several children, takes letters of a sentence for none, Ctrl-D for no, and Ctrl-C for stop', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server);
    await box.home.write(
      'settings.yaml',
      (await box.home.read('settings.yaml')).replace(/permissions:[\s\S]*/, ''),
    );
    await using terminal = await TmuxTerminal.open(box, [], { rows: 40 });
    await terminal.see('/help');
    const write = call('write_file', { file_path: 'x.txt', content: 'X' });
    const child = call('delegate', {
      agent: 'self',
      context_depth: 'none',
      instruction: then(write, '!say Written.'),
    });
    await terminal.paste(then(`${child}\n${child}\n${child}`, write, '!say All written.'));
    await terminal.press('Enter');
    await terminal.see(/❯ 1\. Allow once/);
    await server.received(4);
    await terminal.type('a');
    await terminal.see(/^All written\./m);
    const shown = await terminal.screen({ history: true });
    expect(shown.match(/wants to use/g)).toHaveLength(1);
    await terminal.see(/tok · \/help/);
    await terminal.paste(then(call('bash', { command: 'touch z.txt' }), '!say All done.'));
    await terminal.press('Enter');
    await terminal.see(/\$ touch z\.txt[\s\S]*❯ 1\. Allow once/);
    // Somebody was about to say something else: their letters are no answer.
    await terminal.type('hey, not yet');
    await terminal.see(/❯ 1\. Allow once[\s\S]*Ctrl-U clears it[\s\S]*hey, not yet/);
    await terminal.press('Enter');
    await terminal.see(/› hey, not yet[\s\S]*Sent\.[\s\S]*❯ 1\. Allow once/);
    await terminal.press('C-d');
    await terminal.see(/^All done\.[\s\S]*tok · \/help/m);
    await expect(box.folder.read('z.txt')).rejects.toThrow('ENOENT');
    await terminal.paste(then(call('bash', { command: 'touch y.txt' }), '!say Not reached.'));
    await terminal.press('Enter');
    await terminal.see(/\$ touch y\.txt[\s\S]*❯ 1\. Allow once/);
    await terminal.press('C-c');
    await terminal.see(/Stopping[\s\S]*cancelled/);
    await expect(box.folder.read('y.txt')).rejects.toThrow('ENOENT');
    expect(await terminal.screen()).not.toMatch(/^Not reached/m);
  });

  it('calls a person back who looks elsewhere, and not one who is there', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server);
    await using terminal = await TmuxTerminal.open(box, [], { env: { AMPLIFIER_NOTIFY: 'always' } });
    await terminal.see('/help');
    const turn = async (text: string) => {
      await terminal.type(`!say ${text}`);
      await terminal.press('Enter');
      await terminal.see(new RegExp(`^${text}`, 'm'));
    };
    await terminal.type('\u001b[I');
    await turn('First.');
    await terminal.see(/tok · \/help/);
    expect(terminal.output).not.toContain('amplifier: The turn has ended');
    await terminal.type('\u001b[O');
    await turn('Second.');
    await terminal.wrote('amplifier: The turn has ended');
  });
});
