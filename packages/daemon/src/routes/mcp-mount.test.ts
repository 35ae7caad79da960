import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@amplifier/core';
import { Host, openProject } from '@amplifier/host';
import { chaosAgentCommand, TempWorkspace } from '@amplifier/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon } from '../../test-support/test-daemon.js';
import { ScopedTokens } from '../auth/scoped-tokens.js';

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
  test = await TestDaemon.start({}, { 'work/a.txt': 'one\n', 'home/mcp/settings.yaml': settings });
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
      expect(tools).toHaveLength(21);
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
    expect(await post({}, JSON.stringify({ ...INIT, padding: Array(60_000).fill(0) }))).toBe(413);
    expect(await post({}, `{"jsonrpc":"2.0","padding":${'['.repeat(80)}${']'.repeat(80)}}`)).toBe(413);
    expect(await post({}, JSON.stringify(Array.from({ length: 60 }, (_, id) => ({ ...INIT, id }))))).toBe(
      413,
    );
    expect(await post({}, '{')).toBe(400);
    await expect(connect('auto', 'wrong')).rejects.toThrow();
  });

  it('takes no delegation from a token that may only look', async () => {
    const tokens = new ScopedTokens(test.record);
    const looks = await tokens.create({ scope: 'read', name: 'looks' }, systemClock);
    const works = await tokens.create({ scope: 'run', name: 'works' }, systemClock);
    const body = JSON.stringify(INIT);
    expect(await post({ authorization: `Bearer ${looks.token}` }, body)).toBe(403);
    expect(await post({ authorization: `Bearer ${works.token}` }, body)).toBe(200);
  });

  it('works only below the folders that the operator named, and never in a home of ours', async () => {
    const { token } = await new ScopedTokens(test.record).create({ scope: 'run', name: 'mcp' }, systemClock);
    await using workspace = await TempWorkspace.create();
    await symlink('/etc', test.workspace.resolve('work/way-out'));
    for (const scoped of [token, test.daemon.token]) {
      const client = await connect('auto', scoped);
      for (const working_dir of [
        '/',
        '/etc',
        '/no-such-folder',
        '..',
        'way-out',
        workspace.path,
        test.home,
        `${test.home}/state`,
        home.path,
      ]) {
        const input = { cli: 'acp:chaos', prompt: '!write own.txt x', working_dir };
        const refused = await client.callTool({ name: 'delegate', arguments: input });
        expect([working_dir, refused.isError]).toEqual([working_dir, true]);
        expect([working_dir, refused._meta?.['amplifier/error']]).toMatchObject([
          working_dir,
          { message: expect.stringContaining('is not in a folder that sessions may work in') },
        ]);
      }
      await client.close();
    }
  });

  describe('of a deployment', () => {
    const callAs = async (token: string, name: string, input: Record<string, unknown>) => {
      const client = await connect('auto', token);
      const answer = await client.callTool({ name, arguments: input });
      await client.close();
      return answer as { structuredContent?: Record<string, unknown>; _meta?: Record<string, unknown> };
    };

    it('does not find a session that the daemon’s user started in the terminal', async () => {
      const cwd = test.workspace.resolve('work');
      const project = await openProject({ cwd, environment });
      const host = await Host.open(project, { offline: true });
      const { launch } = await host.run({
        instruction: 'Note this.',
        safety_mode: 'read_only',
        trusted: true,
      });
      await host.close();
      const { token } = await new ScopedTokens(test.record).create({ scope: 'run' }, systemClock);
      for (const each of [token, test.daemon.token]) {
        const input = { cli: 'amplifier', prompt: 'Repeat it.', session_id: launch.session_id };
        const { _meta } = await callAs(each, 'delegate', input);
        expect(_meta).toMatchObject({ 'amplifier/error': { code: 'RESUME_FAILED' } });
      }
      const listed = await callAs(test.daemon.token, 'list_sessions', { limit: 1000 });
      expect(JSON.stringify(listed.structuredContent)).not.toContain(launch.session_id);
    });

    it('lets a token continue only what it started here, also where the session was made over REST', async () => {
      const session_id = await test.session({ working_dir: test.workspace.resolve('work') });
      await test.post(`/api/v1/sessions/${session_id}/runs`, { instruction: 'Go.', wait: 60 });
      const { token } = await new ScopedTokens(test.record).create({ scope: 'run' }, systemClock);
      const { _meta } = await callAs(token, 'delegate', { cli: 'amplifier', prompt: 'Go on.', session_id });
      expect(_meta).toMatchObject({ 'amplifier/error': { code: 'RESUME_FAILED' } });
    });

    it('starts no agent to check it for other tokens than its own', async () => {
      const { token } = await new ScopedTokens(test.record).create({ scope: 'admin' }, systemClock);
      const agentIn = ({ structuredContent }: Awaited<ReturnType<typeof callAs>>) =>
        (structuredContent?.agents as { agent_id: string }[] | undefined)?.find(
          ({ agent_id }) => agent_id === 'acp:chaos',
        );
      for (const input of [{}, { agent: 'acp:chaos' }, { agent: 'acp:chaos', connect_only: true }])
        expect(agentIn(await callAs(token, 'doctor', input))).toMatchObject({
          ...{ status: 'reachable', connected: false, answered: false, version: null },
          detail: expect.stringContaining('not started'),
        });
      const checksIn = ({ structuredContent }: Awaited<ReturnType<typeof callAs>>) =>
        (structuredContent?.checks as { name: string }[] | undefined)?.map(({ name }) => name);
      const own = await callAs(test.daemon.token, 'doctor', { connect_only: true });
      expect(checksIn(own)).toEqual(expect.arrayContaining(['store', 'modules', 'sandbox']));
      const others = checksIn(await callAs(token, 'doctor', {}));
      expect(others).toContain('sandbox');
      expect(others).not.toContain('store');
      expect(others).not.toContain('modules');
      expect(agentIn(own)).toMatchObject({ status: 'reachable', connected: true, version: '1.0.0' });
    });

    it('probes this machine for its own token only', async () => {
      let asked = 0;
      const server = createServer((_, response) => {
        asked += 1;
        response.setHeader('content-type', 'application/json').end('{"data":[{"id":"own-model"}]}');
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const local = `near=http://127.0.0.1:${port}/v1`;
      await test.restart({ environment: { ...environment, AMPLIFIER_LOCAL_SERVERS: local } });
      try {
        const { token } = await new ScopedTokens(test.record).create({ scope: 'admin' }, systemClock);
        for (const name of ['discover', 'setup']) {
          const { structuredContent } = await callAs(token, name, name === 'discover' ? { probe: true } : {});
          expect([name, structuredContent?.local_models, asked]).toEqual([name, [], 0]);
        }
        const own = await callAs(test.daemon.token, 'discover', { probe: false, registry: false });
        expect(own.structuredContent?.local_models).toMatchObject([{ models: ['own-model'] }]);
        expect(asked).toBeGreaterThan(0);
      } finally {
        server.close();
        await test.restart({ environment });
      }
    });
  });

  describe('lets what a token began belong to it', () => {
    const tokens = () => new ScopedTokens(test.record);
    const make = () => tokens().create({ scope: 'run', name: 'one of two' }, systemClock);
    const begin = async (token: string) => {
      const response = await send(token, INIT);
      await response.text();
      return response.headers.get('mcp-session-id') ?? '';
    };
    const send = (token: string, message: object | null, headers: Record<string, string> = {}) =>
      fetch(`${test.daemon.url}/mcp`, {
        method: message ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        ...(message ? { body: JSON.stringify(message) } : {}),
      });
    const listing = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

    it('sessions, for whoever knows their id', async () => {
      const [mine, other] = [await make(), await make()];
      const id = await begin(mine.token);
      expect((await send(other.token, listing, { 'mcp-session-id': id })).status).toBe(404);
      expect((await send(test.daemon.token, listing, { 'mcp-session-id': id })).status).toBe(404);
      expect((await send(mine.token, listing, { 'mcp-session-id': id })).status).toBe(200);
    });

    it.each(['legacy', 'auto'] as const)('jobs, and all to the operator, %s protocol', async (mode) => {
      const [mine, other] = [await make(), await make()];
      const at = async (token: string, name: string, input: Record<string, unknown> = {}) => {
        const client = await connect(mode, token);
        const answer = await client.callTool({ name, arguments: input });
        await client.close();
        return answer as { structuredContent?: Record<string, unknown>; _meta?: Record<string, unknown> };
      };
      const working_dir = test.workspace.resolve('work');
      const order = { cli: 'acp:chaos', prompt: '!say Mine.', working_dir, persist: true };
      const { structuredContent } = await at(mine.token, 'delegate', { ...order, mode: 'async' });
      const { job_id, session_id } = (structuredContent as { result: Record<string, string> }).result;
      for (const tool of ['job_status', 'job_result', 'wait_job', 'cancel_job'])
        expect((await at(other.token, tool, { job_id }))._meta).toMatchObject({
          'amplifier/error': { code: 'JOB_NOT_FOUND' },
        });
      const resumed = await at(other.token, 'delegate', {
        cli: 'acp:chaos',
        prompt: '!about',
        session_id,
      });
      expect(resumed._meta).toMatchObject({ 'amplifier/error': { code: 'RESUME_FAILED' } });
      const ids = async (token: string) =>
        ((await at(token, 'list_jobs')).structuredContent as { jobs: { job_id: string }[] }).jobs.map(
          (job) => job.job_id,
        );
      expect(await ids(other.token)).not.toContain(job_id);
      expect(await ids(mine.token)).toContain(job_id);
      expect(await ids(test.daemon.token)).toContain(job_id);
      expect((await at(mine.token, 'wait_job', { job_id })).structuredContent).toMatchObject({
        result: { text: 'Mine.' },
      });
    });

    it('streams, which end with it', async () => {
      const mine = await make();
      const id = await begin(mine.token);
      const stream = await send(mine.token, null, { 'mcp-session-id': id, accept: 'text/event-stream' });
      expect(stream.status).toBe(200);
      await tokens().revoke(mine.record.id);
      // Resolves only when the daemon has ended it.
      expect(await stream.text()).not.toContain('error');
      expect((await send(mine.token, listing, { 'mcp-session-id': id })).status).toBe(401);
    });

    it('the ids of its requests: one that has no answer yet is not taken again', async () => {
      const id = await begin(test.daemon.token);
      const session = { 'mcp-session-id': id };
      const working_dir = test.workspace.resolve('work');
      const call = {
        jsonrpc: '2.0',
        id: 7,
        method: 'tools/call',
        params: {
          name: 'delegate',
          arguments: { cli: 'acp:chaos', prompt: '!hang_until go.txt', working_dir },
        },
      };
      const first = await send(test.daemon.token, call, session);
      const second = await send(test.daemon.token, { ...listing, id: 7 }, session);
      expect([second.status, await second.json()]).toMatchObject([
        400,
        { id: 7, error: { code: -32600, message: expect.stringContaining('still under way') } },
      ]);
      await test.workspace.write('work/go.txt', '');
      expect(await first.text()).toContain('"id":7');
      expect((await send(test.daemon.token, { ...listing, id: 7 }, session)).status).toBe(200);
    });
  });

  describe('gives a token the answer that it gets over REST', () => {
    const write = (more: object = {}) => ({
      name: 'delegate',
      arguments: {
        cli: 'acp:chaos',
        prompt: '!write b.txt new',
        safety_mode: 'write',
        working_dir: test.workspace.resolve('work'),
        trust_workspace: true,
        ...more,
      },
    });
    const ask = async (call: ReturnType<typeof write>) => {
      const client = await connect('auto');
      const answer = await client.callTool(call);
      await client.close();
      return answer;
    };
    /** How REST answers to a run of a session in the folder. */
    const rest = async () => {
      const id = await test.session({ working_dir: test.workspace.resolve('work') });
      return test.post(`/api/v1/sessions/${id}/runs`, { instruction: 'Go.' });
    };
    const trustOnlyListed = { runs: { trust_working_dir: false } };

    it('in a folder that the operator named', async () => {
      const done = await ask(write());
      expect(done.structuredContent).toMatchObject({ result: { ok: true, changes_applied: true } });
      expect(await test.workspace.read('work/b.txt')).toBe('new\n');
      expect((await rest()).status).toBe(202);
    });

    it('in a folder that nobody trusts, whatever the caller says', async () => {
      await test.restart({ environment, flags: trustOnlyListed });
      const refused = await ask(write());
      expect(refused._meta?.['amplifier/error']).toMatchObject({ code: 'WORKSPACE_NOT_TRUSTED' });
      expect(refused.structuredContent).toBeUndefined();
      expect(JSON.stringify(refused.content)).toContain('operator');
      const { status, body } = await rest();
      expect([status, body.code]).toEqual([403, 'WORKSPACE_NOT_TRUSTED']);
      expect(body.detail).toContain('amplifier trust');
    });

    it('in one that the user put on their list, and in one that was taken off it', async () => {
      const settings = await home.read('settings.yaml');
      const { delegation } = JSON.parse(settings);
      const trusted_workspaces = [test.workspace.resolve('work')];
      await home.write(
        'settings.yaml',
        JSON.stringify({ delegation: { ...delegation, trusted_workspaces } }),
      );
      expect((await ask(write())).structuredContent).toMatchObject({ result: { ok: true } });
      const id = await test.session({ working_dir: trusted_workspaces[0] });
      const run = () => test.post(`/api/v1/sessions/${id}/runs`, { instruction: 'Go.', wait: 60 });
      expect((await run()).status).toBe(200);
      await home.write('settings.yaml', settings);
      expect((await ask(write()))._meta?.['amplifier/error']).toMatchObject({
        code: 'WORKSPACE_NOT_TRUSTED',
      });
      expect((await run()).body.code).toBe('WORKSPACE_NOT_TRUSTED');
    });

    it('for a mode that is wider than the operator allows', async () => {
      await test.restart({ environment });
      const refused = await ask(write({ safety_mode: 'yolo' }));
      expect(refused._meta?.['amplifier/error']).toMatchObject({ code: 'SAFETY_MODE_WIDER' });
      const id = await test.session({ working_dir: test.workspace.resolve('work') });
      const task = { agent: 'acp:opencode', instruction: 'Go.', safety_mode: 'yolo' };
      const { status, body } = await test.post(`/api/v1/sessions/${id}/delegate`, task);
      expect([status, body.code, body.reason]).toEqual([409, 'DELEGATION_REFUSED', 'SAFETY_MODE_WIDER']);
    });
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
