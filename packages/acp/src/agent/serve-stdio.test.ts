import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { client, ndJsonStream } from '@agentclientprotocol/sdk';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';

const AGENT_PROGRAM = fileURLToPath(new URL('../../test-support/agent-process.mjs', import.meta.url));

it('serves an editor over pipes, says nothing but protocol, and ends when the editor goes', async () => {
  await using workspace = await TempWorkspace.create();
  const child = spawn(process.execPath, [AGENT_PROGRAM, workspace.resolve('sessions')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n').filter(Boolean)));
  const words: string[] = [];
  const { agent } = client({ name: 'editor' })
    .onNotification('session/update', ({ params: { update } }) => {
      if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
        words.push(update.content.text);
    })
    .connect(
      ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ),
    );
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await agent.request('session/new', { cwd: workspace.path, mcpServers: [] });
  const prompt = [
    { type: 'text' as const, text: 'Hello.' },
    { type: 'resource_link' as const, name: 'notes', uri: 'file:///notes.md' },
  ];
  expect(await agent.request('session/prompt', { sessionId, prompt })).toEqual({ stopReason: 'end_turn' });
  expect(words.join('')).toBe('You said: Hello.\n\n[notes](file:///notes.md)');
  const ended = once(child, 'exit');
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
});
