import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { FakeModelServer } from '@amplifier/testkit';
import { describe, expect, it, vi } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

function compatible(server: FakeModelServer): Record<string, string> {
  return { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
}

describe('amplifier delegate', () => {
  it('hands a task to an agent and prints its answer', async () => {
    await using box = await CliSandbox.create({ 'a.txt': 'ALPHA' });
    const ran = await box.run(['delegate', 'explorer', 'read a.txt', '--offline', '--json']);
    expect(ran.json()).toMatchObject({
      agent: 'explorer',
      status: 'success',
      session_id: expect.stringMatching(/^[0-9a-f]{16}-[0-9a-f]{16}_explorer$/),
      response: expect.stringContaining('ALPHA'),
    });
    expect(ran.code).toBe(0);
  });

  it.each([
    [['--max-result', '199'], '--max-result takes a whole number of at least 200'],
    [['--hand-back', 'half'], 'Allowed choices are whole, summary'],
    [['--context-depth', 'deep'], 'Allowed choices are none, recent, summary, all'],
  ])('refuses %j before anything runs', async (options, message) => {
    await using box = await CliSandbox.create();
    const { code, stderr } = await box.run(['delegate', 'explorer', 'Look.', '--offline', ...options]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });

  it('passes the conversation of a parent along, as deep and as wide as asked', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const env = compatible(server);
    const parent = (
      await box.run(['run', '--json', '-m', 'fake-1', 'The colour is teal.\n!say Noted.'], { env })
    ).json();
    const ask = async (depth: string) => {
      server.exchanges.length = 0;
      const args = [
        'delegate',
        'explorer',
        '!say Ok.',
        '--parent',
        parent.session_id,
        '--context-depth',
        depth,
        '--json',
      ];
      const child = (await box.run(args, { env })).json();
      expect(child).toMatchObject({ status: 'success', agent: 'explorer' });
      return JSON.stringify(server.exchanges[0]?.body);
    };
    expect(await ask('all')).toContain('The colour is teal.');
    expect(await ask('none')).not.toContain('The colour is teal.');
  });

  it('leaves beginning and end of the child in the log of its parent, once', async () => {
    await using box = await CliSandbox.create({ 'a.txt': 'ALPHA' });
    const parent = (await box.run(['run', '--offline', '--json', 'read a.txt'])).json();
    const args = ['delegate', 'explorer', 'read a.txt', '--offline', '--json', '--parent', parent.session_id];
    const { session_id: sub_session_id } = (await box.run(args)).json();
    const { stdout } = await box.run(['session', 'export', parent.session_id]);
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const told = entries.flatMap(({ event }) => (event?.name.startsWith('delegate:') ? [event] : []));
    expect(told).toMatchObject([
      { name: 'delegate:agent_spawned', data: { agent: 'explorer', sub_session_id } },
      { name: 'delegate:agent_completed', data: { agent: 'explorer', sub_session_id, success: true } },
    ]);
  });

  it('resumes a child by its id', async () => {
    await using box = await CliSandbox.create({ 'a.txt': 'ALPHA', 'b.txt': 'BETA' });
    const { session_id } = (
      await box.run(['delegate', 'explorer', 'read a.txt', '--offline', '--json'])
    ).json();
    const again = await box.run([
      'delegate',
      'explorer',
      'read b.txt',
      '--session-id',
      session_id,
      '--offline',
      '--json',
    ]);
    expect(again.json()).toMatchObject({
      session_id,
      status: 'success',
      response: expect.stringContaining('BETA'),
    });
  });

  it('runs a child in the background, in a process that outlives the one that asked', async () => {
    await using box = await CliSandbox.create({ 'a.txt': 'ALPHA' });
    const begun = await box.run([
      'delegate',
      'explorer',
      'read a.txt',
      '--offline',
      '--background',
      '--json',
    ]);
    const { session_id, status } = begun.json();
    expect(status).toBe('running');
    const waited = await box.run(['wait', session_id, '--json']);
    expect(waited.json()).toMatchObject({
      session_id,
      status: 'success',
      response: expect.stringContaining('ALPHA'),
    });
    expect((await box.run(['status', session_id, '--json'])).json()).toMatchObject({
      status: 'completed',
      agent: 'explorer',
      running: false,
      outcome: { status: 'completed' },
    });
  });

  it.runIf(existsSync('/proc'))('runs several children in the background in one process', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const env = compatible(server);
    const begin = () =>
      box.run(['delegate', 'explorer', '!hang', '-m', 'fake-1', '--background', '--json'], { env });
    const begun = await Promise.all([begin(), begin(), begin()]);
    await server.received(3);
    const workers = async () => {
      const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      const lines = numbers.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
      const words = (await Promise.all(lines)).map((line) => line.split('\0'));
      return words.filter((each) => each.includes('worker') && each.includes(box.folder.path)).length;
    };
    await vi.waitFor(async () => expect(await workers()).toBe(1), { timeout: 60_000, interval: 50 });
    for (const each of begun) await box.run(['cancel', each.json().session_id, '--now'], { env });
  });

  it('messages and cancels a child that another process runs', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const env = compatible(server);
    const begun = await box.run(['delegate', 'explorer', '!hang', '-m', 'fake-1', '--background', '--json'], {
      env,
    });
    const { session_id } = begun.json();
    await server.received(1);
    expect((await box.run(['status', session_id, '--json'], { env })).json()).toMatchObject({
      running: true,
    });
    expect((await box.run(['message', session_id, 'hurry'], { env })).code).toBe(0);
    expect((await box.run(['cancel', session_id, '--now', '--json'], { env })).json().stopped).toEqual([
      session_id,
    ]);
    const waited = await box.run(['wait', session_id, '--json'], { env });
    expect(waited.json()).toMatchObject({ status: 'cancelled' });
    expect(waited.code).toBe(130);
    expect(await (await server.received(1)).ended).toBe('closed');
  });

  it('ends with exit code 4 when the agent asks, and continues with the answer', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const env = compatible(server);
    const args = [
      'delegate',
      'explorer',
      '!call ask_parent {"question":"Which colour?"}',
      '-m',
      'fake-1',
      '--json',
    ];
    const asked = await box.run(args, { env });
    expect(asked.json()).toMatchObject({ status: 'needs_input', metadata: { question: 'Which colour?' } });
    expect(asked.code).toBe(4);
    const answered = await box.run(
      ['session', 'resume', asked.json().session_id, 'Teal.\n!say Teal it is.', '--json'],
      { env },
    );
    expect(answered.json()).toMatchObject({ status: 'success', response: 'Teal it is.' });
  });

  it('waits no longer than it is told to', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const env = compatible(server);
    const args = ['delegate', 'explorer', '!hang', '-m', 'fake-1', '--background', '--json'];
    const { session_id } = (await box.run(args, { env })).json();
    const waited = await box.run(['wait', session_id, '--timeout', '0.1'], { env });
    expect(waited.code).toBe(3);
    await box.run(['cancel', session_id, '--now'], { env });
    await box.run(['wait', session_id], { env });
  });

  it.each([
    [['delegate', 'explorr', 'x', '--offline'], /Did you mean 'explorer'\?/, 1],
    [['delegate', 'explorer', 'x', '--prefer', 'nonsense', '--offline'], /takes provider\/model/, 2],
    [
      ['delegate', 'explorer', 'x', '--output-schema', 'none.json', '--offline'],
      /none\.json cannot be read/,
      2,
    ],
    [['wait', 'nothing'], /No session is called 'nothing'/, 1],
  ])('answers %j with a hint', async (args, hint, code) => {
    await using box = await CliSandbox.create();
    const ran = await box.run(args);
    expect(ran.stderr).toMatch(hint);
    expect(ran.code).toBe(code);
  });
});
