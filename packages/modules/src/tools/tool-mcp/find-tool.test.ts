import { mountedSession } from '@amplifier/testkit';
import { FULL_GRANT } from '@amplifier/workspace';
import { expect, it } from 'vitest';
import module from './index.js';

const open = (config: object) =>
  mountedSession({
    toolModules: { 'tool-mcp': module },
    config: { 'tool-mcp': { ...config } },
    capabilities: { 'session.grant': FULL_GRANT },
  });

it('a session does not begin without a server that is required', async () => {
  const servers = { gone: { command: '/no/such/server', required: true } };
  await expect(open({ servers })).rejects.toThrow(
    /needs the MCP server 'gone'.*amplifier mcp-server test gone/s,
  );
});

it('what a server says of its tools is bounded, schemas too, and shown only when looked for where it is much', async () => {
  const server = `
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => ['field' + at, { type: 'string' }]));
    let deep = {};
    for (let level = 0; level < Number(process.argv.at(-2)); level++) deep = { type: 'object', properties: { deep } };
    const title = { type: 'string', description: 'w'.repeat(40000) };
    const tool = (name, description, inputSchema) => ({ name, description, inputSchema: { type: 'object', ...inputSchema } });
    const small = [tool('wordy', 'short', { properties: { title } }), tool('plain', 'short', { properties: { a: { type: 'string' } } })];
    const tools = [...small, tool('wide', 'd'.repeat(33000), { properties: many }), tool('deep', 'short', { properties: { deep } })];
    const count = Number(process.argv.at(-1));
    const listed = Array.from({ length: count }, (_, at) => tool('filler' + at, 'f'.repeat(3900), {}));
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const result = method === 'initialize'
        ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
        : { tools: [...tools, ...listed] };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });`;
  const offered = async (fillers: number) => {
    const serve = (levels: string) => ({
      command: process.execPath,
      args: ['-e', server, levels, String(fillers)],
    });
    // One whose answer cannot be read is left out; the other is there all the same.
    const servers = { endless: serve('3000'), big: serve('70') };
    await using session = await open({ servers });
    return new Map(session.session.coordinator.mounts.all('tools'));
  };
  const tools = await offered(0);
  expect(tools.get('mcp_big_plain')?.inputSchema).toEqual({
    type: 'object',
    properties: { a: { type: 'string' } },
  });
  expect(tools.get('mcp_big_wordy')?.inputSchema).toEqual({
    type: 'object',
    properties: { title: { type: 'string' } },
  });
  for (const name of ['mcp_big_wide', 'mcp_big_deep']) {
    expect(tools.get(name)?.inputSchema).toEqual({ type: 'object', additionalProperties: true });
    expect(tools.get(name)?.description).toMatch(/schema is too large/);
    expect(tools.get(name)?.description.length).toBeLessThan(4200);
  }
  expect([...(await offered(9)).keys()]).toEqual(['mcp_find_tools']);
});
