import type { JsonObject, Tool } from '@amplifier/core';
import { mountedSession, TempWorkspace } from '@amplifier/testkit';
import { detectSandbox, grantForSafetyMode, type SafetyMode } from '@amplifier/workspace';
import { describe, expect, it } from 'vitest';
import module from './index.js';

const sandbox = await detectSandbox();

const echo: Tool = {
  name: 'echo',
  description: '',
  inputSchema: {},
  execute: async (input) => ({ success: true, output: JSON.stringify(input) }),
};

async function runWith(hooks: JsonObject[], folder: string, mode: SafetyMode = 'write') {
  await using mounted = await mountedSession({
    id: 's1',
    script: [{ tool_calls: [{ name: 'echo', arguments: { a: 1 } }] }, { text: 'Done.' }],
    tools: [echo],
    hookModules: { 'hooks-shell': module },
    config: { 'hooks-shell': { hooks } },
    capabilities: {
      'session.working_dir': folder,
      'session.grant': grantForSafetyMode(mode, { cwd: folder, trusted: true }),
    },
  });
  await mounted.session.execute('go');
  const { coordinator } = mounted.session;
  const messages = (await coordinator.mounts.one('context')?.getMessages()) ?? [];
  return {
    result: String(messages.find((message) => message.role === 'tool')?.content),
    messages,
    diagnostics: coordinator.diagnostics,
  };
}

describe('a hook that is a command', () => {
  it('gets the event as JSON on its input, in the working folder', async () => {
    await using workspace = await TempWorkspace.create();
    await runWith([{ event: 'tool:pre', command: 'cat > event.json' }], workspace.path);
    expect(JSON.parse(await workspace.read('event.json'))).toMatchObject({
      event: 'tool:pre',
      session_id: 's1',
      working_dir: workspace.path,
      data: { tool_name: 'echo', tool_input: { a: 1 } },
    });
  });

  it('denies by JSON or by exit code 2, with its reason', async () => {
    await using workspace = await TempWorkspace.create();
    const byJson = `echo '{"action":"deny","reason":"not today"}'`;
    const byCode = ['sh', '-c', 'echo "not ever" >&2; exit 2'];
    const denied = async (command: unknown) =>
      (await runWith([{ event: 'tool:pre', command }], workspace.path)).result;
    expect(await denied(byJson)).toBe('Denied by hook: not today');
    expect(await denied(byCode)).toBe('Denied by hook: not ever');
  });

  it.runIf(sandbox.name !== 'none')('may do no more than the session', async () => {
    await using workspace = await TempWorkspace.create();
    const command = 'echo x > made.txt';
    await runWith([{ event: 'tool:pre', command, on_failure: 'continue' }], workspace.path, 'read_only');
    await expect(workspace.read('made.txt')).rejects.toThrow('ENOENT');
    await runWith([{ event: 'tool:pre', command }], workspace.path, 'write');
    expect(await workspace.read('made.txt')).toBe('x\n');
  });

  it('runs only for the tools it names', async () => {
    await using workspace = await TempWorkspace.create();
    const { result } = await runWith(
      [{ event: 'tool:pre', tools: ['write_*'], command: 'exit 2' }],
      workspace.path,
    );
    expect(result).toBe('{"a":1}');
  });

  it.each([
    ['fails', 'echo broken >&2; exit 1', /broken/],
    ['takes too long', 'sleep 1000', /within 0\.3 s/],
    ['answers nonsense', 'echo maybe', /not JSON/],
    ['answers with the wrong shape', `echo '{"action":"perhaps"}'`, /no hook result/],
    ['does not exist', ['/no/such/program'], /no.such.program/],
  ])('lets nothing through when as a guard it %s', async (_name, command, reason) => {
    await using workspace = await TempWorkspace.create();
    const timeout = command === 'sleep 1000' ? 0.3 : 60;
    const { result } = await runWith([{ event: 'tool:pre', command, timeout }], workspace.path);
    expect(result).toMatch(/^Denied by hook/);
    expect(result).toMatch(reason);
  });

  it('is passed over and reported when it only watches and fails', async () => {
    await using workspace = await TempWorkspace.create();
    const { result, diagnostics } = await runWith(
      [{ event: 'tool:post', command: 'exit 1' }],
      workspace.path,
    );
    expect(result).toBe('{"a":1}');
    expect(diagnostics).toMatchObject([{ code: 'SHELL_HOOK_FAILED' }]);
  });

  it('gets no secret of the environment', async () => {
    await using workspace = await TempWorkspace.create();
    process.env.TEST_HOOK_SECRET = 'hush';
    try {
      await runWith([{ event: 'tool:pre', command: 'env > env.txt' }], workspace.path);
    } finally {
      delete process.env.TEST_HOOK_SECRET;
    }
    expect(await workspace.read('env.txt')).not.toContain('hush');
  });
});
