import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { FakeModelServer } from '@amplifier/testkit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const write = (file: string) => `!call write_file ${JSON.stringify({ file_path: file, content: 'x' })}`;
const bash = (command: string) => `!call bash ${JSON.stringify({ command })}`;

afterEach(() => vi.unstubAllEnvs());

describe('amplifier permissions', () => {
  it('explains calls as they are written in files, in Claude Code and on screen', async () => {
    await using box = await CliSandbox.create();
    await box.home.write(
      'settings.yaml',
      'permissions:\n  deny:\n    - bash: rm *\n  allow:\n    - bash: git status *\n',
    );
    await box.run(['permissions', 'add', 'allow', 'web_fetch: "docs.*"']);
    for (const [call, action] of [
      ['Bash(git status $(curl evil))', 'ask'],
      ['write: a.ts', 'ask'],
      ['bash git status --short', 'allow'],
      ['web_fetch: https://docs.example.com/a', 'allow'],
    ] as const)
      expect((await box.run(['permissions', 'test', call, '--json'])).json(), call).toMatchObject({ action });
    expect((await box.run(['permissions', 'remove', 'bash: ls'])).code).toBe(1);
  });

  it('holds a rule against every form of a command, an agent and a program that runs others', async () => {
    await using box = await CliSandbox.create();
    await box.home.write(
      'settings.yaml',
      'permissions:\n  deny: [{ bash: "touch *" }, { delegate: explorer }]\n  allow: [bash, { bash: "test *" }]\n',
    );
    for (const [call, action] of [
      ['bash: \ttouch\tM', 'deny'],
      ['bash: > out touch M', 'deny'],
      ['bash: 2>&1 touch M', 'deny'],
      ['bash: X="a b" touch M', 'deny'],
      ['bash: if true; then touch M; fi', 'deny'],
      ['bash: setsid touch M', 'deny'],
      ["bash: $'touch' M", 'deny'],
      ['bash: to\\\nuch M', 'deny'],
      ['bash: $X M', 'ask'],
      ['bash: v=\'b[$\'; v="$v(touch M)]"; echo $((v))', 'ask'],
      ['bash: /usr/bin/e?v touch M', 'ask'],
      ['bash: ssh host -oProxyCommand="touch M" x', 'ask'],
      ['bash: echo touch M > s; sh s', 'ask'],
      ["bash: sh -c '((touch M))'", 'ask'],
      ['bash: sort -o M a', 'ask'],
      ['bash: echo touch M', 'allow'],
      ['delegate: foundation:explorer', 'deny'],
    ] as const)
      expect((await box.run(['permissions', 'test', call, '--json'])).json(), call).toMatchObject({ action });
  });

  it('refuses what is no rule, what is no action, and a folder that would allow', async () => {
    await using box = await CliSandbox.create();
    for (const [args, words] of [
      [['add', 'permit', 'bash'], 'allow, ask, deny'],
      [['add', 'allow', '((('], 'is not a rule'],
      [['add', 'allow', 'bash', '--project'], 'never allow'],
    ] as const) {
      const { code, stderr } = await box.run(['permissions', ...args]);
      expect([code, stderr]).toMatchObject([2, expect.stringContaining(words)]);
    }
  });

  it('refuses rules with a negation, when they are added and where a file has one', async () => {
    await using box = await CliSandbox.create();
    const rules = [
      'write: !src',
      'write: ./!src',
      'bash: ! grep *',
      'web_fetch: domain:!x',
      'delegate: amplifier:!x',
    ];
    for (const rule of rules)
      expect(await box.run(['permissions', 'add', 'allow', rule])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('rules have no negation'),
      });
    await box.home.write('settings.yaml', 'permissions:\n  allow: [{ write: "!src" }]\n');
    const { code, stderr } = await box.run(['run', '--offline', 'Write src/a.']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('rules have no negation')]);
  });

  it("reads Claude Code's file, lets a project tighten and never loosen, and holds in a run", async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create({
      '.claude/settings.json': JSON.stringify({ permissions: { allow: ['Bash'], deny: ['Write(team/**)'] } }),
      '.amplifier/settings.yaml':
        'permissions: { allow: ["write: own/**"], deny: [{ write: "locked/**" }] }\n',
    });
    await box.home.write(
      'claude/settings.json',
      JSON.stringify({ permissions: { deny: ['Bash(touch:*)'] } }),
    );
    const env = {
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: `${server.url}/v1`,
      CLAUDE_CONFIG_DIR: box.home.resolve('claude'),
    };
    const listed = (await box.run(['permissions', '--json'], { env })).json();
    expect(listed).toMatchObject({
      rules: [
        { action: 'deny', rule: 'Bash(touch:*)' },
        { action: 'deny', rule: 'write: locked/**' },
        { action: 'deny', rule: 'Write(team/**)' },
      ],
      set_aside: [
        { action: 'allow', rule: 'write: own/**' },
        { action: 'allow', rule: 'Bash' },
      ],
    });
    const steps = [
      write('free.txt'),
      write('locked/a'),
      write('team/a'),
      bash('echo a; touch b.txt'),
      '!say Over.',
    ];
    const run = await box.run(['run', steps.join('\n!then\n'), '--json'], { env });
    expect(run.json(), run.stderr).toMatchObject({ response: 'Over.' });
    expect(
      ['free.txt', 'locked/a', 'team/a', 'b.txt'].map((file) => existsSync(box.folder.resolve(file))),
    ).toEqual([true, false, false, false]);
    const results = JSON.stringify(server.exchanges.at(-1)?.steps);
    expect(results).toContain("The rule deny 'Bash(touch:*)'");
    await box.home.write('claude/settings.json', '{ "permissions": ');
    const broken = await box.run(['run', '!say Hi.'], { env });
    expect([broken.code, broken.stderr]).toMatchObject([1, expect.stringContaining('cannot be read')]);
  });

  it('keeps what a rule denies to read from every tool, command, mention and child, also for sessions that exist', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create({
      'secrets/key.txt': 'TOP-SECRET-1\n',
      'deep/secrets/key.txt': 'TOP-SECRET-2\n',
      'private/key.txt': 'TOP-SECRET-3\n',
      'deep/a.pem': 'TOP-SECRET-4\n',
      'later/key.txt': 'TOP-SECRET-5\n',
      'open.txt': 'TOP-OPEN\n',
    });
    const env = {
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: `${server.url}/v1`,
      CLAUDE_CONFIG_DIR: box.home.resolve('claude'),
    };
    await box.home.write('settings.yaml', 'permissions: { deny: [{ read: secrets }, "read: *.pem"] }\n');
    await box.home.write(
      'claude/settings.json',
      JSON.stringify({ permissions: { deny: ['Read(./private/**)'] } }),
    );
    const call = (tool: string, input: object) => `!call ${tool} ${JSON.stringify(input)}`;
    const looks = [
      call('grep', { pattern: 'TOP-' }),
      call('grep', { pattern: 'TOP-', path: '.' }),
      call('grep', { pattern: 'TOP-', path: 'deep' }),
      call('glob', { pattern: '**/*' }),
      call('list_files', { path: 'secrets' }),
      call('list_files', { depth: 3 }),
      call('read_file', { file_path: 'secrets/key.txt' }),
      call('read_file', { file_path: 'deep/a.pem' }),
      bash('cat secrets/* deep/secrets/* private/* deep/*.pem open.txt; grep -r TOP- .'),
      bash('cd deep && cat secrets/key.txt ../private/key.txt'),
    ].join('\n!then\n');
    const run = await box.run(['run', `${looks}\n!then\n!say Over.`, '--json'], { env });
    expect(run.json(), run.stderr).toMatchObject({ response: 'Over.' });
    await box.run(['run', '!say Hi. @secrets/key.txt @private/key.txt @open.txt'], { env });
    const attached = await box.run(['run', '!say Hi.', '--attach', 'secrets/key.txt'], { env });
    expect([attached.code, attached.stderr]).toMatchObject([1, expect.stringContaining('is denied')]);
    const child = call('delegate', { agent: 'self', instruction: `${looks}\n!then\n!say Child.` });
    await box.run(['run', `${child}\n!then\n!say Over.`], { env });
    await box.run(['run', `${looks}\n!then\n!say Over.`, '--safety', 'propose'], { env });
    const seen = () => JSON.stringify(server.exchanges);
    expect(seen()).toContain('TOP-OPEN');
    expect(seen()).not.toContain('TOP-SECRET-1');
    expect(seen()).not.toContain('TOP-SECRET-2');
    expect(seen()).not.toContain('TOP-SECRET-3');
    expect(seen()).not.toContain('TOP-SECRET-4');
    expect(seen()).not.toContain('"deep/secrets/key.txt"');

    const started = await box.run(['run', '!say Begun.', '--json'], { env });
    const { session_id } = started.json() as { session_id: string };
    await box.home.write('settings.yaml', 'permissions: { deny: [{ read: "later/**" }] }\n');
    const before = server.exchanges.length;
    const again = `${call('grep', { pattern: 'TOP-' })}\n!then\n${bash('cat later/key.txt; cat open.txt')}\n!then\n!say Again.`;
    const resumed = await box.run(['session', 'resume', session_id, again], { env });
    expect(resumed.stdout, resumed.stderr).toContain('Again.');
    const after = JSON.stringify(server.exchanges.slice(before));
    expect(after).toContain('TOP-OPEN');
    expect(after).not.toContain('TOP-SECRET-5');
  });

  it('holds absolute rules and rules from home in the working folder, also through links and in an isolated copy', async () => {
    await using server = await FakeModelServer.start();
    const files = ['root', 'home', 'link', 'glob', 'slash'];
    await using box = await CliSandbox.create(
      Object.fromEntries(files.map((name) => [`${name}.key`, `TOP-${name}\n`])),
    );
    const { path } = box.folder;
    const link = box.home.resolve('link');
    await symlink(path, link);
    const home = dirname(path);
    const under = `~/${basename(path)}`;
    vi.stubEnv('HOME', home);
    await box.home.write(
      'settings.yaml',
      JSON.stringify({
        permissions: {
          deny: [
            ...[`read: /${path}/root.key`, `read: ${under}/home.key`, `read: /${link}/link.key`],
            ...[`read: /${link}/gl*.key`, 'read: /slash.key', `write: /${link}/README.md`],
            `write: ${under}/docs/**`,
          ],
        },
      }),
    );
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1`, HOME: home };
    for (const call of [...files.map((name) => `read: ${name}.key`), 'write: README.md', 'edit: docs/a'])
      expect((await box.run(['permissions', 'test', call, '--json'], { env })).json(), call).toMatchObject({
        action: 'deny',
      });
    await box.trust();
    const steps = [
      ...files.map((name) => `!call read_file ${JSON.stringify({ file_path: `${name}.key` })}`),
      `!call grep ${JSON.stringify({ pattern: 'TOP-', path: '.' })}`,
      bash('cat *.key'),
      write('README.md'),
      write('docs/a'),
      write('free.txt'),
      '!say Over.',
    ].join('\n!then\n');
    for (const mode of ['write', 'propose']) {
      const run = await box.run(['run', steps, '--safety', mode, '--json'], { env });
      expect(run.json(), run.stderr).toMatchObject({ response: 'Over.' });
      const results = JSON.stringify(server.exchanges.at(-1)?.steps);
      for (const name of files) expect(results).not.toContain(`TOP-${name}`);
      expect(results.match(/The rule deny 'write: /g), mode).toHaveLength(2);
    }
    expect(['README.md', 'docs/a', 'free.txt'].map((file) => existsSync(box.folder.resolve(file)))).toEqual([
      false,
      false,
      true,
    ]);
  });
});
