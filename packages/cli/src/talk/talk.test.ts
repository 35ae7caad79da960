import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { FakeModelServer, VirtualClock } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../test-support/run-cli.js';

/** Line by line, as for a screen reader. */
const PLAIN = { env: { AMPLIFIER_SCREEN_READER: '1' } };

const SETTINGS = (url: string) =>
  `config:\n  providers:\n    - module: provider-openai-compatible\n      config:\n        base_url: ${url}/v1\n        default_model: fake-1\n`;

async function sandbox(server: FakeModelServer, files: Record<string, string> = {}): Promise<CliSandbox> {
  const box = await CliSandbox.create(files);
  await box.home.write('settings.yaml', SETTINGS(server.url));
  return box;
}

describe('amplifier alone', () => {
  it('holds a conversation: the second turn knows the first', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server);
    const terminal = box.open([], PLAIN);
    await terminal.see('› ');
    terminal.type('!say First answer.\r');
    await terminal.see(/^First answer\./m);
    await terminal.see('› ');
    terminal.type('!say Second answer.\r');
    await terminal.see(/^Second answer\./m);
    await terminal.see('› ');
    terminal.type('\x04');
    await terminal.see(/amplifier session resume session_\w+/);
    expect(await terminal.ended).toBe(0);
    expect(JSON.stringify(server.exchanges[1]?.body)).toContain('First answer.');
    expect(await readFile(box.home.resolve('history'), 'utf8')).toBe(
      '!say First answer.\n!say Second answer.\n',
    );
  });

  it('takes several lines: pasted at once, or joined by a backslash', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server);
    const terminal = box.open([], PLAIN);
    await terminal.see('› ');
    terminal.type('one \\\r');
    await terminal.see('… ');
    terminal.type('two\r');
    await terminal.see('You said: one');
    await terminal.see('› ');
    terminal.type('three\rfour\r');
    await terminal.see('You said: three');
    await terminal.see('› ');
    terminal.type('/exit\r');
    expect(await terminal.ended).toBe(0);
    const said = server.exchanges.map(({ steps }) => steps.findLast(({ role }) => role === 'user')?.text);
    expect(said).toEqual(['one \ntwo', 'three\nfour']);
  });

  it('asks before a tool changes something, names the agent that asks, and takes no for an answer', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server, {
      '.amplifier/agents/scribe.md':
        '---\nmeta:\n  name: scribe\n  description: Writes.\ntools: [tool-filesystem]\n---\nYou write.\n',
    });
    await box.trust();
    const terminal = box.open([], PLAIN);
    await terminal.see('› ');
    const task = String.raw`!call write_file {"file_path":"x.txt","content":"X"}\n!then\n!say Written or not.`;
    terminal.type(
      `!call delegate {"agent":"scribe","context_depth":"none","instruction":"${task.replaceAll('"', String.raw`\"`)}"}\\\r`,
    );
    await terminal.see('… ');
    terminal.type('!then\\\r');
    await terminal.see('… ');
    terminal.type('!say All done.\r');
    await terminal.see(/Agent 'scribe' \(\S+_scribe, child of session_\w+\) wants to use write_file: x\.txt/);
    await terminal.see(/x\.txt \(new\) {2}\+1 -0\n {2}1 \+ X/);
    await terminal.see('? ');
    terminal.type('deny\r');
    await terminal.see(/^All done\./m);
    await terminal.see('› ');
    terminal.type('/children\r');
    await terminal.see(/scribe +\w+ +\S+_scribe/);
    terminal.type('/exit\r');
    expect(await terminal.ended).toBe(0);
    await expect(box.folder.read('x.txt')).rejects.toThrow('ENOENT');
  });

  it('stops a turn with Ctrl-C and continues with the next', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server);
    const terminal = box.open([], PLAIN);
    await terminal.see('› ');
    terminal.type('!say Half\\\r');
    await terminal.see('… ');
    terminal.type('!hang midway\r');
    await terminal.see(/^Half/m);
    await server.received(1);
    terminal.type('\x03');
    await terminal.see('Stopping. Press the same key again to quit.');
    await terminal.see('cancelled');
    await terminal.see('› ');
    terminal.type('!say On again.\r');
    await terminal.see(/^On again\./m);
    await terminal.see('› ');
    terminal.type('\x03');
    await terminal.see('Press Ctrl-C again to quit');
    terminal.type('\x03');
    expect(await terminal.ended).toBe(0);
  });

  it('steers a running turn by what is typed', async () => {
    const clock = new VirtualClock();
    await using server = await FakeModelServer.start({ clock });
    await using box = await sandbox(server);
    const terminal = box.open([], PLAIN);
    await terminal.see('› ');
    terminal.type('!call read_file {"file_path":"none"}\\\r');
    await terminal.see('… ');
    terminal.type('!sleep 1500\\\r');
    await terminal.see('… ');
    terminal.type('!then\\\r');
    await terminal.see('… ');
    terminal.type('!say Heard.\r');
    await server.received(1);
    terminal.type('/steer be brief\r');
    await terminal.see('Sent.');
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(1500);
    await terminal.see('› ');
    terminal.type('/exit\r');
    await terminal.ended;
    expect(JSON.stringify(server.exchanges.at(-1)?.body)).toContain('be brief');
  });

  it('does what the slash commands say', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server);
    const terminal = box.open([], PLAIN);
    const say = async (line: string, answer: RegExp | string) => {
      await terminal.see('› ');
      terminal.type(`${line}\r`);
      await terminal.see(answer);
    };
    await say('/help', '/compact');
    await say('/agents', /zen-architect +foundation/);
    await say('/tools', 'tool-delegate');
    await say('/agnets', 'Did you mean /agents?');
    await say('/model other-model', 'From the next turn on: other-model');
    await say('!say A fact.', /^A fact\./m);
    expect(server.exchanges.at(-1)?.model).toBe('other-model');
    await say('/cost', /\d+ tokens/);
    await say('/fork', /Now in session_\w+/);
    await say('/save talk.md', 'Written to');
    await say('/compact', 'starts a new session');
    await say('!say Fresh.', /^Fresh\./m);
    expect(JSON.stringify(server.exchanges.at(-1)?.body)).toContain('the conversation before this one');
    await terminal.see('› ');
    terminal.type('\x04');
    expect(await terminal.ended).toBe(0);
    expect(await box.folder.read('talk.md')).toContain('A fact.');
    const { sessions } = (await box.run(['session', 'list', '--json'])).json();
    expect(sessions).toHaveLength(3);
  });

  it('does not read what a summary mentions', async () => {
    await using server = await FakeModelServer.start({ script: () => ({ text: 'So far: @a.txt' }) });
    await using box = await sandbox(server);
    await box.folder.write('a.txt', 'what stands in the file');
    const terminal = box.open([], PLAIN);
    for (const [line, answer] of [
      ['Hello.', 'So far'],
      ['/compact', 'starts a new session'],
      ['Go on.', 'So far'],
    ] as const) {
      await terminal.see('› ');
      terminal.type(`${line}\r`);
      await terminal.see(answer);
    }
    await terminal.see('› ');
    terminal.type('\x04');
    expect(await terminal.ended).toBe(0);
    const sent = JSON.stringify(server.exchanges.at(-1)?.body);
    expect(sent).toContain('So far: @a.txt');
    expect(sent).not.toContain('what stands in the file');
  });

  it('resumes a session where it ended', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server);
    const { session_id } = (await box.run(['run', '--json', '!say Earlier.'])).json();
    const terminal = box.open(['session', 'resume', session_id.slice(0, 24)], PLAIN);
    await terminal.see('Earlier.');
    await terminal.see('› ');
    terminal.type('!say Later.\r');
    await terminal.see(/^Later\./m);
    await terminal.see('› ');
    terminal.type('\x04');
    expect(await terminal.ended).toBe(0);
    expect((await box.run(['session', 'show', session_id, '--json'])).json().turn_count).toBe(2);
  });

  it('says how to get a model when there is none', async () => {
    await using box = await CliSandbox.create();
    const terminal = box.open([], PLAIN);
    await terminal.see('No model is configured');
    expect(await terminal.ended).toBe(1);
  });
});

describe('amplifier run in a terminal', () => {
  it('asks the person before a tool changes something, and does it when they say yes', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server);
    const task = '!call write_file {"file_path":"x.txt","content":"X"}\n!then\n!say Written.';
    const terminal = box.open(['run', task], { env: { AMPLIFIER_NOTIFY: 'always' } });
    await terminal.see(/The session \(session_\w+\) wants to use /);
    await terminal.see(/x\.txt \(new\) {2}\+1 -0\n {2}1 \+ X\n❯ 1\. Allow once\n/);
    await terminal.see(/2\. Allow always: exactly this change, in this conversation\n/);
    await terminal.see(/4\. Allow always: write: \*\*, as a rule in/);
    terminal.type('\x1b[B');
    await terminal.see(/❯ 2\. Allow always/);
    terminal.type('\x1b[A');
    await terminal.see(/❯ 1\. Allow once/);
    terminal.type('\r');
    await terminal.see(/^Written\./m);
    expect(await terminal.ended).toBe(0);
    expect(await box.folder.read('x.txt')).toBe('X');
    expect(terminal.raw).toMatch(
      /amplifier: There is a question for you[\s\S]*amplifier: The turn has ended/,
    );
  });

  it('shows every argument of an MCP tool, and asks again for any other arguments', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server);
    const fixture = fileURLToPath(new URL('../../../modules/fixtures/mcp-server.mjs', import.meta.url));
    const sums = { command: process.execPath, args: [fixture], required: true };
    const settings = SETTINGS(server.url);
    await box.home.write('settings.yaml', `${settings}mcp_servers: ${JSON.stringify({ sums })}\n`);
    const add = (a: number, b: number) => `!call mcp_sums_add ${JSON.stringify({ a, b })}`;
    const task = [add(1, 2), add(1, 2), add(40, 2), '!say Added.'].join('\n!then\n');
    const terminal = box.open(['run', task]);
    await terminal.see(/wants to use mcp_sums_add: \{"a":1,"b":2\}\s+a: 1\n {2}b: 2\n❯ 1\. Allow once\n/);
    await terminal.see(/2\. Allow always: exactly this call, in this conversation\n/);
    terminal.type('2');
    await terminal.see(/wants to use mcp_sums_add: \{"a":40,"b":2\}\s+a: 40\n {2}b: 2\n❯ 1\. Allow once\n/);
    terminal.type('n');
    await terminal.see(/^Added\./m);
    expect(await terminal.ended).toBe(0);
    const results = server.exchanges.at(-1)?.steps.filter(({ role }) => role === 'tool') ?? [];
    expect(results.map(({ text }) => text)).toEqual(['3', '3', expect.stringContaining('Denied')]);
  });

  it('stops with Ctrl-C while it waits for an answer, and nothing was done', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server);
    const terminal = box.open([
      'run',
      '!call write_file {"file_path":"x.txt","content":"X"}\n!then\n!say Written.',
    ]);
    await terminal.see('1. Allow once');
    terminal.type('\x03');
    expect(await terminal.ended).toBe(130);
    await expect(box.folder.read('x.txt')).rejects.toThrow('ENOENT');
  });

  it('says no with Ctrl-D and goes on, with lines for a terminal that cannot draw', async () => {
    await using server = await FakeModelServer.start();
    await using box = await sandbox(server);
    const write = '!call write_file {"file_path":"x.txt","content":"X"}';
    for (const env of [{}, { TERM: 'dumb' }] as Record<string, string>[]) {
      const terminal = box.open(['run', `${write}\n!then\n!say It went on.`], { env });
      await terminal.see(/Deny/);
      if (env.TERM) await terminal.see('? ');
      terminal.type('\x04');
      await terminal.see(/^It went on\./m);
      expect(await terminal.ended).toBe(0);
    }
    await expect(box.folder.read('x.txt')).rejects.toThrow('ENOENT');
  });
});

describe('the live tree', () => {
  it('is drawn while agents work and folds away into the answer', async () => {
    const clock = new VirtualClock();
    await using server = await FakeModelServer.start({ clock });
    await using box = await sandbox(server);
    const child = String.raw`!sleep 700\n!say Found it.`;
    const terminal = box.open(
      [
        'run',
        `!call delegate {"agent":"explorer","context_depth":"none","instruction":"${child}"}\n!then\n!say The answer.`,
      ],
      { columns: 60 },
    );
    await terminal.see(/amplifier +\d/);
    await terminal.see(/└─ ◐ explorer +\d/);
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(700);
    expect(await terminal.ended).toBe(0);
    const last = terminal.raw.slice(terminal.raw.lastIndexOf('\x1b[0J'));
    expect(last).toContain('The answer.');
    expect(last).not.toContain('explorer');
    for (const line of terminal.text.split('\n'))
      if (line.includes('─')) expect([...line].length).toBeLessThanOrEqual(60);
  });
});

it('ends the demo with what was found and what to do next, in words', async () => {
  await using box = await CliSandbox.create({ 'README.md': '# A shop\n', 'package.json': '{}' });
  const terminal = box.open(['demo'], { columns: 80 });
  expect(await terminal.ended).toBe(0);
  const end = terminal.text.slice(terminal.text.lastIndexOf('✓ amplifier'));
  expect(end).toMatch(/explorer\s+Read README\.md:[\s\S]*# A shop/);
  expect(end).toMatch(/reviewer\s+Looked for \*\.json: 1 file\s+- package\.json/);
  expect(end).toMatch(
    /What next\?[\s\S]*amplifier --offline[\s\S]*amplifier init[\s\S]*amplifier session tree/,
  );
  expect(end, 'no JSON').not.toContain('{"');
});
