import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { FakeModelServer } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox, MAIN } from '../../test-support/run-cli.js';

const FREEZE = new URL('../../test-support/freeze-on-signal.mjs', import.meta.url).href;

/** Resolves when the stream has said this. */
function said(stream: NodeJS.ReadableStream | null, words: string): Promise<void> {
  let text = '';
  return new Promise((resolve, reject) => {
    stream?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      if (text.includes(words)) resolve();
    });
    stream?.once('end', () => reject(new Error(`It ended, having said only: ${text}`)));
  });
}

/** A client that says hello, and is answered. */
async function greet(child: ChildProcess, params: object): Promise<void> {
  const answered = said(child.stdout, '"result"');
  child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await answered;
}

type Begin = (child: ChildProcess, model: FakeModelServer) => Promise<unknown>;
const asked: Begin = (_child, model) => model.received(1);
const PROGRAMS: Record<string, [args: string[], begin: Begin]> = {
  run: [['run', '-m', 'fake-1', '!hang'], asked],
  delegate: [['delegate', 'explorer', '-m', 'fake-1', '!hang'], asked],
  mcp: [
    ['mcp'],
    (child) =>
      greet(child, {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      }),
  ],
  acp: [['acp'], (child) => greet(child, { protocolVersion: 1 })],
};

it.concurrent.each(Object.entries(PROGRAMS))(
  '%s is ended by SIGTERM although nothing in it moves any more',
  async (_name, [args, begin]) => {
    await using model = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const env = { ...box.env, OPENAI_COMPATIBLE_BASE_URL: `${model.url}/v1` };
    const child = spawn(process.execPath, ['--import', FREEZE, MAIN, ...args], { cwd: box.folder.path, env });
    const ended = once(child, 'exit');
    try {
      const frozen = said(child.stderr, 'Frozen.');
      await begin(child, model);
      child.kill('SIGUSR2');
      await frozen;
      child.kill('SIGTERM');
      // Not by its own hand: the thread that watches it does it.
      expect(await ended).toEqual([null, 'SIGKILL']);
    } finally {
      child.kill('SIGKILL');
    }
  },
);
