import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { afterEach, expect, it, vi } from 'vitest';
import { type Answer, McpScene } from '../test-support/mcp-scene.js';
import { serverFactory } from './build-server.js';
import { McpService } from './service.js';

const AGENT = '---\nname: helper\ndescription: Helps.\n---\nYou help.\n';
const MINUTE = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

/** Server and client in this process, so that the test owns the time of both. */
async function connect(service: McpService): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = (await serverFactory(service, { honours_trust: true, version: '0.0.0' })({
    era: 'legacy',
  })) as McpServer;
  const client = new Client({ name: 'test', version: '1.0.0' });
  await server.connect(ours);
  await client.connect(theirs);
  return client;
}

it('keeps a client waiting for ten minutes whose patience is one minute and starts again with each word', async () => {
  await using scene = await McpScene.create({ '.amplifier/agents/helper.md': AGENT });
  Object.assign(process.env, scene.env);
  await using service = new McpService({ cwd: scene.folder.path, environment: scene.env });
  const client = await connect(service);
  // Three steps of four minutes: below the watchdog's patience each, well over ten minutes together.
  const look = { name: 'glob', arguments: { pattern: '*' } };
  scene.model.play((_exchange, index) => ({
    sleep_ms: 4 * MINUTE,
    ...(index < 2 ? { tool_calls: [look] } : { text: 'At last.' }),
  }));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  const began = Date.now();
  const call = client.callTool(
    { name: 'delegate', arguments: { cli: 'helper', prompt: 'Take your time.' } },
    { timeout: MINUTE, resetTimeoutOnProgress: true, onprogress: () => {} },
  );
  let ended = false;
  const settled = call.finally(() => {
    ended = true;
  });
  for (let step = 1; step <= 3; step += 1) {
    await scene.model.received(step);
    for (let second = 0; second < 4 * 60 && !ended; second += 5) await vi.advanceTimersByTimeAsync(5000);
  }
  const answer = (await settled) as Answer;
  expect(answer.structuredContent.result).toMatchObject({ ok: true, text: 'At last.' });
  expect(Date.now() - began).toBeGreaterThanOrEqual(10 * MINUTE);
  vi.useRealTimers();
  await client.close();
});

it('is given up by a client that hears nothing because it did not ask to be told', async () => {
  await using scene = await McpScene.create({ '.amplifier/agents/helper.md': AGENT });
  Object.assign(process.env, scene.env);
  await using service = new McpService({ cwd: scene.folder.path, environment: scene.env });
  const client = await connect(service);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  const call = client.callTool(
    { name: 'delegate', arguments: { cli: 'helper', prompt: '!hang' } },
    { timeout: MINUTE },
  );
  const refused = expect(call).rejects.toThrow(/timed out/i);
  const exchange = await scene.model.received(1);
  await vi.advanceTimersByTimeAsync(MINUTE);
  await refused;
  vi.useRealTimers();
  expect(await exchange.ended).toBe('closed');
  await client.close();
});
