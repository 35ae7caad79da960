import { symlink } from 'node:fs/promises';
import type { JsonObject } from '@amplifier/core';
import { mountedSession, recordEvents, TempWorkspace } from '@amplifier/testkit';
import { FULL_GRANT } from '@amplifier/workspace';
import { describe, expect, it } from 'vitest';
import module from './index.js';
import { parseSkill } from './parse-skill.js';

const skill = (name: string, body: string, head = '') =>
  `---\nname: ${name}\ndescription: How to ${name}.\n${head}---\n${body}\n`;

const open = (workspace: TempWorkspace, capabilities: JsonObject = {}, skills_dirs = ['skills', 'more']) =>
  mountedSession({
    toolModules: { 'tool-skills': module },
    config: { 'tool-skills': { skills_dirs } },
    capabilities: { 'session.working_dir': workspace.path, ...capabilities },
  });

it('finds skills, tells the model of them, and loads one with the files beside it', async () => {
  await using workspace = await TempWorkspace.create({
    'skills/review/SKILL.md': skill('review', '# Review\nRead twice.'),
    'skills/review/checklists/a.md': '',
    'more/review/SKILL.md': skill('review', 'hidden by the first'),
    'more/deploy/SKILL.md': skill('deploy', 'Ship it.'),
    'more/not-a-skill/README.md': '',
  });
  await using session = await open(workspace);
  const tool = session.session.coordinator.mounts.all('tools').get('load_skill');
  expect(tool?.description).toContain('- review: How to review.\n- deploy: How to deploy.');
  const recorder = recordEvents(session.session.coordinator.hooks);
  expect((await session.call('load_skill', { skill_name: 'review' })).output).toEqual({
    skill_name: 'review',
    instructions: '# Review\nRead twice.',
    folder: workspace.resolve('skills/review'),
    files: ['checklists/a.md'],
  });
  expect(recorder.of('skill:loaded')[0]).toMatchObject({ skill_name: 'review', how: 'inline' });
  expect((await session.call('load_skill', { search: 'DEPLOY' })).output).toEqual({
    skills: [{ name: 'deploy', description: 'How to deploy.', runs_as_child: false }],
  });
  expect((await session.call('load_skill', { skill_name: 'reveiw' })).error?.message).toMatch(
    /Did you mean 'review'/,
  );
});

it('leaves out what is no skill and says why', async () => {
  await using workspace = await TempWorkspace.create({
    'skills/headless/SKILL.md': 'just text',
    'skills/Mis Named/SKILL.md': skill('Other Name', 'x'),
    'skills/broken/SKILL.md': '---\nname: [\n---\n',
    'skills/huge/SKILL.md': skill('huge', 'x'.repeat(300_000)),
    'outside/SKILL.md': skill('linked', 'secret'),
    'skills/good/SKILL.md': skill('good', 'x'),
  });
  await symlink(workspace.resolve('outside'), workspace.resolve('skills/linked'));
  await using session = await open(workspace);
  const { diagnostics } = session.session.coordinator;
  expect((await session.call('load_skill', {})).output).toMatchObject({ skills: [{ name: 'good' }] });
  expect(diagnostics).toHaveLength(5);
  expect(diagnostics.map(({ message }) => message).join('\n')).toMatch(/symbolic link leads out/);
});

it.each([
  [
    'a name unlike its folder',
    'name: other\ndescription: Does it.',
    { name: 'other', description: 'Does it.' },
  ],
  ['no name', 'description: Does it.', { name: 'folder', description: 'Does it.' }],
  ['a name for people', 'name: My Skill\ndescription: Does it.', { name: 'folder' }],
  ['no description', 'name: folder', { description: 'First words of it.' }],
  [
    'a colon in its description',
    'name: a\ndescription: Use when: asked.',
    { description: 'Use when: asked.' },
  ],
  [
    'lines of a quoted text that are not indented',
    'name: a\ndescription: "One\ntwo."',
    { description: 'One two.' },
  ],
  ['an example', 'name: a\ndescription: So:\n<example>\nuser: "x"\n</example>\nlicense: MIT', { name: 'a' }],
  ['a name that is a number', 'name: 7\ndescription: no', { name: '7', description: 'no' }],
])('takes a skill with %s', async (_, head, expected) => {
  const text = `---\n${head}\n---\n# Title\n\nFirst words\nof it.\n\nMore.\n`;
  expect(await parseSkill(text, 'folder')).toMatchObject(expected);
});

it('reads no code from a head', async () => {
  await expect(parseSkill('---js\nglobalThis.pwned = true\n---\n', 'x')).rejects.toThrow(/does not begin/);
});

describe('a skill that asks for its own model', () => {
  const head = 'provider_preferences:\n  - provider: anthropic\n    model: claude-haiku-*\n';

  it('runs as a child with its own preferences, and its answer comes back', async () => {
    await using workspace = await TempWorkspace.create({
      'skills/sum/SKILL.md': skill('sum', 'Add up.', head),
    });
    const spawned: JsonObject[] = [];
    const spawn = async (request: JsonObject) => {
      spawned.push(request);
      return { output: 'It is 4.', session_id: 'child-1', status: 'success' };
    };
    await using session = await open(workspace, { 'session.spawn': spawn, 'session.grant': FULL_GRANT });
    const { output } = await session.call('load_skill', { skill_name: 'sum', task: '2 + 2' });
    expect(output).toEqual({
      skill_name: 'sum',
      session_id: 'child-1',
      status: 'success',
      response: 'It is 4.',
    });
    expect(spawned).toMatchObject([
      {
        agent: 'self',
        instruction: 'Add up.\n\n# Task\n\n2 + 2',
        provider_preferences: [{ provider: 'anthropic', model: 'claude-haiku-*' }],
        tool_call_id: 'call_1',
        metadata: { skill: 'sum' },
      },
    ]);
  });

  it('does not run where the session may not delegate, or the app cannot', async () => {
    await using workspace = await TempWorkspace.create({
      'skills/sum/SKILL.md': skill('sum', 'Add up.', head),
    });
    await using ungranted = await open(workspace, { 'session.spawn': async () => ({}) });
    expect(await ungranted.call('load_skill', { skill_name: 'sum' })).toMatchObject({
      error: { code: 'NOT_PERMITTED' },
    });
    await using unable = await open(workspace, { 'session.grant': FULL_GRANT });
    expect(await unable.call('load_skill', { skill_name: 'sum' })).toMatchObject({
      error: { code: 'SPAWN_UNAVAILABLE' },
    });
  });

  it('does not call a child that failed a success', async () => {
    await using workspace = await TempWorkspace.create({
      'skills/sum/SKILL.md': skill('sum', 'Add up.', head),
    });
    const spawn = async () => ({ output: 'half', session_id: 'c', status: 'error' });
    await using session = await open(workspace, { 'session.spawn': spawn, 'session.grant': FULL_GRANT });
    const result = await session.call('load_skill', { skill_name: 'sum' });
    expect(result).toMatchObject({ success: false, output: { status: 'error', response: 'half' } });
  });
});
