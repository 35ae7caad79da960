import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { detectSandbox } from '@amplifier/host';
import { FakeModelServer } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const sandbox = await detectSandbox();
let near: Server;
let model: FakeModelServer;
beforeAll(async () => {
  near = createServer((socket) => socket.end('REACHED\n')).listen(0, '127.0.0.1');
  await once(near, 'listening');
  model = await FakeModelServer.start();
});
afterAll(async () => {
  near.close();
  await model[Symbol.asyncDispose]();
});

const env = () => ({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${model.url}/v1` });
const port = () => (near.address() as AddressInfo).port;
const command = () => `exec 3<>/dev/tcp/127.0.0.1/${port()} && cat <&3 || echo CUT-OFF`;
const task = () => `!call bash ${JSON.stringify({ command: command() })}\n!then\n!say Done.`;

/** What a command of the session found, and whether the model was reached. */
async function found(box: CliSandbox, args: readonly string[]): Promise<'reached' | 'cut off'> {
  const done = await box.run([...args, '--json'], { env: env() });
  expect(done.json(), done.stderr).toMatchObject({ response: 'Done.', status: 'success' });
  const told = JSON.stringify(model.exchanges.at(-1)?.body);
  // The command itself is in the conversation, too.
  const result = told.slice(told.lastIndexOf('tool_result'));
  expect(result).toMatch(/REACHED|CUT-OFF/);
  return result.includes('REACHED') ? 'reached' : 'cut off';
}

describe.runIf(sandbox.name !== 'none')('the network of commands', () => {
  it('is off in a folder that is not trusted, and on with --network', async () => {
    await using box = await CliSandbox.create();
    expect(await found(box, ['run', task()])).toBe('cut off');
    expect(await found(box, ['run', task(), '--network'])).toBe('reached');
    await box.trust();
    expect(await found(box, ['run', task()])).toBe('reached');
    expect(await found(box, ['run', task(), '--no-network'])).toBe('cut off');
  });

  it('follows the user’s setting, which a flag overrides and a project can only tighten', async () => {
    await using box = await CliSandbox.create({ '.amplifier/settings.yaml': 'network: true\n' });
    expect(await found(box, ['run', task()])).toBe('cut off');
    await box.folder.write('.amplifier/settings.yaml', 'network: false\n');
    await box.trust();
    expect(await found(box, ['run', task()])).toBe('cut off');
    await box.folder.write('.amplifier/settings.yaml', 'network: true\n');
    const settings = await box.home.read('settings.yaml');
    await box.home.write('settings.yaml', `${settings}network: false\n`);
    expect(await found(box, ['run', task()])).toBe('cut off');
    expect(await found(box, ['run', task(), '--network'])).toBe('reached');
  });

  it('is at most what the agent and the session above it have', async () => {
    await using box = await CliSandbox.create();
    await box.trust();
    const agent = (network: string) =>
      `---\nmeta: { name: a, description: Works. }\nnetwork: ${network}\n---\nYou work.\n`;
    await box.home.write('agents/closed.md', agent('false').replace('name: a', 'name: closed'));
    await box.home.write('agents/open.md', agent('true').replace('name: a', 'name: open'));
    expect(await found(box, ['delegate', 'closed', task()])).toBe('cut off');
    expect(await found(box, ['delegate', 'open', task()])).toBe('reached');
    expect(await found(box, ['delegate', 'open', task(), '--no-network'])).toBe('cut off');
    expect(await found(box, ['run', task(), '--agent', 'closed', '--network'])).toBe('cut off');
  });

  it('stays as it was when a session is resumed, unless the person says otherwise', async () => {
    await using box = await CliSandbox.create();
    await box.trust();
    const first = await box.run(['run', '!say Hello.', '--no-network', '--json'], { env: env() });
    const { session_id } = first.json();
    expect(await found(box, ['session', 'resume', session_id, task()])).toBe('cut off');
    expect(await found(box, ['session', 'resume', session_id, task(), '--network'])).toBe('reached');
  });
});

it('no tool of ours reaches it with --no-network either, and the launch says so', async () => {
  await using box = await CliSandbox.create();
  await box.trust();
  const fetched = `!call web_fetch ${JSON.stringify({ url: 'http://example.com/' })}\n!then\n!say Done.`;
  const done = await box.run(['run', fetched, '--no-network', '--json'], { env: env() });
  expect(done.json(), done.stderr).toMatchObject({ response: 'Done.' });
  expect(JSON.stringify(model.exchanges.at(-1)?.body)).toContain('the session has no network');
  const network = async (...flags: string[]) => {
    const { stdout } = await box.run(['run', 'x', '--dry-run', '--json', ...flags], { env: env() });
    return (JSON.parse(stdout) as { grant: { network: unknown } }).grant.network;
  };
  expect(await network('--no-network')).toBe(false);
  expect(await network()).toBe(true);
  await using unknown = await CliSandbox.create();
  const plan = await unknown.run(['run', 'x', '--dry-run'], { env: env() });
  expect(plan.stdout).toContain('network: tools');
});
