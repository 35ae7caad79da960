import { chmod } from 'node:fs/promises';
import { chaosAgentCommand } from '@amplifier/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestDaemon } from '../../test-support/test-daemon.js';

let test: TestDaemon;
let working_dir: string;

/** A program of the name of a known agent stands in for it: it is found and driven as the real one would be. */
beforeAll(async () => {
  const command = chaosAgentCommand().map((part) => `'${part}'`);
  test = await TestDaemon.start(
    {},
    { 'work/a.txt': 'one\n', 'bin/opencode': `#!/bin/sh\nexec ${command.join(' ')}\n` },
  );
  await chmod(test.workspace.resolve('bin/opencode'), 0o755);
  working_dir = test.workspace.resolve('work');
  await test.restart({
    environment: {
      AMPLIFIERD_HOME: test.home,
      PATH: `${test.workspace.resolve('bin')}:${process.env.PATH}`,
      HOME: test.workspace.resolve('user'),
    },
    // In a sandbox the stand-in would not find the code it is made of.
    flags: { runs: { safety_mode: 'yolo' } },
  });
});
afterAll(() => test[Symbol.asyncDispose]());

it('external agents stand beside those of the plan, and say whether they are installed', async () => {
  const id = await test.session({ working_dir });
  const { body } = await test.get(`/api/v1/sessions/${id}/agents`);
  const named = (name: string) => body.find((agent: { name: string }) => agent.name === name);
  expect(named('zen-architect')).toMatchObject({ source: 'plan', installed: true });
  expect(named('acp:opencode')).toMatchObject({ source: 'acp', description: 'OpenCode', installed: true });
  expect(named('acp:claude_code')).toMatchObject({ source: 'acp' });
});

it('the list comes in pages', async () => {
  const id = await test.session({ working_dir });
  const path = `/api/v1/sessions/${id}/agents`;
  const names: string[] = [];
  let next: string | null = '';
  while (next !== null) {
    const { body, headers } = await test.get(
      `${path}?limit=7${next && `&cursor=${encodeURIComponent(next)}`}`,
    );
    names.push(...body.map(({ name }: { name: string }) => name));
    next = headers.get('x-next-cursor');
  }
  const { body: all } = await test.get(`${path}?limit=100`);
  expect(names).toEqual(all.map(({ name }: { name: string }) => name));
  expect((await test.get(`${path}?cursor=nobody`)).body).toMatchObject({ code: 'INVALID_CURSOR' });
});

it('a task is handed to an external agent over REST', async () => {
  const id = await test.session({ working_dir });
  const { status, body } = await test.post(`/api/v1/sessions/${id}/delegate`, {
    agent: 'acp:opencode',
    instruction: '!say From the other side.',
    wait: 60,
  });
  expect([status, body.status]).toEqual([200, 'completed']);
  expect(body.outcome).toMatchObject({ text: 'From the other side.', agent: 'acp:opencode' });
});
