import { type ChildProcess, spawnSync } from 'node:child_process';
import { FakeModelServer, replyFromConversation } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';
import { TmuxTerminal } from '../../../test-support/tmux-terminal.js';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;

const json = (value: unknown) => JSON.stringify(value);

/** Answers as it is told, but never the request of this number. */
function hangsAt(number: number): Promise<FakeModelServer> {
  return FakeModelServer.start({
    script: (exchange, index) =>
      index === number - 1 ? { hang: 'before' } : replyFromConversation(exchange.steps),
  });
}

const LEAD =
  '---\nmeta:\n  name: lead\n  description: Delegates.\ntools: [tool-delegate]\n---\nYou delegate.\n';

/** A root that delegates to `lead`, which delegates in turn. */
function nested(leaf: string): string {
  const lead = `!call delegate ${json({ agent: 'self', context_depth: 'none', instruction: leaf })}\n!then\n!say Lead done.`;
  return `!call delegate ${json({ agent: 'lead', context_depth: 'none', instruction: lead })}\n!then\n!say All of it is done.`;
}

it.runIf(hasTmux)(
  'brings a tree to its end that was killed in the middle of a nested delegation',
  async () => {
    await using server = await hangsAt(3);
    await using box = await CliSandbox.create({ '.amplifier/agents/lead.md': LEAD });
    await box.trust();
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
    let child: ChildProcess | undefined;
    const killed = box.run(['run', '--json', '-m', 'fake-1', nested('!say Leaf done.')], {
      env,
      onStart: (process) => {
        child = process;
      },
    });
    await server.received(3);
    child?.kill('SIGKILL');
    expect((await killed).stdout).toBe('');
    const calls = server.exchanges.length;

    await using shell = await TmuxTerminal.shell(box, { columns: 100, env });
    const listed = await shell.run('amplifier session list');
    expect(listed.shown).toMatch(/^\w+ .*interrupted[\s\S]*amplifier continue/m);
    const [, short] = /^(\w+) /m.exec(listed.shown) ?? [];
    const id = `session_${short}`;
    const tree = await shell.run(`amplifier session tree ${id}`);
    expect(tree.shown.match(/interrupted/g)).toHaveLength(3);
    expect(tree.shown).toContain(`amplifier continue ${id}`);
    for (const command of ['status', 'wait'])
      expect((await shell.run(`amplifier ${command} ${id}`)).shown).toContain(`amplifier continue ${id}`);

    const done = await shell.run('amplifier continue');
    expect(done).toMatchObject({ code: 0, shown: expect.stringMatching(/^All of it is done\.$/m) });
    // The leaf is asked again; lead and root continue with what they got.
    expect(server.exchanges.length - calls).toBe(3);
    const after = await shell.run(`amplifier session tree ${id}`);
    expect(after.shown.match(/completed/g)).toHaveLength(3);
    const again = await shell.run('amplifier continue');
    expect(again.shown).toContain('No session of this folder was interrupted');
  },
);

it('takes the outcomes of its children before it is told something new', async () => {
  await using server = await hangsAt(2);
  await using box = await CliSandbox.create();
  const env = { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
  let child: ChildProcess | undefined;
  const task = `!call delegate ${json({ agent: 'self', context_depth: 'none', instruction: '!say Found in the end.' })}\n!then\n!say Never.`;
  const killed = box.run(['run', '--json', '-m', 'fake-1', task], {
    env,
    onStart: (process) => {
      child = process;
    },
  });
  await server.received(2);
  child?.kill('SIGKILL');
  await killed;
  const [root] = (await box.run(['session', 'list', '--json'], { env })).json().sessions as {
    session_id: string;
  }[];
  const resumed = await box.run(['session', 'resume', root?.session_id ?? '', '--json', '!say Heard you.'], {
    env,
  });
  expect(resumed.json()).toMatchObject({ status: 'success', response: 'Heard you.' });
  expect(JSON.stringify(server.exchanges.at(-1)?.body)).toContain('Found in the end.');
});
