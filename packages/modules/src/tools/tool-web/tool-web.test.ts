import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { JsonObject, ToolResult } from '@amplifier/core';
import { mountedSession, VirtualClock } from '@amplifier/testkit';
import { addressGuard, FULL_GRANT } from '@amplifier/workspace';
import { describe, expect, it } from 'vitest';
import module from './index.js';
import type { ResolveHost } from './resolve-host.js';
import { WebConfig } from './web-config.js';
import { webFetchTool } from './web-fetch.js';

const LOOPBACK = { allow_addresses: ['127.0.0.1'] };

async function serve(listener: RequestListener): Promise<AsyncDisposable & { url: string; port: number }> {
  const server = createServer(listener);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function fetchWith(
  config: JsonObject,
  url: string,
  input: JsonObject = {},
  grant: unknown = FULL_GRANT,
) {
  await using mounted = await mountedSession({
    toolModules: { 'tool-web': module },
    config: { 'tool-web': config },
    capabilities: grant ? { 'session.grant': grant } : {},
  });
  return mounted.call('web_fetch', { url, ...input });
}

async function fetchResolving(config: JsonObject, url: string, resolve: ResolveHost): Promise<ToolResult> {
  const tool = webFetchTool(WebConfig.parse(config), resolve);
  await using mounted = await mountedSession({
    tools: [tool],
    capabilities: { 'session.grant': FULL_GRANT },
  });
  return mounted.call('web_fetch', { url });
}

describe('web_fetch', () => {
  it('reads a page as text, with its links, in parts', async () => {
    const html =
      '<html><script>x()</script><body><h1>Title</h1><p>See <a href="/a">this</a>.</p></body></html>';
    await using server = await serve((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
    });
    const { output } = await fetchWith(LOOPBACK, server.url);
    expect(output).toMatchObject({ status: 200, url: `${server.url}/` });
    const { content } = output as { content: string };
    expect(content).toContain('TITLE');
    expect(content).toContain(`this [${server.url}/a]`);
    expect(content).not.toContain('x()');
    const part = await fetchWith(LOOPBACK, server.url, { offset: 2, limit: 3 });
    expect(part.output).toMatchObject({ content: content.slice(2, 5), next_offset: 5 });
  });

  it('converts only the beginning of a large page, and says so', async () => {
    const html = `<p>begin</p>${'<!--x-->'.repeat(25_600)}<p>end</p>`;
    await using server = await serve((_request, response) => {
      response.setHeader('content-type', 'text/html').end(html);
    });
    const { output } = await fetchWith(LOOPBACK, server.url);
    expect(output).toMatchObject({
      content: 'begin',
      left_out: `Only the first 204800 characters of the HTML were read; the other ${html.length - 204_800} were left out.`,
    });
  });

  it('needs the network in the grant', async () => {
    const result = await fetchWith(LOOPBACK, 'http://127.0.0.1:1/', {}, null);
    expect(result).toMatchObject({ success: false, error: { code: 'NOT_PERMITTED' } });
  });

  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://0.0.0.0/',
    'http://[fd00::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://localhost/',
  ])('refuses %s', async (url) => {
    const result = await fetchWith({}, url);
    expect(result).toMatchObject({ success: false, error: { code: 'ADDRESS_REFUSED' } });
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://x/',
    'http://user:pass@example.com/',
    'nonsense',
  ])('does not take %s', async (url) => {
    expect(await fetchWith({}, url)).toMatchObject({ success: false, error: { code: 'INVALID_INPUT' } });
  });

  it('checks the target of a redirect like the first address', async () => {
    await using server = await serve((_request, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end();
    });
    const result = await fetchWith(LOOPBACK, server.url);
    expect(result).toMatchObject({ success: false, error: { code: 'ADDRESS_REFUSED' } });
  });

  it('refuses a name when only one of its addresses is private', async () => {
    const result = await fetchResolving({}, 'http://mixed.test/', async () => ['93.184.216.34', '10.0.0.8']);
    expect(result).toMatchObject({ success: false, error: { code: 'ADDRESS_REFUSED' } });
  });

  it('connects to the address it checked, also when the name changes its mind', async () => {
    await using server = await serve((request, response) => {
      response.setHeader('content-type', 'text/plain').end(request.headers.host);
    });
    const answers = ['127.0.0.1', '127.0.0.2'];
    const asked: string[] = [];
    const result = await fetchResolving(LOOPBACK, `http://rebind.test:${server.port}/`, async (host) => {
      asked.push(host);
      return [answers.shift() ?? ''];
    });
    expect(result.output).toMatchObject({ content: `rebind.test:${server.port}` });
    expect(asked).toEqual(['rebind.test']);
  });

  it('follows honest redirects and gives up on endless ones', async () => {
    await using server = await serve((request, response) => {
      if (request.url === '/end') response.setHeader('content-type', 'text/plain').end('here');
      else response.writeHead(301, { location: request.url === '/once' ? '/end' : '/again' }).end();
    });
    expect((await fetchWith(LOOPBACK, `${server.url}/once`)).output).toMatchObject({
      url: `${server.url}/end`,
      content: 'here',
    });
    expect(await fetchWith(LOOPBACK, `${server.url}/again`)).toMatchObject({
      error: { code: 'FETCH_FAILED' },
    });
  });

  it('stops reading at the size limit, packed or not', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000, 'a'));
    await using server = await serve((request, response) => {
      response.setHeader('content-type', 'text/plain');
      if (request.url === '/bomb') response.setHeader('content-encoding', 'gzip').end(bomb);
      else response.write(Buffer.alloc(2_000_000, 'b'));
    });
    for (const path of ['/bomb', '/endless']) {
      const { output } = await fetchWith({ ...LOOPBACK, max_bytes: 1000 }, server.url + path);
      expect(output).toMatchObject({ truncated_at_bytes: 1000 });
      expect((output as { content: string }).content).toHaveLength(1000);
    }
  });

  it('says so when the page is binary, or the answer cut', async () => {
    await using server = await serve((request, response) => {
      if (request.url === '/binary') response.setHeader('content-type', 'image/png').end(Buffer.from([0, 1]));
      if (request.url === '/cut') {
        response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' });
        response.write('abc', () => response.destroy());
      }
    });
    expect(await fetchWith(LOOPBACK, `${server.url}/binary`)).toMatchObject({
      error: { code: 'BINARY_FILE' },
    });
    expect(await fetchWith(LOOPBACK, `${server.url}/cut`)).toMatchObject({ error: { code: 'FETCH_FAILED' } });
  });

  it('gives up on a silent server when its time is over, and at once when cancelled', async () => {
    const clock = new VirtualClock();
    let onRequest = () => {};
    await using server = await serve(() => onRequest());
    await using mounted = await mountedSession({
      clock,
      toolModules: { 'tool-web': module },
      config: { 'tool-web': LOOPBACK },
      capabilities: { 'session.grant': FULL_GRANT },
    });
    onRequest = () => void clock.advance(30_000);
    const late = await mounted.call('web_fetch', { url: server.url });
    expect(late).toMatchObject({ error: { code: 'TIMEOUT', retryable: true } });
    onRequest = () => void mounted.session.coordinator.requestCancel('immediate');
    const cancelled = await mounted.call('web_fetch', { url: server.url });
    expect(cancelled).toMatchObject({ error: { code: 'CANCELLED' } });
    expect(clock.pending).toBe(0);
  });

  it('keeps to the hosts of its config', async () => {
    for (const config of [{ allow_hosts: ['*.example.com'] }, { deny_hosts: ['*.evil.test'] }])
      expect(await fetchWith(config, 'http://www.evil.test/')).toMatchObject({
        error: { code: 'NOT_PERMITTED' },
      });
  });
});

it('counts ordinary addresses as public', () => {
  const mayReach = addressGuard([]);
  for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111'])
    expect(mayReach(address)).toBe(true);
  expect(addressGuard(['10.1.0.0/16'])('10.1.2.3')).toBe(true);
  expect(addressGuard(['10.1.0.0/16'])('10.2.0.1')).toBe(false);
});

describe('web_search', () => {
  it('asks the configured endpoint and reads results by their configured names', async () => {
    const seen: unknown[] = [];
    await using server = await serve((request, response) => {
      seen.push(request.url, request.headers['x-key']);
      response.end(
        JSON.stringify({ web: { hits: [{ name: 'T', link: 'https://a.test', text: 'S' }, { name: 'U' }] } }),
      );
    });
    const search = {
      endpoint: `${server.url}/q?query={query}&n={count}`,
      headers: { 'x-key': 'k' },
      results: 'web.hits',
      title: 'name',
      url: 'link',
      snippet: 'text',
    };
    await using mounted = await mountedSession({
      toolModules: { 'tool-web': module },
      config: { 'tool-web': { search } },
      capabilities: { 'session.grant': FULL_GRANT },
    });
    const { output } = await mounted.call('web_search', { query: 'a & b', count: 1 });
    expect(output).toEqual({
      query: 'a & b',
      results: [{ title: 'T', url: 'https://a.test', snippet: 'S' }],
    });
    expect(seen).toEqual(['/q?query=a%20%26%20b&n=1', 'k']);
  });

  it('is not offered without an endpoint', async () => {
    await using mounted = await mountedSession({ toolModules: { 'tool-web': module } });
    expect([...mounted.session.coordinator.mounts.all('tools').keys()]).toEqual(['web_fetch']);
  });
});
