import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { FakeModelServer } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox, MAIN } from '../../../test-support/run-cli.js';

const FREEZE = new URL('../../../test-support/freeze-on-signal.mjs', import.meta.url).href;

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

/** More requests than fit into a pipe, whose answers do not fit either. */
const FLOOD: Record<string, object> = {
  mcp: { method: 'tools/list', params: { _meta: { padding: 'x'.repeat(5_000) } } },
  acp: { method: 'x'.repeat(10_000), params: {} },
};

it.concurrent.each(Object.entries(FLOOD))(
  '%s ends by itself on SIGTERM although its client does not read',
  async (name, request) => {
    await using box = await CliSandbox.create();
    const [args, begin] = PROGRAMS[name] as [string[], Begin];
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: box.folder.path, env: box.env });
    const ended = once(child, 'exit');
    child.stdin.on('error', () => {});
    try {
      await begin(child, null as never);
      child.stdout.removeAllListeners('data').pause();
      for (let id = 2; id < 150; id++) {
        const line = `${JSON.stringify({ jsonrpc: '2.0', id, ...request })}\n`;
        // A program that cannot write may stop to read as well.
        if (!child.stdin.write(line)) await Promise.race([once(child.stdin, 'drain'), stuck(child)]);
      }
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  },
);

/** Resolves when the program has not read its input for as long as it takes to look at it twenty times. */
async function stuck({ stdin }: ChildProcess): Promise<void> {
  for (let length = stdin?.writableLength, same = 0; same < 20; same++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (stdin?.writableLength !== length) same = 0;
    length = stdin?.writableLength;
  }
}

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
