import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ERAS, type Era, errorOf, McpScene } from '../test-support/mcp-scene.js';
import { type HttpHandler, httpHandler } from './http-handler.js';
import { McpService } from './service.js';

const AGENT = '---\nname: helper\ndescription: Helps.\n---\nYou help.\n';
const TOKEN = 'a-token-of-the-test';

let scene: McpScene;
let service: McpService;
let handler: HttpHandler;
let server: Server;
let url: URL;

beforeAll(async () => {
  scene = await McpScene.create({ '.amplifier/agents/helper.md': AGENT });
  // Providers look for their keys in the variables of the process itself.
  Object.assign(process.env, scene.env);
  service = new McpService({ cwd: scene.folder.path, environment: scene.env });
  handler = httpHandler(service, { version: '0.0.0', token: TOKEN });
  const serve = toNodeHandler(handler);
  server = createServer((request, response) => void serve(request as Parameters<typeof serve>[0], response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
});

afterAll(async () => {
  await handler.close();
  await service.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await scene[Symbol.asyncDispose]();
});

async function connect(era: Era, onAsk?: (message: string) => unknown): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      ...(onAsk ? { capabilities: { elicitation: {} } } : {}),
      ...(era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {}),
    },
  );
  if (onAsk)
    client.setRequestHandler(
      'elicitation/create',
      async ({ params }) => onAsk(String(params.message)) as never,
    );
  const headers = { authorization: `Bearer ${TOKEN}` };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

describe.each(ERAS)('over HTTP on loopback, %s protocol', (era) => {
  it('delegates, tells progress and lists the job of another connection', async () => {
    const client = await connect(era);
    const told: number[] = [];
    const answer = (await client.callTool(
      { name: 'delegate', arguments: { cli: 'helper', prompt: '!say Over HTTP.', persist: true } },
      { onprogress: ({ progress }) => told.push(progress) },
    )) as Answer;
    expect(answer.structuredContent.result).toMatchObject({ ok: true, text: 'Over HTTP.' });
    expect(told.length).toBeGreaterThan(0);
    const other = await connect(era);
    const { run_id } = answer.structuredContent.result;
    const status = (await other.callTool({ name: 'job_status', arguments: { job_id: run_id } })) as Answer;
    expect(status.structuredContent).toMatchObject({ job_id: run_id, status: 'succeeded' });
    await client.close();
    await other.close();
  });

  it('stops the agent when the client gives the call up', async () => {
    const client = await connect(era);
    const before = scene.model.exchanges.length;
    const stop = new AbortController();
    const call = client.callTool(
      { name: 'delegate', arguments: { cli: 'helper', prompt: '!hang' } },
      { signal: stop.signal },
    );
    const exchange = await scene.model.received(before + 1);
    stop.abort();
    await expect(call).rejects.toThrow();
    expect(await exchange.ended).toBe('closed');
    await client.close();
  });

  it('does not let a caller declare its folder trusted', async () => {
    const client = await connect(era);
    const input = { cli: 'helper', prompt: 'x', safety_mode: 'write', trust_workspace: true };
    const answer = (await client.callTool({ name: 'delegate', arguments: input })) as Answer;
    expect(errorOf(answer)).toMatchObject({
      code: 'WORKSPACE_NOT_TRUSTED',
      message: expect.stringContaining('operator'),
    });
    await client.close();
  });
});

it.each(ERAS)('asks the user over HTTP and takes a declined question for a no, %s protocol', async (era) => {
  const asked: string[] = [];
  const client = await connect(era, (message) => {
    asked.push(message);
    return { action: 'decline' };
  });
  await scene.home.write('settings.yaml', `delegation: { trusted_workspaces: [${scene.folder.path}] }\n`);
  const prompt = '!call write_file {"file_path": "no.txt", "content": "x"}\n!then\n!say As you wish.';
  const input = { cli: 'helper', prompt, safety_mode: 'write' };
  const answer = (await client.callTool({ name: 'delegate', arguments: input })) as Answer;
  expect(answer.structuredContent.result).toMatchObject({ ok: true, text: 'As you wish.' });
  expect(asked).toEqual([expect.stringContaining('no.txt')]);
  await expect(scene.folder.read('no.txt')).rejects.toThrow('ENOENT');
  await client.close();
});

it('asks a client whose session it forgot to begin again', async () => {
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'mcp-session-id': 'unknown',
    'content-type': 'application/json',
  };
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  expect(response.status).toBe(404);
});

describe('the entry point over HTTP is shut', () => {
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const status = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(
        url,
        {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...headers,
          },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      request.on('error', reject);
      request.end(JSON.stringify(hello));
    });
  const authorization = `Bearer ${TOKEN}`;

  it.each([
    ['without a token', {}, 401],
    ['with another token', { authorization: 'Bearer other' }, 401],
    ['to a name that is not its own', { authorization, host: 'evil.example' }, 403],
    ['to a page from elsewhere', { authorization, origin: 'https://evil.example' }, 403],
    ['and open with the token', { authorization }, 200],
    ['and open to a page of this machine', { authorization, origin: 'http://localhost:3000' }, 200],
  ])('%s', async (_, headers, expected) => {
    expect(await status(headers as Record<string, string>)).toBe(expected);
  });
});
