import { request } from 'node:http';
import { systemClock } from '@amplifier/core';
import { chaosAgentCommand, TempWorkspace } from '@amplifier/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon } from '../../torture/test-daemon.js';
import { ScopedTokens } from './scoped-tokens.js';

const INIT = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

let home: TempWorkspace;
let test: TestDaemon;
let environment: Record<string, string>;

beforeAll(async () => {
  const chaos = { command: chaosAgentCommand(), visible: [process.cwd()] };
  const settings = JSON.stringify({ delegation: { agents: { chaos } } });
  home = await TempWorkspace.create({ 'settings.yaml': settings });
  test = await TestDaemon.start({}, { 'work/a.txt': 'one\n' });
  environment = {
    AMPLIFIERD_HOME: test.home,
    AMPLIFIER_HOME: home.path,
    PATH: process.env.PATH ?? '',
    HOME: home.resolve('user'),
  };
  await test.restart({ environment });
});
afterAll(async () => {
  await test[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

async function connect(mode: 'legacy' | 'auto', token = test.daemon.token): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${test.daemon.url}/mcp`), {
    requestInit: { headers },
  });
  await client.connect(transport);
  return client;
}

/** Fetch sets the host by itself, so that a foreign one has to be sent by hand. */
function post(headers: Record<string, string>, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${test.daemon.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${test.daemon.token}`,
        ...headers,
      },
    });
    sent.on('response', (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('the MCP server in the daemon', () => {
  it.each(['legacy', 'auto'] as const)(
    'serves tools to a client with the token, %s protocol',
    async (mode) => {
      const client = await connect(mode);
      const { tools } = await client.listTools();
      expect(tools).toHaveLength(11);
      const working_dir = test.workspace.resolve('work');
      const input = { cli: 'acp:chaos', prompt: '!say From afar.', working_dir };
      const { structuredContent } = await client.callTool({ name: 'delegate', arguments: input });
      expect(structuredContent).toMatchObject({ result: { ok: true, text: 'From afar.' } });
      await client.close();
    },
  );

  it('keeps the rules of the daemon: token, host name, origin, size', async () => {
    const body = JSON.stringify(INIT);
    expect(await post({}, body)).toBe(200);
    expect(await post({ authorization: 'Bearer wrong' }, body)).toBe(401);
    expect(await post({ host: 'evil.example' }, body)).toBe(403);
    expect(await post({ origin: 'https://evil.example' }, body)).toBe(403);
    expect(await post({}, JSON.stringify({ ...INIT, padding: 'x'.repeat(20_000_000) }))).toBe(413);
    await expect(connect('auto', 'wrong')).rejects.toThrow();
  });

  it('takes no delegation from a token that may only look', async () => {
    const tokens = new ScopedTokens(test.home);
    const looks = await tokens.create({ scope: 'read', name: 'looks' }, systemClock);
    const works = await tokens.create({ scope: 'run', name: 'works' }, systemClock);
    const body = JSON.stringify(INIT);
    expect(await post({ authorization: `Bearer ${looks.token}` }, body)).toBe(403);
    expect(await post({ authorization: `Bearer ${works.token}` }, body)).toBe(200);
  });

  it('honours trust_workspace only when the operator says so', async () => {
    const working_dir = test.workspace.resolve('work');
    const input = { cli: 'acp:chaos', prompt: '!write b.txt new', safety_mode: 'write', working_dir };
    const call = { name: 'delegate', arguments: { ...input, trust_workspace: true } };
    const strict = await connect('auto');
    const refused = await strict.callTool(call);
    expect(refused._meta?.['amplifier/error']).toMatchObject({ code: 'WORKSPACE_NOT_TRUSTED' });
    expect(refused.structuredContent).toBeUndefined();
    expect(JSON.stringify(refused.content)).toContain('operator');
    await strict.close();
    await test.restart({ environment, flags: { mcp_trust_workspace: true } });
    const allowed = await connect('auto');
    const done = await allowed.callTool(call);
    expect(done.structuredContent).toMatchObject({ result: { ok: true, changes_applied: true } });
    expect(await test.workspace.read('work/b.txt')).toBe('new\n');
    await allowed.close();
  });

  it('cuts off what runs when the daemon stops, and a later one finishes it', async () => {
    const working_dir = test.workspace.resolve('work');
    const client = await connect('auto');
    const input = { cli: 'acp:chaos', prompt: '!wait', working_dir, mode: 'async', persist: true };
    const begun = await client.callTool({ name: 'delegate', arguments: input });
    const { job_id } = (begun.structuredContent as { result: { job_id: string } }).result;
    await client.close();
    await test.restart({ environment });
    const later = await connect('auto');
    const status = await later.callTool({ name: 'job_status', arguments: { job_id } });
    expect(status.structuredContent).toMatchObject({ status: 'interrupted' });
    const next = { job_id, prompt: '!say Finished.' };
    const finished = await later.callTool({ name: 'continue_job', arguments: next });
    expect(finished.structuredContent).toMatchObject({ result: { ok: true, run_id: job_id } });
    await later.close();
  });
});
