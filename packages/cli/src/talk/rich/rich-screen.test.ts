import { execFileSync, spawnSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { FakeModelServer, PICTURE, TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';
import { HARD_TO_READ, TmuxTerminal } from '../../../test-support/tmux-terminal.js';

async function sandbox(server: FakeModelServer, files: Record<string, string> = {}): Promise<CliSandbox> {
  const box = await CliSandbox.create(files);
  await box.home.write(
    'settings.yaml',
    `config:\n  providers:\n    - module: provider-openai-compatible\n      config:\n        base_url: ${server.url}/v1\n        default_model: fake-1\n`,
  );
  return box;
}

const MARKDOWN = [
  '# Findings',
  '',
  'Some **bold** words and `code`.',
  '',
  '- first',
  '- second',
  '',
  '| file | lines |',
  '| --- | --- |',
  '| a.ts | 12 |',
  '',
  '```ts',
  'const answer = 42; // why not',
  '```',
  '',
  'The end.',
].join('\n');

const hasTmux = spawnSync('tmux', ['-V']).status === 0;

describe.runIf(hasTmux)('talk mode on a real screen', () => {
  it('renders Markdown, shows how it stands, completes, searches its history and leaves the terminal as it was', async () => {
    await using server = await FakeModelServer.start({ script: () => ({ text: MARKDOWN }) });
    await using box = await sandbox(server, {
      'src/apple-tree.ts': '1',
      'node_modules/apple.js': '2',
      '.gitignore': 'node_modules\n',
    });
    execFileSync('git', ['init', '-q'], { cwd: box.folder.path });
    await using terminal = await TmuxTerminal.open(box, ['--model', 'fake-1']);
    // Typed before the screen is there, and sent all the same.
    await terminal.see(/^/);
    await terminal.type('look around');
    await terminal.press('Enter');
    await terminal.see(/The end\.[\s\S]*fake-1 .*tok/);
    const shown = await terminal.screen({ history: true });
    expect(shown).toMatch(/^Findings$|^# Findings$/m);
    expect(shown).toMatch(/bold words and code\./);
    expect(shown).toMatch(/│ a\.ts/);
    expect(shown).not.toContain('**bold**');
    const painted = await terminal.screen({ colors: true, history: true });
    expect(painted).toContain('\u001b[35mconst');
    expect(painted, 'on light and on dark').not.toMatch(HARD_TO_READ);
    await terminal.type('/mod');
    await terminal.see(/\/model/);
    await terminal.press('Tab');
    await terminal.see(/\/model $|\/model\s/m);
    await terminal.press('C-u');
    await terminal.type('see @appl');
    await terminal.see('src/apple-tree.ts');
    expect(await terminal.screen()).not.toContain('node_modules/apple.js');
    await terminal.press('Tab');
    await terminal.see('see @src/apple-tree.ts');
    await terminal.press('C-u');
    await terminal.press('C-r');
    await terminal.type('look');
    await terminal.see(/history "look": look around/);
    await terminal.press('Enter');
    await terminal.press('C-u');
    await terminal.press('C-d');
    await terminal.ended();
  });

  it('fits 34 columns and 80, without colours where none are wanted, with emoji and words from right to left', async () => {
    const text = `${'A long line that has to be broken somewhere in the middle. '.repeat(3)}\n\n👩‍👩‍👧 emoji and שלום עולם here \x1b]0;evil\x07 end`;
    await using server = await FakeModelServer.start({ script: () => ({ text }) });
    await using box = await sandbox(server, { 'notes/deep.txt': '1' });
    await using terminal = await TmuxTerminal.open(box, [], { columns: 34, env: { NO_COLOR: '1' } });
    await terminal.see('fake-1 · /help');
    for (const [columns, word] of [
      [34, 'narrow'],
      [80, 'wide'],
    ] as const) {
      await terminal.resize({ columns });
      await terminal.type(`go ${word} @dee`);
      await terminal.see('→ notes/deep.txt');
      await terminal.press('Tab', 'Enter');
      const shown = await terminal.see(new RegExp(`› go ${word}[\\s\\S]* end\\s[\\s\\S]*tok`));
      const answer = shown.slice(shown.indexOf(word));
      expect(answer).toContain('␛]0;evil');
      expect(answer.match(/broken/g)).toHaveLength(3);
      const colors = await terminal.screen({ colors: true });
      for (const color of [31, 32, 33, 34, 35, 36]) expect(colors).not.toContain(`\u001b[${color}m`);
    }
  });

  it('takes images, a paste of five thousand lines and what an editor wrote, and steers a turn that Esc stops', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server);
    // Programs of the session's own folder are not run.
    await using programs = await TempWorkspace.create({
      'editor.sh': '#!/bin/sh\nprintf "!say From the editor." > "$1"\n',
      'wl-paste': '#!/bin/sh\ncat "$(dirname "$0")/clip.png"\n',
    });
    for (const program of ['editor.sh', 'wl-paste']) await chmod(programs.resolve(program), 0o755);
    await programs.write('clip.png', Buffer.from(PICTURE, 'base64'));
    await box.folder.write('a chart.png', Buffer.from(PICTURE, 'base64'));
    const env = {
      EDITOR: programs.resolve('editor.sh'),
      PATH: `${programs.path}:${process.env.PATH}`,
    };
    await using terminal = await TmuxTerminal.open(box, [], { env });
    await terminal.see('/help');
    await terminal.paste(box.folder.resolve('a chart.png').replaceAll(' ', '\\ '));
    await terminal.see('[image 1: a chart.png]');
    await terminal.press('C-v');
    await terminal.see('[image 2: pasted.png]');
    await terminal.press('Enter');
    await server.received(1);
    expect(JSON.stringify(server.exchanges[0]?.body).split(PICTURE)).toHaveLength(3);
    await terminal.see(/You said: \[image 1[\s\S]*tok · \/help/);
    await terminal.paste(Array.from({ length: 5000 }, (_, index) => `line ${index}`).join('\n'));
    await terminal.see(/paste #1 \+5000 lines/);
    await terminal.press('Enter');
    await server.received(2);
    expect(server.exchanges[1]?.steps.at(-1)?.text).toContain('line 4999');
    // The echo of the input shows only its last five lines.
    await terminal.see(/line 4990[\s\S]*line 4999[\s\S]*tok · \/help/);
    await terminal.press('C-g');
    await terminal.see('!say From the editor.');
    await terminal.press('Enter');
    await server.received(3);
    await terminal.see(/^From the editor\./m);
    await terminal.see(/tok · \/help/);
    await terminal.type('!hang');
    await terminal.press('Enter');
    await server.received(4);
    await terminal.see(/Esc stops/);
    await terminal.press('Escape');
    await terminal.see(/Stopping\. Press the same key again to quit\.[\s\S]*cancelled/);
    await terminal.type('!hang');
    await terminal.press('Enter');
    await server.received(5);
    await terminal.see(/Esc stops/);
    await terminal.press('Escape');
    await terminal.see(/Stopping\. Press the same key again to quit\.[\s\S]*cancelled[\s\S]*Stopping/);
    await terminal.press('Escape');
    await terminal.ended();
  });

  it('keeps its lines while the window changes in the middle of an answer, and shows children as a tree', async () => {
    const clock = new VirtualClock();
    await using server = await FakeModelServer.start({ clock });
    await using box = await sandbox(server);
    await using terminal = await TmuxTerminal.open(box, []);
    await terminal.see('/help');
    await terminal.paste(
      '!call delegate {"agent":"explorer","context_depth":"none","instruction":"!sleep 1500\\n!say Found it."}\n!then\n!say One answer.',
    );
    await terminal.press('Enter');
    await terminal.see(/└─ . explorer/);
    await server.received(2);
    await terminal.resize({ columns: 34, rows: 20 });
    await terminal.see(/^delegate explorer: .*… · [\d.]+ s$/m);
    await clock.advance(1500);
    await terminal.see(/✓ explorer/);
    await terminal.see(/^One answer\./m);
    const shown = await terminal.screen({ history: true });
    expect(shown.match(/One answer\./g)?.length).toBeLessThanOrEqual(2);
    expect(shown).not.toMatch(/└─/);
    expect(shown, 'an answer stands apart').toMatch(/✓ explorer[^\n]*\n\nOne answer\./);
    const words = Array.from({ length: 40 }, (_, index) => `word${index}`);
    await terminal.paste(`!say ${words.join(' ')}\n!hang midway`);
    await terminal.press('Enter');
    await terminal.see(/^word0 [\s\S]*word39\n/m);
    await terminal.resize({ columns: 60, rows: 24 });
    await terminal.see(/^word0 word1 word2 word3 word4 word5 word6 word7 word8 word9$/m);
    await terminal.resize({ columns: 100, rows: 30 });
    await terminal.see(/^word0 .* word14$[\s\S]*Esc stops/m);
    await terminal.press('Escape');
    const stopped = await terminal.see(/cancelled/);
    expect(stopped.match(/word0 word1 /g), 'the input and the answer, each once').toHaveLength(2);
  });
});

it.runIf(hasTmux)('a terminal that cannot draw gets plain lines', async () => {
  await using server = await FakeModelServer.start();
  await using box = await sandbox(server);
  await using terminal = await TmuxTerminal.open(box, [], { env: { TERM: 'dumb' } });
  await terminal.see('›');
  await terminal.enter('!say Plain words.');
  await terminal.see(/^Plain words\./m);
  expect(terminal.output).not.toContain('[?2026h');
});
