import { spawnSync } from 'node:child_process';
import { FakeModelServer } from '@amplifier/testkit';
import { it } from 'vitest';
import { CliSandbox } from '../../test-support/run-cli.js';
import { TmuxTerminal } from '../../test-support/tmux-terminal.js';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;

it.runIf(hasTmux)(
  'an answer to a question whose time is over is refused in words, and the turn goes on',
  async () => {
    const write = { name: 'write_file', arguments: { file_path: 'never.txt', content: 'x' } };
    let asked = 0;
    await using server = await FakeModelServer.start({
      script: () => (asked++ === 0 ? { tool_calls: [write] } : { hang: 'before' }),
    });
    await using box = await CliSandbox.create();
    await box.home.write(
      'settings.yaml',
      `modules:\n  hooks:\n    - module: hooks-approval\n      config: { timeout: 0.01 }\nconfig:\n  providers:\n    - module: provider-openai-compatible\n      config: { base_url: "${server.url}/v1", default_model: fake-1 }\n`,
    );
    await using terminal = await TmuxTerminal.open(box, ['run', '-m', 'fake-1', 'Go.']);
    await terminal.see('never.txt');
    // The model is asked again: the call was denied when its time was over.
    await server.received(2);
    await terminal.type('y');
    await terminal.press('Enter');
    await terminal.see(/has no open\s+question[\s\S]*amplifier/);
    await terminal.press('C-c');
    await terminal.see('Press Ctrl-C again');
    await terminal.press('C-c');
    await terminal.ended();
  },
);
