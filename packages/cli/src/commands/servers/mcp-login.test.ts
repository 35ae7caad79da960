import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeModelServer } from '@amplifier/testkit';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

/** An MCP server that wants a token, with the pages that give one to whoever asks. */
async function guardedServer() {
  const issued = new Set<string>();
  const asked: string[] = [];
  const mcp = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: 'guarded', version: '1.0.0' });
      server.registerTool('secret', { description: 'Tells a secret.' }, () => ({
        content: [{ type: 'text' as const, text: 'forty-two' }],
      }));
      return server;
    }),
  );
  const server = createServer(async (request, response) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    const json = (status: number, body: object, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    if (pathname === '/mcp') {
      const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
      if (issued.has(token)) return mcp(request as Parameters<typeof mcp>[0], response);
      const resource = `${origin}/.well-known/oauth-protected-resource/mcp`;
      return json(401, {}, { 'www-authenticate': `Bearer resource_metadata="${resource}"` });
    }
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return json(200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (pathname.startsWith('/.well-known/'))
      return json(200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      });
    const text = Buffer.concat(await request.toArray()).toString();
    if (pathname === '/register') return json(201, { ...JSON.parse(text), client_id: 'amplifier-here' });
    if (pathname === '/authorize') {
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', 'a-code');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      return response.writeHead(302, { location: back.href }).end();
    }
    asked.push(text);
    const access_token = `token-${issued.size}`;
    issued.add(access_token);
    return json(200, { access_token, token_type: 'Bearer', refresh_token: 'again' });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    asked,
    revoke: () => issued.clear(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** One run of a session that the user's daemon makes in the same folder. */
async function overRest(box: CliSandbox, env: Record<string, string>, instruction: string): Promise<unknown> {
  let daemon: ChildProcess | undefined;
  const ended = box.run(['serve', '--port', '0', '--log-level', 'silent'], {
    env,
    onStart: (child) => {
      daemon = child;
    },
  });
  try {
    const [token = '', url = ''] = await new Promise<string[]>((resolve, reject) => {
      let text = '';
      daemon?.on('exit', () => reject(new Error(`It ended and said only: ${text}`)));
      daemon?.stdout?.on('data', (part: string) => {
        text += part;
        const found = /again\): (\S+)\n[^\n]*listens on (\S+),/.exec(text);
        if (found) resolve(found.slice(1));
      });
    });
    const post = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const reply = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await reply.json()) as { session_id?: string };
    };
    const made = await post('/api/v1/sessions', { working_dir: box.folder.path });
    return await post(`/api/v1/sessions/${made.session_id}/runs`, {
      instruction,
      approvals: { timeout_seconds: 1, on_timeout: 'allow' },
      wait: 60,
    });
  } finally {
    daemon?.kill('SIGTERM');
    await ended;
  }
}

it('signs in to an MCP server in the browser, once, renews what it was given, and uses it over REST', async () => {
  await using guarded = await guardedServer();
  await using model = await FakeModelServer.start();
  await using box = await CliSandbox.create();
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${model.url}/v1` };
  await box.run(['mcp-server', 'add', 'guarded', '--url', guarded.url, '--user']);
  const before = await box.run(['mcp-server', 'test', 'guarded'], { env });
  expect(before.stdout + before.stderr).toContain('amplifier mcp-server login guarded');

  let opened: Promise<string> | undefined;
  const login = await box.run(['mcp-server', 'login', 'guarded'], {
    env,
    onStart: (process) => {
      let said = '';
      process.stderr?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const [address] = /http:\S+\/authorize\S+(?=\s)/.exec(said) ?? [];
        if (address) opened ??= fetch(address).then((page) => page.text());
      });
    },
  });
  expect(login.code, login.stderr).toBe(0);
  expect(login.stderr).toContain('It offers 1 tool.');
  expect(await opened).toContain('You are signed in');
  expect(guarded.asked[0]).toContain('code_verifier=');

  const call = async () => {
    const done = await box.run(['run', '!call mcp_guarded_secret {}\n!then\n!say Done.'], { env });
    expect(done.code, done.stderr).toBe(0);
    return JSON.stringify(model.exchanges.at(-1)?.body);
  };
  expect(await call()).toContain('forty-two');
  guarded.revoke();
  expect(await call()).toContain('forty-two');
  expect(guarded.asked[1]).toContain('grant_type=refresh_token');

  const asked = model.exchanges.length;
  const answer = await overRest(box, env, '!call mcp_guarded_secret {}\n!then\n!say Done.');
  expect(answer, JSON.stringify(answer)).toMatchObject({ status: 'completed' });
  expect(model.exchanges.length).toBeGreaterThan(asked);
  expect(JSON.stringify(model.exchanges.at(-1)?.body)).toContain('forty-two');
  expect(JSON.stringify(model.exchanges.map(({ body }) => body))).not.toContain('token-');
});

it('asks servers that are down side by side, once for a whole tree, names each once, and ends with those that never answer', async () => {
  await using model = await FakeModelServer.start();
  await using box = await CliSandbox.create();
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  let answers = true;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (!answers) return;
    // None gets its answer before all have asked: whoever asks one after the other waits here forever.
    waiting.push(() => response.writeHead(503).end());
    if (new Set(asked).size === names.length) for (const answer of waiting.splice(0)) answer();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const write = (start_wait_ms: number) => {
    const entries = names.map((name) => [name, { url: `http://127.0.0.1:${port}/${name}`, start_wait_ms }]);
    return box.home.write('settings.yaml', JSON.stringify({ mcp_servers: Object.fromEntries(entries) }));
  };
  const child = '{"agent":"self","context_depth":"none","instruction":"!say Found."}';
  const run = () =>
    box.run(
      [
        'run',
        '--provider',
        'openai-compatible',
        '--model',
        'fake-1',
        `!call delegate ${child}\n!then\n!say Done.`,
      ],
      { env: { OPENAI_COMPATIBLE_BASE_URL: `${model.url}/v1` } },
    );
  const told = (stderr: string) =>
    [...stderr.matchAll(/^warning: The MCP server '(\w)' is left out/gm)].map(([, name]) => name).sort();
  await write(600_000);
  const refused = await run();
  expect(refused, refused.stderr).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(told(refused.stderr)).toEqual(names);
  expect(JSON.stringify(model.exchanges)).toContain('Found.');
  expect([...asked].sort(), 'the child asks no server again').toEqual(names.map((name) => `/${name}`));
  answers = false;
  asked.length = 0;
  await write(1);
  const silent = await run();
  expect(silent, silent.stderr).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(told(silent.stderr)).toEqual(names);
  expect(silent.stderr).toContain('it has not answered yet');
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});
