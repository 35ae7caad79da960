import { execFile } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chaosAgentCommand, FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Connection, McpScene } from '../test-support/mcp-scene.js';

const execute = promisify(execFile);
const ADAPTER = '@agentclientprotocol/claude-agent-acp';
const REPOSITORY = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** Programs as they lie about on somebody's machine: two coding agents without their adapters. */
const PROGRAMS = { 'bin/claude': '#!/bin/sh\nexit 1\n', 'bin/pi': '#!/bin/sh\nexit 1\n' };

let scene: McpScene;
let machine: TempWorkspace;
let server: Connection;
let studio: FakeModelServer;
let vllm: FakeModelServer;
const others: Server[] = [];

beforeAll(async () => {
  scene = await McpScene.create(
    // A setting of the folder that npm would obey: nothing is installed where it says.
    { 'a.txt': 'one\n', 'package.json': '{}', '.npmrc': 'dry-run=true\n' },
    {
      'settings.yaml': JSON.stringify({ delegation: { agents: { claude_code: { visible: [REPOSITORY] } } } }),
    },
  );
  // Beside the folder: what is in it does not count as installed.
  machine = await TempWorkspace.create(PROGRAMS);
  await execute('chmod', ['755', ...Object.keys(PROGRAMS).map((name) => machine.resolve(name))]);
  // Nothing but what is put here, so that no agent of this machine is found.
  const npm = await execute('sh', ['-c', 'command -v npm']);
  await symlink(process.execPath, machine.resolve('bin/node'));
  await symlink(npm.stdout.trim(), machine.resolve('bin/npm'));
  studio = await FakeModelServer.start();
  vllm = await FakeModelServer.start();
  const page = await listen((_request, response) => response.end('<html>Not models.</html>'));
  const flood = await listen((_request, response) => {
    response.on('error', () => {});
    const more = () => {
      if (!response.destroyed && response.write('['.repeat(64 * 1024))) setImmediate(more);
    };
    response.on('drain', more);
    more();
  });
  let asked = 0;
  const silent = await listen((_request, response) => {
    if (asked++ > 0) response.writeHead(404).end();
  });
  const registry = await listen(await packages());
  server = await scene.connect({
    program: true,
    env: {
      HOME: scene.home.path,
      OLLAMA_HOST: new URL(page).host,
      AMPLIFIER_LOCAL_SERVERS: `lm-studio=${studio.url}/v1, vllm=${vllm.url}/v1/, web=${page}, flood=${flood}, silent=${silent}`,
      PATH: machine.resolve('bin'),
      npm_config_registry: `${registry}/`,
      npm_config_prefix: machine.path,
      npm_config_cache: scene.home.resolve('npm'),
      npm_config_fetch_retries: '0',
    },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
  await machine[Symbol.asyncDispose]();
  await studio[Symbol.asyncDispose]();
  await vllm[Symbol.asyncDispose]();
  for (const each of others) {
    each.closeAllConnections();
    each.close();
  }
});

async function listen(answer: RequestListener): Promise<string> {
  const http = createServer(answer);
  others.push(http);
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** A registry of packages that has the adapter of Claude Code, which is the chaos agent here, and no other. */
async function packages(): Promise<RequestListener> {
  await using folder = await TempWorkspace.create({
    'package/package.json': JSON.stringify({
      name: ADAPTER,
      version: '1.2.3',
      bin: { 'claude-agent-acp': 'start.mjs' },
    }),
    'package/start.mjs': `#!/usr/bin/env node\nawait import(${JSON.stringify(chaosAgentCommand()[1])});\n`,
  });
  const file = folder.resolve('adapter.tgz');
  await execute('tar', ['-czf', file, '-C', folder.path, 'package']);
  const tarball = await readFile(file);
  return ({ url = '', headers }, response) => {
    if (url.endsWith('.tgz')) return response.end(tarball);
    if (decodeURIComponent(url) !== `/${ADAPTER}`) return response.writeHead(404).end('{}');
    const dist = { tarball: `http://${headers.host}/adapter.tgz` };
    const manifest = { name: ADAPTER, version: '1.2.3', bin: { 'claude-agent-acp': 'start.mjs' }, dist };
    response.setHeader('content-type', 'application/json');
    const versions = { '1.2.3': manifest };
    return response.end(JSON.stringify({ name: ADAPTER, 'dist-tags': { latest: '1.2.3' }, versions }));
  };
}

const call = async (name: string, input: object = {}) => {
  const answer = await server.call(name, { ...input });
  expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy();
  return answer.structuredContent;
};

it('finds model servers where it is told to look, and nothing in pages, floods and silence', async () => {
  const { local_models } = await call('discover', { probe: false, registry: false });
  expect(local_models).toEqual([
    {
      label: `LM Studio at ${studio.url}/v1, fake-large`,
      module: 'provider-openai-compatible',
      base_url: `${studio.url}/v1`,
      models: ['fake-large', 'fake-small'],
    },
    expect.objectContaining({ label: `vLLM at ${vllm.url}/v1, fake-large` }),
  ]);
});

it('sets up several servers beside one another, each of which then answers by its name', async () => {
  const { proposed } = await call('setup', { write: true });
  expect(proposed.filter((label: string) => label.includes('fake-large'))).toHaveLength(2);
  expect((await call('setup')).proposed).toEqual([]);
  for (const [name, model] of Object.entries({ 'lm-studio': studio, vllm })) {
    model.exchanges.length = 0;
    const { result } = await call('delegate', {
      cli: 'explorer',
      prompt: `!say I am ${name}.`,
      model: `${name}/fake-small`,
    });
    expect(result).toMatchObject({ ok: true, text: `I am ${name}.` });
    expect(model.exchanges).toHaveLength(1);
  }
});

it('installs the adapters that are missing when told to, and the agent then works', async () => {
  const { adapters, agents } = await call('setup');
  expect(adapters.installable).toEqual([
    { agent: 'claude_code', package: ADAPTER, command: `npm install -g ${ADAPTER}` },
    { agent: 'pi', package: 'pi-acp', command: 'npm install -g pi-acp' },
  ]);
  expect(adapters.installed).toEqual([]);
  expect(agents).not.toContain('acp:claude_code');

  const done = await call('setup', { install_adapters: true });
  expect(done.adapters.installed).toEqual([
    { agent: 'claude_code', ok: true, detail: 'installed' },
    { agent: 'pi', ok: false, detail: expect.stringContaining('404') },
  ]);
  expect(done.agents).toContain('acp:claude_code');
  const { result } = await call('delegate', { cli: 'acp:claude_code', prompt: '!say Here I am.' });
  expect(result).toMatchObject({ ok: true, text: 'Here I am.' });
  expect((await call('setup')).adapters.installable.map(({ agent }: { agent: string }) => agent)).toEqual([
    'pi',
  ]);
});

it('says what is wrong with the list of places', async () => {
  await using other = await scene.connect({ env: { AMPLIFIER_LOCAL_SERVERS: 'localhost:1234' } });
  const answer = await other.call('discover', { probe: false, registry: false });
  expect(answer.isError).toBe(true);
  expect(answer.content[0]?.text).toContain('lm-studio=http://127.0.0.1:1234/v1');
});
