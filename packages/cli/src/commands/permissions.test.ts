import { existsSync } from 'node:fs';
import { FakeModelServer } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../test-support/run-cli.js';

const write = (file: string) => `!call write_file ${JSON.stringify({ file_path: file, content: 'x' })}`;
const bash = (command: string) => `!call bash ${JSON.stringify({ command })}`;

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
});
