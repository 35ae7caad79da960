import { execFileSync } from 'node:child_process';
import { FakeModelServer, PICTURE } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const SERVER = ['--provider', 'openai-compatible', '--model', 'fake-1'];

function compatible(server: FakeModelServer): Record<string, string> {
  return { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
}

describe('amplifier run', () => {
  it('prints the answer of a real model server, and nothing else, to a pipe', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const { code, stdout, stderr } = await box.run(['run', ...SERVER, '!say Forty-two.'], {
      env: compatible(server),
    });
    expect(stdout).toBe('Forty-two.\n');
    expect(stderr).toMatch(/^session session_\w+ · fake-1/);
    expect(code).toBe(0);
  });

  it('gives one result object with --json, in the shape of the delegate result', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const ran = await box.run(['run', '--json', ...SERVER, '!say Done.'], { env: compatible(server) });
    expect(ran.json()).toMatchObject({
      response: 'Done.',
      session_id: expect.stringMatching(/^session_/),
      agent: null,
      status: 'success',
      turn_count: 1,
      metadata: { model_used: 'fake-1' },
    });
  });

  it('shows images and files with the prompt: attached, mentioned, and to a delegate and a session that goes on', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create({ 'notes.txt': 'canary-notes' });
    await box.folder.write('my dot.png', Buffer.from(PICTURE, 'base64'));
    const env = compatible(server);
    const attach = ['--attach', 'my dot.png', '--attach', 'notes.txt'];
    const ran = await box.run(['run', '--json', ...SERVER, ...attach, '!say A dot.'], { env });
    expect(ran.json(), ran.stderr).toMatchObject({ response: 'A dot.' });
    const sent = (index: number) => JSON.stringify(server.exchanges.at(index)?.body);
    expect(sent(-1)).toContain(PICTURE);
    expect(sent(-1)).toContain('canary-notes');
    const delegated = ['delegate', 'explorer', '!say Seen.', ...SERVER, '--attach', 'my dot.png'];
    expect((await box.run(delegated, { env })).stdout).toContain('Seen.');
    expect(sent(-1)).toContain(PICTURE);
    const none = await box.run(['run', ...SERVER, '--attach', 'none.png', 'x'], { env });
    expect(none.stderr).toMatch(/none\.png' cannot be attached[\s\S]*Attach something else/);
    expect(none.code).not.toBe(0);
  });

  it('takes the prompt from a pipe, from - and from a file', async () => {
    await using box = await CliSandbox.create({ 'prompt.txt': 'read a.txt', 'a.txt': 'ALPHA' });
    const piped = await box.run(['run', '--offline'], { input: 'read a.txt' });
    const dashed = await box.run(['run', '--offline', '-'], { input: 'read a.txt' });
    const added = await box.run(['run', '--offline', 'read', '-'], { input: 'a.txt' });
    expect(added.code).toBe(0);
    const filed = await box.run(['run', '--offline', '--file', 'prompt.txt']);
    for (const { stdout, code } of [piped, dashed, filed]) {
      expect(stdout).toContain('ALPHA');
      expect(code).toBe(0);
    }
  });

  it('writes every event and then the result with --output jsonl', async () => {
    await using box = await CliSandbox.create({ 'a.txt': 'ALPHA' });
    const { stdout } = await box.run(['run', '--offline', '--output', 'jsonl', 'read a.txt']);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; status?: string });
    expect(lines.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['execution:start', 'tool:pre', 'tool:post']),
    );
    expect(lines.at(-1)).toMatchObject({ event: 'result', status: 'success' });
  });

  it('says in two lines how to get a model when there is none', async () => {
    await using box = await CliSandbox.create();
    const { code, stderr, stdout } = await box.run(['run', 'hello']);
    expect(stderr.trim().split('\n')).toHaveLength(2);
    expect(stderr).toMatch(
      /--offline[\s\S]*ANTHROPIC_API_KEY[\s\S]*amplifier init[\s\S]*amplifier provider add/,
    );
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });

  it('is an agent of the project when asked to be, and resumes it with its prompt', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create({
      '.amplifier/agents/oracle.md':
        '---\nmeta:\n  name: oracle\n  description: Knows.\n---\nYou are the oracle of the north.\n',
    });
    const first = await box.run(['run', '--json', '--agent', 'oracle', ...SERVER, '!say Yes.'], {
      env: compatible(server),
    });
    const { session_id, agent } = first.json();
    expect(agent).toBe('oracle');
    const again = await box.run(['run', '--json', '--resume', session_id, '!say Again.'], {
      env: compatible(server),
    });
    expect(again.json()).toMatchObject({ session_id, response: 'Again.' });
    for (const { body } of server.exchanges) expect(JSON.stringify(body)).toContain('oracle of the north');
    expect(JSON.stringify(server.exchanges.at(-1)?.body)).toContain('Yes.');
  });

  it('uses the file an environment variable names for an agent', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create({
      'test-explorer.md': '---\nname: explorer\ndescription: x\n---\nTEST VERSION\n',
    });
    const env = { ...compatible(server), AMPLIFIER_AGENT_EXPLORER: './test-explorer.md' };
    await box.run(['run', '--agent', 'explorer', ...SERVER, '!say Ok.'], { env });
    expect(JSON.stringify(server.exchanges[0]?.body)).toContain('TEST VERSION');
  });

  it("tells parent and child the project's instructions, where and when they work, and names the files", async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create({
      'AGENTS.md': 'Tabs, never spaces. See @docs/style.md.',
      'docs/style.md': 'Say please.',
      'CLAUDE.md': '@AGENTS.md',
    });
    await box.home.write('AGENTS.md', 'I like short answers.');
    const say = `!call delegate ${JSON.stringify({ agent: 'explorer', instruction: '!say Found.' })}`;
    await box.run(['run', ...SERVER, say], { env: compatible(server) });
    const prompts = server.exchanges.map(({ body }) => JSON.stringify(body));
    expect(prompts.length).toBeGreaterThan(1);
    for (const prompt of prompts) {
      for (const text of [
        'Tabs, never spaces',
        'Say please.',
        'I like short answers.',
        'Git: not a repository',
      ])
        expect(prompt).toContain(text);
      expect(prompt).toMatch(/Date: \d{4}-\d\d-\d\d/);
    }
    const { stdout } = await box.run(['run', '--offline', '--dry-run', '--json', 'look']);
    expect(JSON.parse(stdout).context.files.passed.map(({ path }: { path: string }) => path)).toEqual([
      ...[box.home.resolve('AGENTS.md'), box.folder.resolve('docs/style.md')],
      ...[box.folder.resolve('AGENTS.md'), box.folder.resolve('CLAUDE.md')],
    ]);
  });

  it('asks whether another agent was meant', async () => {
    await using box = await CliSandbox.create();
    const { code, stderr } = await box.run(['run', '--offline', '--agent', 'explorr', 'x']);
    expect(stderr).toBe("amplifier: No agent is called 'explorr'. Did you mean 'explorer'?\n");
    expect(code).toBe(1);
  });

  it('prints what would be launched with --dry-run, and launches nothing', async () => {
    await using box = await CliSandbox.create();
    const { stdout, code } = await box.run([
      'run',
      '--offline',
      '--dry-run',
      '--json',
      '--max-cost',
      '0.50',
      '--safety',
      'read_only',
      'look',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      instruction: 'look',
      safety_mode: 'read_only',
      limits: { max_cost_usd: '0.50' },
      context: { depth: 'none', passed: [] },
      model: {},
    });
    expect(code).toBe(0);
    expect((await box.run(['session', 'list', '--json'])).json()).toMatchObject({ sessions: [] });
  });

  it('ends with exit code 3 when a limit is reached, and the session can be resumed', async () => {
    await using box = await CliSandbox.create({ 'a.txt': 'ALPHA' });
    const ran = await box.run([
      'run',
      '--offline',
      '--json',
      '--max-turns',
      '1',
      'read a.txt\nthen\nread a.txt',
    ]);
    expect(ran.code).toBe(3);
    expect(ran.json()).toMatchObject({
      status: 'limit',
      metadata: { resumable: true, limit: { kind: 'turns' } },
    });
  });

  it('ends with exit code 1 when the model fails, and says why', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const { code, stderr } = await box.run(['run', ...SERVER, '!fail 401 no such key'], {
      env: compatible(server),
    });
    expect(stderr).toMatch(/failed: .*no such key/);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
  });

  it('does not let read_only change a file', async () => {
    await using box = await CliSandbox.create({ 'a.txt': 'ALPHA' });
    await box.run(['run', '--offline', '--safety', 'read_only', 'write a.txt: BETA']);
    expect(await box.folder.read('a.txt')).toBe('ALPHA');
    await box.run(['run', '--offline', 'write b.txt: BETA']);
    expect(await box.folder.read('b.txt')).toContain('BETA');
  });
});

describe('amplifier run --safety propose', () => {
  const repository = async () => {
    const box = await CliSandbox.create({ 'a.txt': 'ALPHA\n' });
    const git = (...args: string[]) => execFileSync('git', ['-C', box.folder.path, ...args]);
    git('init', '-q');
    git('add', '.');
    git('-c', 'user.name=n', '-c', 'user.email=n@example.org', 'commit', '-qm', 'first');
    return box;
  };

  it('shows the patch, applies nothing, and says how to apply it', async () => {
    await using box = await repository();
    const { stdout, stderr, code } = await box.run([
      'run',
      '--offline',
      '--safety',
      'propose',
      'write a.txt: BETA',
    ]);
    expect(stdout).toMatch(/^diff --git a\/a\.txt b\/a\.txt\n[\s\S]*^-ALPHA\n\+BETA$/m);
    expect(await box.folder.read('a.txt')).toBe('ALPHA\n');
    expect(code).toBe(0);
    const [, command = ''] =
      /nothing was applied[^\n]*\n {2}amplifier (proposals apply .*)\n/.exec(stderr) ?? [];
    const applied = await box.run(command.split(' '));
    expect(applied.code, applied.stderr).toBe(0);
    expect(await box.folder.read('a.txt')).toBe('BETA');
  });

  it('gives the patch with --json, and no word of one when nothing would change', async () => {
    await using box = await repository();
    const args = ['run', '--offline', '--safety', 'propose'];
    const ran = await box.run([...args, '--json', 'write b.txt: BETA']);
    expect(ran.json().metadata).toMatchObject({
      artifacts: [{ kind: 'patch', applied: false, changes: [{ path: 'b.txt', kind: 'added' }] }],
    });
    const { stdout, stderr } = await box.run([...args, 'read a.txt']);
    expect(stdout).not.toContain('diff --git');
    expect(stderr).not.toContain('apply');
    await expect(box.folder.read('b.txt')).rejects.toThrow('ENOENT');
  });
});

describe('amplifier run --role', () => {
  const MATRIX = `name: house
description: Two roles of our own.
updated: 2026-01-01
roles:
  general:
    description: Anything.
    candidates: [{ provider: openai-compatible, model: house-large }]
  fast:
    description: Quick.
    candidates:
      - { provider: anthropic, model: claude-haiku-* }
      - { provider: openai-compatible, model: house-small }
`;
  const house = (server: FakeModelServer) => ({
    '.amplifier/routing/house.yaml': MATRIX,
    '.amplifier/settings.yaml': `routing: { matrix: house }
config:
  providers: [{ module: provider-openai-compatible, config: { base_url: '${server.url}/v1', default_model: plain } }]
`,
  });

  it('runs on the first model of the role that are available, and delegate does, too', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create(house(server));
    await box.trust();
    await box.run(['run', '!say Ok.']);
    await box.run(['run', '--role', 'fast', '!say Ok.']);
    await box.run(['delegate', '--role', 'general', 'explorer', '!say Ok.']);
    expect(server.exchanges.map(({ model }) => model)).toEqual(['plain', 'house-small', 'house-large']);
  });

  it('asks whether another role was meant', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create(house(server));
    await box.trust();
    const { stderr, code } = await box.run(['run', '--role', 'fats', '!say Ok.']);
    expect(stderr).toContain("has no role 'fats'. Did you mean 'fast'?");
    expect(code).toBe(1);
    expect(server.exchanges).toEqual([]);
  });
});

describe('the command line', () => {
  it.each([
    [['runn', 'x'], /There is no command 'runn'. Did you mean 'run'\?/],
    [['run', '--agnet', 'x', 'y'], /Did you mean --agent\?/],
    [['run', '--safety', 'reckless', 'y'], /Allowed choices are read_only, propose, write, yolo/],
    [['run', '--max-cost', 'much', 'y'], /--max-cost takes an amount/],
    [['run', '--cwd', '/nowhere/at/all', 'y'], /is not a folder/],
    [['run', ''], /The prompt is empty/],
  ])('answers %j with exit code 2 and a hint', async (args, hint) => {
    await using box = await CliSandbox.create();
    const { code, stderr } = await box.run(args);
    expect(stderr).toMatch(hint);
    expect(code).toBe(2);
  });

  it('names file and line of a settings file that cannot be read, without a stack', async () => {
    await using box = await CliSandbox.create({
      '.amplifier/settings.yaml': 'bundle:\n  active: [unclosed\n',
    });
    await box.run(['trust', '--yes']);
    const { code, stderr } = await box.run(['run', '--offline', 'x']);
    expect(stderr).toMatch(/settings\.yaml:\d+/);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
    const debugged = await box.run(['run', '--offline', '--debug', 'x']);
    expect(debugged.stderr).toMatch(/\n\s+at /);
  });

  it('gives its version and its help', async () => {
    await using box = await CliSandbox.create();
    expect((await box.run(['--version'])).stdout).toBe('amplifier 0.1.0\n');
    const help = await box.run(['--help']);
    expect(help.stdout).toMatch(/Examples:[\s\S]*Exit codes:/);
    expect(help.code).toBe(0);
  });
});
