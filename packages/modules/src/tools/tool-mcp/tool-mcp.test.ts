import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@amplifier/core';
import { type MountedSession, mountedSession } from '@amplifier/testkit';
import { FULL_GRANT, READ_ONLY_GRANT } from '@amplifier/workspace';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import module from './index.js';
import { toolName } from './mount-server-tools.js';

const fixture = fileURLToPath(new URL('../../../fixtures/mcp-server.mjs', import.meta.url));
const stdio = (...args: string[]) => ({ command: process.execPath, args: [fixture, ...args] });

const open = (servers: JsonObject, grant: unknown = FULL_GRANT): Promise<MountedSession> =>
  mountedSession({
    toolModules: { 'tool-mcp': module },
    config: { 'tool-mcp': { servers } },
    capabilities: grant ? { 'session.grant': grant } : {},
  });

interface HttpFixture extends AsyncDisposable {
  url: string;
  cancelled: Promise<void>;
  requests: { authorization: string | undefined }[];
}

async function serveHttp(): Promise<HttpFixture> {
  const { buildServer } = (await import(fixture)) as { buildServer(onCancelled: () => void): McpServer };
  const requests: HttpFixture['requests'] = [];
  let onCancelled = () => {};
  const cancelled = new Promise<void>((resolve) => {
    onCancelled = resolve;
  });
  const handler = toNodeHandler(createMcpHandler(() => buildServer(() => onCancelled())));
  const server = createServer((request, response) => {
    requests.push({ authorization: request.headers.authorization });
    void handler(request as Parameters<typeof handler>[0], response);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    cancelled,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function processesWith(mark: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const isDead = /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
      return !isDead && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(mark);
    } catch {
      return false;
    }
  });
}

const tools = ({ session }: MountedSession) => [...session.coordinator.mounts.all('tools').keys()];

describe.each(['stdio', 'http'])('an MCP server over %s', (kind) => {
  async function withServer(
    use: (session: MountedSession, http: HttpFixture | null) => Promise<void>,
    config: JsonObject = {},
  ) {
    await using http = kind === 'http' ? await serveHttp() : null;
    const server = http ? { url: http.url, headers: { authorization: 'Bearer test' } } : stdio();
    await using session = await open({ fix: { ...server, ...config } });
    await use(session, http);
  }

  it('offers its tools, resources and prompts', () =>
    withServer(async (session, http) => {
      expect(tools(session)).toEqual(
        expect.arrayContaining([
          'mcp_fix_add',
          'mcp_fix_fail',
          'mcp_fix_picture',
          'mcp_resources',
          'mcp_prompts',
        ]),
      );
      const add = session.session.coordinator.mounts.all('tools').get('mcp_fix_add');
      expect(add?.description).toBe('Adds two numbers.');
      expect(add?.inputSchema).toMatchObject({ type: 'object', required: ['a', 'b'] });
      expect(await session.call('mcp_fix_add', { a: 2, b: 3 })).toEqual({ success: true, output: '5' });

      const listed = await session.call('mcp_resources', { action: 'list', server: 'fix' });
      expect(listed.output).toMatchObject({
        resources: [{ uri: 'memo://one', description: 'A memo.' }],
        templates: [{ uri_template: 'memo://{name}' }],
      });
      const read = await session.call('mcp_resources', { action: 'read', server: 'fix', uri: 'memo://one' });
      expect(read.output).toBe('remember the milk');
      const templated = await session.call('mcp_resources', {
        action: 'read',
        server: 'fix',
        uri: 'memo://two',
      });
      expect(templated.output).toBe('memo two');

      expect((await session.call('mcp_prompts', { action: 'list', server: 'fix' })).output).toMatchObject({
        prompts: [{ name: 'greet' }],
      });
      const prompt = { action: 'get', server: 'fix', name: 'greet', arguments: { who: 'Ada' } };
      expect((await session.call('mcp_prompts', prompt)).output).toMatchObject({
        messages: [{ role: 'user', text: 'Hello Ada' }],
      });
      if (http)
        expect(http.requests.every(({ authorization }) => authorization === 'Bearer test')).toBe(true);
    }));

  it('answers failures with what the server said', () =>
    withServer(async (session) => {
      const failed = await session.call('mcp_fix_fail', {});
      expect(failed).toMatchObject({
        success: false,
        error: { code: 'SERVER_FAILED', message: 'broken on purpose' },
      });
      const misused = await session.call('mcp_fix_add', { a: 'two' });
      expect(misused).toMatchObject({ success: false, error: { code: 'SERVER_FAILED' } });
      const missing = await session.call('mcp_resources', { action: 'read', server: 'other', uri: 'x' });
      expect(missing.error?.message).toMatch(/called 'other'. There are: fix/);
      const picture = await session.call('mcp_fix_picture', {});
      expect(picture.output).toBe(
        '[image image/png, 4 characters of base64, not shown]\n[resource memo://one: one]',
      );
    }));

  it('ends a call that takes too long, and one that is cancelled', () =>
    withServer(
      async (session, http) => {
        expect(await session.call('mcp_fix_hang', {})).toMatchObject({ error: { code: 'SERVER_FAILED' } });
        const stop = new AbortController();
        const hanging = session.call('mcp_fix_hang', {}, { signal: stop.signal });
        setImmediate(() => stop.abort());
        expect(await hanging).toMatchObject({ error: { code: 'CANCELLED' } });
        if (http) await http.cancelled;
      },
      { timeout_ms: 200 },
    ));

  it('offers only the tools it is asked to', () =>
    withServer(
      async (session) => expect(tools(session)).toEqual(['mcp_fix_add', 'mcp_resources', 'mcp_prompts']),
      {
        tools: ['a*'],
      },
    ));
});

it('follows a server that changes its tools', async () => {
  await using session = await open({ fix: stdio() });
  const { mounts } = session.session.coordinator;
  const grown = new Promise<void>((resolve) => {
    const mount = mounts.mount.bind(mounts);
    mounts.mount = (point, mounted, name) => {
      mount(point, mounted, name);
      if ((mounted as { name?: string }).name === 'mcp_fix_grown') resolve();
    };
  });
  await session.call('mcp_fix_grow', {});
  await grown;
  expect(await session.call('mcp_fix_grown', {})).toEqual({ success: true, output: 'new' });
});

it('starts a server anew that died', async () => {
  await using session = await open({ fix: stdio() });
  expect(await session.call('mcp_fix_die', {})).toMatchObject({ error: { code: 'SERVER_FAILED' } });
  expect(await session.call('mcp_fix_add', { a: 1, b: 1 })).toEqual({ success: true, output: '2' });
});

it('leaves a server out that cannot be reached, says why, and mounts the others', async () => {
  await using session = await open({
    broken: { command: process.execPath, args: ['-e', 'console.error("no licence"); process.exit(1)'] },
    missing: { command: '/no/such/program' },
    fix: stdio(),
  });
  expect(tools(session)).toContain('mcp_fix_add');
  const messages = session.session.coordinator.diagnostics.map(({ message }) => message);
  expect(messages).toHaveLength(2);
  expect(messages.join()).toMatch(/'broken' is left out.*no licence/);
});

it('leaves no process behind, not even one the server detached', async () => {
  const mark = `${88_000 + process.pid}.5`;
  const session = await open({ fix: stdio(mark) });
  expect(processesWith(mark).length).toBeGreaterThan(0);
  await session[Symbol.asyncDispose]();
  expect(processesWith(mark)).toEqual([]);
});

it('lets a session that may only read use only what the operator called harmless', async () => {
  await using strict = await open({ fix: stdio() }, READ_ONLY_GRANT);
  expect(await strict.call('mcp_fix_add', { a: 1, b: 2 })).toMatchObject({
    error: { code: 'NOT_PERMITTED' },
  });
  await using named = await open({ fix: { ...stdio(), read_only_tools: ['add'] } }, null);
  expect(await named.call('mcp_fix_add', { a: 1, b: 2 })).toMatchObject({ success: true });
  await using trusting = await open({ fix: { ...stdio(), trust_annotations: true } }, null);
  expect(await trusting.call('mcp_fix_add', { a: 1, b: 2 })).toMatchObject({ success: true });
  expect(await trusting.call('mcp_fix_fail', {})).toMatchObject({ error: { code: 'NOT_PERMITTED' } });
});

it('needs the network in the grant for a server over HTTP', async () => {
  await using http = await serveHttp();
  await using session = await open({ fix: { url: http.url } }, { ...FULL_GRANT, network: false });
  expect(await session.call('mcp_fix_add', { a: 1, b: 2 })).toMatchObject({
    error: { code: 'NOT_PERMITTED' },
  });
});

it('gives a server no secret of the environment but those it is configured with', async () => {
  process.env.TEST_MCP_API_KEY = 'hush';
  try {
    await using session = await open({ fix: { ...stdio(), env: { GIVEN_TOKEN: 'given' } } });
    const { output } = await session.call('mcp_fix_env', {});
    expect(output).toContain('given');
    expect(output).not.toContain('hush');
  } finally {
    delete process.env.TEST_MCP_API_KEY;
  }
});

it('keeps tool names within what models take, and apart', () => {
  expect(toolName('git', 'status')).toBe('mcp_git_status');
  const long = toolName('server', 'x'.repeat(100));
  expect(long).toHaveLength(64);
  expect(toolName('server', `${'x'.repeat(100)}y`)).not.toBe(long);
  expect(toolName('a', 'b.c')).not.toBe(toolName('a', 'b/c'));
});
