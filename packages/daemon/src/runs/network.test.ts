import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { detectSandbox } from '@amplifier/workspace';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { call, runProfile, script } from '../../test-support/run-profile.js';

const sandbox = await detectSandbox();
let near: Server;
let bench: RunBench;
beforeAll(async () => {
  near = createServer((socket) => socket.end('REACHED\n')).listen(0, '127.0.0.1');
  await once(near, 'listening');
  bench = await RunBench.start();
  const bold = runProfile(bench.model.url)
    .replace('  - module: tool-delegate', '  - module: tool-delegate\n  - module: tool-bash')
    .replace('hooks:\n  - module: hooks-approval\n', '');
  const closed = bold.replace('  context: context-simple', '  context: context-simple\n  network: tools');
  for (const [name, manifest] of Object.entries({ bold, closed })) {
    const named = manifest.replace('name: worker', `name: ${name}`);
    const made = await bench.daemon.post('/api/v1/profiles', { name, manifest: named });
    if (made.status !== 201) throw new Error(made.text);
  }
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  near.close();
});

const task = () => {
  const { port } = near.address() as AddressInfo;
  return script(
    call('bash', { command: `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3 || echo CUT-OFF` }),
    '!say Done.',
  );
};
const session = (body: object = {}) => bench.session({ profile_id: 'local/bold', ...body });

/** What the last command of a session found. The run itself needs its model, which is on the network, too. */
async function found(id: string, body: object = {}, path = 'runs'): Promise<string> {
  const order = { instruction: task(), wait: 60, ...body };
  const { body: run } = await bench.daemon.post(`/api/v1/sessions/${id}/${path}`, order);
  expect([run.status, run.error]).toEqual(['completed', null]);
  const at = run.child_session_id ?? id;
  const { body: transcript } = await bench.daemon.get(`/api/v1/sessions/${at}/transcript`);
  const messages = (transcript.messages ?? transcript) as { role: string; content: unknown }[];
  const last = JSON.stringify(messages.findLast(({ role }) => role === 'tool'));
  expect(last).toMatch(/REACHED|CUT-OFF/);
  return last.includes('REACHED') ? 'reached' : 'cut off';
}

describe.runIf(sandbox.name !== 'none')('network', () => {
  it('is cut off for a session, a run or a delegation that says so, and for nothing else', async () => {
    expect(await found(await session({ network: false }))).toBe('cut off');
    const open = await session();
    expect(await found(open, { network: false })).toBe('cut off');
    expect(await found(open)).toBe('reached');
    expect(await found(open, { network: 'tools', agent: 'scribe', context_depth: 'none' }, 'delegate')).toBe(
      'cut off',
    );
    expect(await found(open, { agent: 'scribe', context_depth: 'none' }, 'delegate')).toBe('reached');
  });

  it('is at most what the profile, the daemon and the session above have', async () => {
    const closed = await session({ profile_id: 'local/closed', network: true });
    expect(await found(closed, { network: true })).toBe('cut off');
    const wider = { agent: 'scribe', instruction: 'Go.', network: true };
    const refused = await bench.daemon.post(`/api/v1/sessions/${closed}/delegate`, wider);
    expect([refused.status, refused.body.reason]).toEqual([409, 'SAFETY_MODE_WIDER']);
    await bench.restart({ runs: { network: false } });
    expect(await found(await session({ network: true }))).toBe('cut off');
    await bench.restart();
  });

  it('is off for commands in a folder that the operator does not trust', async () => {
    await bench.restart({ runs: { safety_mode: 'propose', trust_working_dir: false } });
    expect(await found(await session())).toBe('cut off');
    await bench.restart();
  });
});

it('shows in the launch, and a value that is none is refused', async () => {
  const id = await session({ network: false });
  await bench.run(id, '!say Well.', { wait: 60 });
  const { body } = await bench.daemon.get(`/api/v1/sessions/${id}/launch`);
  expect(body.grant.network).toBe(false);
  expect(body.grant_in_words).toContain('network: not allowed');
  expect((await bench.run(id, 'x', { network: 'some' })).status).toBe(400);
});
