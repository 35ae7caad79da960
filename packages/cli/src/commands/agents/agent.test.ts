import { FakeModelServer } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CliSandbox } from '../../../test-support/run-cli.js';

const agent = (name: string, words: string) =>
  `---\nmeta:\n  name: ${name}\n  description: ${words}\n---\nYou are ${name}.\n`;

describe('amplifier agent', () => {
  it('lists every agent with its source, and the bad file beside the good ones', async () => {
    await using box = await CliSandbox.create({
      '.amplifier/agents/project-reviewer.md': agent('project-reviewer', 'Ours.'),
      '.amplifier/agents/broken.md': '---\nmeta: [\n---\nx\n',
      '.codex/agents/from-codex.toml': 'description = "Theirs."\ndeveloper_instructions = "You look."\n',
    });
    await box.home.write('agents/explorer.md', agent('explorer', 'Mine.'));
    const { stdout, stderr, code } = await box.run(['agent', 'list']);
    expect(stdout).toMatch(/^project-reviewer +project +Ours\.$/m);
    expect(stdout).toMatch(/^explorer +user +Mine\.$/m);
    expect(stdout).toMatch(/^zen-architect +foundation /m);
    expect(stdout).toMatch(/^from-codex +codex project +Theirs\.$/m);
    expect(stderr.match(/broken\.md:\d/g)).toHaveLength(1);
    expect(code).toBe(0);
  });

  it('runs and examines itself beside a bad file, and names it once', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create({ 'x.txt': '' });
    await box.home.write('agents/broken.md', '---\nmeta: [\n---\nx\n');
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
    const ran = await box.run(['run', '-m', 'fake-1', '!say Fine.'], { env });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Fine.') });
    expect(ran.stderr.match(/broken\.md:\d/g)).toHaveLength(1);
    const doctor = await box.run(['doctor'], { env });
    expect(doctor.code).toBe(0);
    expect(`${doctor.stdout}${doctor.stderr}`.match(/broken\.md:\d/g)).toHaveLength(1);
  });

  it('shows an agent as YAML, where it comes from and what it hides', async () => {
    await using box = await CliSandbox.create({
      '.amplifier/agents/explorer.md': agent('explorer', 'Project.'),
      'mine.md': agent('explorer', 'From the environment.'),
    });
    await box.home.write('agents/explorer.md', agent('explorer', 'User.'));
    const env = { AMPLIFIER_AGENT_EXPLORER: 'mine.md' };
    const { stdout } = await box.run(['agent', 'show', 'explorer'], { env });
    expect(stdout).toMatch(/^# source: env AMPLIFIER_AGENT_EXPLORER$/m);
    expect(stdout.match(/^# hides: /gm)).toHaveLength(3);
    expect(parse(stdout)).toMatchObject({ name: 'explorer', description: 'From the environment.' });
    const json = await box.run(['agent', 'show', 'explorer', '--json']);
    expect(json.json()).toMatchObject({
      source: 'user',
      hides: [{ origin: 'project' }, { origin: 'foundation' }],
    });
  });

  it('asks whether another name was meant', async () => {
    await using box = await CliSandbox.create();
    const { stderr, code } = await box.run(['agent', 'show', 'zen-architct']);
    expect(stderr).toContain("Did you mean 'zen-architect'?");
    expect(code).toBe(1);
  });

  it('writes a new agent that can be used at once, and never over another', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const made = await box.run(['agent', 'new', 'helper', '-d', 'Helps: with "quotes".']);
    expect(made.stdout.trim()).toBe(box.folder.resolve('.amplifier/agents/helper.md'));
    expect((await box.run(['agent', 'validate'])).code).toBe(0);
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
    const ran = await box.run(['run', '--json', '-a', 'helper', '-m', 'fake-1', '!say Here.'], { env });
    expect(ran.json()).toMatchObject({ agent: 'helper', response: 'Here.' });
    const again = await box.run(['agent', 'new', 'helper']);
    expect(again.stderr).toContain('already exists');
    expect(again.code).toBe(2);
  });

  it('says which file of several is bad, with the line', async () => {
    await using box = await CliSandbox.create({
      'good.md': agent('good', 'Good.'),
      'bad.md': '---\nmeta:\n  name: 7\n---\n',
    });
    const { stdout, code } = await box.run(['agent', 'validate', 'good.md', 'bad.md']);
    expect(stdout).toMatch(/^ok +.*good\.md$/m);
    expect(stdout).toMatch(/^bad +.*bad\.md\n +.*bad\.md:\d/m);
    expect(code).toBe(1);
  });
});
