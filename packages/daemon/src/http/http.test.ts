import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon } from '../../test-support/test-daemon.js';

const ORIGIN = 'https://app.example.org';
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await TestDaemon.start({
    flags: { allowed_origins: [ORIGIN], max_body_bytes: 2_000, request_timeout_ms: 200 },
  });
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** Sends bytes over a socket and returns all that comes back. */
function send(bytes: string, to = daemon): Promise<string> {
  const { port } = new URL(to.daemon.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = createConnection(Number(port), '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('the gate', () => {
  it('wants the token, also on the loopback, except for health and the empty page', async () => {
    for (const authorization of [
      '',
      'Bearer',
      'Bearer wrong',
      `Basic ${daemon.daemon.token}`,
      `Bearer ${daemon.daemon.token}x`,
    ]) {
      const { status, body, headers } = await daemon.get('/api/v1/sessions', { headers: { authorization } });
      expect([status, body.code]).toEqual([401, 'UNAUTHENTICATED']);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
    for (const path of ['/healthz', '/readyz', '/readyz/', '/docs', '/docs/page.js', '/docs/page.css']) {
      for (const authorization of ['', 'Bearer wrong', 'Basic eDp5'])
        expect((await daemon.get(path, { headers: { authorization } })).status).toBe(200);
    }
    expect((await daemon.get('/openapi.json', { headers: { authorization: '' } })).status).toBe(401);
    expect((await daemon.get('/nowhere', { headers: { authorization: '' } })).status).toBe(401);
  });

  it('answers only to its own names, so that a page cannot rebind one', async () => {
    const { token } = daemon.daemon;
    for (const host of [
      'evil.example',
      'evil.example:8420',
      '',
      '127.0.0.1@evil.example',
      'localhost.evil.example',
    ]) {
      const answer = await send(
        `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1.1 (403|400)/);
    }
    for (const host of ['localhost', '127.0.0.1:1234', '[::1]:8420', 'LOCALHOST']) {
      expect(await send(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1.1 200/,
      );
    }
  });

  it('refuses a request in which a header that decides about it occurs twice', async () => {
    const { token } = daemon.daemon;
    const own = ['Host: localhost', `Authorization: Bearer ${token}`, 'Connection: close'];
    for (const twice of [
      ['Host: localhost'],
      ['Host: evil.example'],
      ['hOST: 127.0.0.1'],
      ['Origin: http://localhost', 'Origin: https://evil.example'],
      ['Authorization: Bearer wrong'],
      ['Content-Type: application/json', 'content-type: text/plain'],
      ['Content-Length: 0', 'Content-Length: 0'],
    ]) {
      const answer = await send(`GET /healthz HTTP/1.1\r\n${[...own, ...twice].join('\r\n')}\r\n\r\n`);
      expect([twice, answer.slice(0, 12)]).toEqual([twice, 'HTTP/1.1 400']);
    }
    expect(await send(`GET /healthz HTTP/1.1\r\n${own.join('\r\n')}\r\n\r\n`)).toMatch(/^HTTP\/1.1 200/);
  });

  it('answers at most eight requests that a connection sends at once, and closes it', async () => {
    const request = `GET /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${daemon.daemon.token}\r\n\r\n`;
    const answers = (await send(request.repeat(200))).match(/HTTP\/1\.1 \d+/g);
    expect(answers).toEqual([...Array(8).fill('HTTP/1.1 200'), 'HTTP/1.1 429']);
  });

  it('answers the health check before the requests of many connections that were opened before it', async () => {
    await using patient = await TestDaemon.start();
    const finished: string[] = [];
    const ask = async (path: string) => {
      const headers = `Host: localhost\r\nAuthorization: Bearer ${patient.daemon.token}\r\nConnection: close`;
      const answer = await send(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`, patient);
      expect(answer).toMatch(/^HTTP\/1\.1 200/);
      finished.push(path);
    };
    const many = Array.from({ length: 100 }, () => ask('/api/v1/sessions'));
    await Promise.all([...many, ask('/healthz')]);
    // Without precedence it would be the last: it was sent last.
    expect(finished.indexOf('/healthz')).toBeLessThan(90);
  });

  it('lets only listed origins and its own page call', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      `${ORIGIN}.evil.example`,
      'http://app.example.org',
    ]) {
      const { status, body, headers } = await daemon.get('/api/v1/sessions', { headers: { origin } });
      expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
    const allowed = await daemon.get('/api/v1/sessions', { headers: { origin: ORIGIN } });
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect((await daemon.get('/api/v1/sessions', { headers: { origin: daemon.daemon.url } })).status).toBe(
      200,
    );
    const preflight = await daemon.call('OPTIONS', '/api/v1/sessions', undefined, {
      headers: { origin: ORIGIN, authorization: '' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    const { token, url } = daemon.daemon;
    const stream = await fetch(`${url}/api/v1/events`, {
      headers: { origin: ORIGIN, authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    });
    expect(stream.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(stream.headers.get('access-control-expose-headers')).toContain('X-Next-Cursor');
    await stream.body?.cancel();
    const refused = await daemon.call('OPTIONS', '/api/v1/sessions', undefined, {
      headers: { origin: 'https://evil.example' },
    });
    expect(refused.status).toBe(403);
  });
});

describe('a refusal', () => {
  it('is a problem document with a code and the id of the request', async () => {
    const { status, body, headers } = await daemon.get('/api/v1/sessions/session_none', {
      headers: { 'x-request-id': 'abc-1' },
    });
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toMatchObject({
      type: 'urn:amplifier:problem:session-not-found',
      status: 404,
      code: 'SESSION_NOT_FOUND',
      instance: '/api/v1/sessions/session_none',
      request_id: 'abc-1',
    });
    expect(status).toBe(404);
    expect(body.detail).not.toContain(daemon.home);
    expect((await daemon.get('/api/v1/nothing')).body.code).toBe('NOT_FOUND');
    const strange = await daemon.get('/api/v1/nothing', { headers: { 'x-request-id': 'a b<script>' } });
    expect(strange.body.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('names the methods an address takes', async () => {
    const { status, headers, body } = await daemon.call('PUT', '/api/v1/sessions');
    expect([status, body.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it('says where a body is wrong', async () => {
    const { status, body } = await daemon.post('/api/v1/sessions', { profile_id: 7, auto_start: 'yes' });
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(['profile_id', 'auto_start']);
  });
});

describe('a body', () => {
  const post = (raw: string, headers: Record<string, string> = {}) =>
    daemon.post('/api/v1/sessions', undefined, {
      raw,
      headers: { 'content-type': 'application/json', ...headers },
    });

  it('is refused before it is parsed where it has too many members, by every operation that takes one', async () => {
    await using roomy = await TestDaemon.start();
    const { body: api } = await roomy.get('/openapi.json');
    const raw = `{"a":[${'0,'.repeat(60_000)}0]}`;
    const answers: Record<string, unknown> = {};
    for (const [path, operations] of Object.entries<Record<string, { requestBody?: { content: object } }>>(
      api.paths,
    ))
      for (const [method, { requestBody }] of Object.entries(operations)) {
        if (!requestBody || !('application/json' in requestBody.content)) continue;
        const place = path.replaceAll(/\{\w+\}/g, 'x');
        const { status, body } = await roomy.call(method.toUpperCase(), place, undefined, {
          raw,
          headers: { 'content-type': 'application/json' },
        });
        answers[`${method} ${path}`] = [status, body.code];
      }
    expect(Object.keys(answers).length).toBeGreaterThan(30);
    expect(new Set(Object.values(answers).map(String))).toEqual(new Set(['400,MALFORMED_JSON']));
  });

  it.each(['/api/v1/sessions', '/api/v1/sessions/import', '/mcp'])(
    'of which a client sends a part to %s and leaves is no failure of the daemon',
    async (path) => {
      await using patient = await TestDaemon.start();
      const { port } = new URL(patient.daemon.url);
      for (const size of ['Content-Length: 100\r\n\r\n{', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n']) {
        const before = patient.log.length;
        const type = path.endsWith('import') ? 'application/x-ndjson' : 'application/json';
        const headers = `Host: localhost\r\nAuthorization: Bearer ${patient.daemon.token}\r\nContent-Type: ${type}`;
        const socket = createConnection(Number(port), '127.0.0.1');
        await new Promise<void>((resolve) =>
          socket.write(`POST ${path} HTTP/1.1\r\n${headers}\r\n${size}`, () => resolve()),
        );
        socket.resetAndDestroy();
        const lines = () => patient.log.slice(before).map((line) => JSON.parse(line));
        await expect
          .poll(() => lines().filter((line) => line.path === path), { timeout: 10_000 })
          .toMatchObject([{ status: 499, code: 'CLIENT_CLOSED', level: 30 }]);
      }
      const { text } = await patient.get('/metrics');
      expect(text).toContain('status="499"');
      expect(text).not.toContain('status="500"');
    },
  );

  it('must be a JSON object of bounded size and depth, sent as JSON', async () => {
    expect((await post('{')).body.code).toBe('MALFORMED_JSON');
    expect((await post('[]')).body.code).toBe('VALIDATION_FAILED');
    expect((await post('null')).body.code).toBe('VALIDATION_FAILED');
    expect((await post(`{"a":${'['.repeat(80)}${']'.repeat(80)}}`)).body.code).toBe('MALFORMED_JSON');
    expect((await post(`{"a":"${'[{'.repeat(80)}\\""}`)).body.code).toBe('VALIDATION_FAILED');
    expect((await post(`{"a":"${'x'.repeat(3_000)}"}`)).body.code).toBe('PAYLOAD_TOO_LARGE');
    expect((await post('{}', { 'content-type': 'text/plain' })).body.code).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(
      (await post('{"profile_id":"foundation/base"}', { 'content-type': 'application/json; charset=utf-8' }))
        .status,
    ).toBe(201);
  });

  it('is bounded also when its size is not announced', async () => {
    const { token } = daemon.daemon;
    const chunk = `${(1_500).toString(16)}\r\n${'x'.repeat(1_500)}\r\n`;
    const head = `POST /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    expect(await send(`${head}${chunk}${chunk}0\r\n\r\n`)).toMatch(/^HTTP\/1.1 413/);
    const small = '{"profile_id":"foundation/base"}';
    expect(await send(`${head}${small.length.toString(16)}\r\n${small}\r\n0\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 201/,
    );
  });

  it('that never arrives does not hold the connection', async () => {
    const { token } = daemon.daemon;
    const answer = await send(
      `POST /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    expect(answer === '' || answer.startsWith('HTTP/1.1 408') || answer.startsWith('HTTP/1.1 4')).toBe(true);
    expect((await daemon.get('/healthz')).status).toBe(200);
  });

  it('may spell its members in camelCase, while free-form maps stay as they are', async () => {
    const { status, body } = await daemon.post('/api/v1/mount-plans/generate', {
      profileId: 'foundation/base',
      settingsOverrides: { myKey: { innerKey: 1 } },
      dryRun: true,
    });
    expect(status).toBe(200);
    expect(body.session.settings).toEqual({ myKey: { innerKey: 1 } });
  });
});

describe('addresses', () => {
  it('mean the same with and without a slash at the end', async () => {
    for (const path of [
      '/api/v1/sessions',
      '/api/v1/sessions/',
      '/api/v1/mount-plans/health/',
      '/api/v1/profiles/foundation/base/',
    ]) {
      expect((await daemon.get(path)).status).toBe(200);
    }
  });

  it('with words are not hidden by those with ids', async () => {
    expect((await daemon.get('/api/v1/sessions/active')).body).toEqual([]);
    expect((await daemon.get('/api/v1/mount-plans/health')).body.status).toBe('healthy');
    for (const session_id of ['active', 'cleanup', 'search', 'health']) {
      const { status, body } = await daemon.post('/api/v1/sessions', {
        profile_id: 'foundation/base',
        session_id,
      });
      expect([status, body.code]).toEqual([400, 'INVALID_SESSION_ID']);
    }
  });

  it('never lead out of the home', async () => {
    const traversals = ['..%2f..%2fetc', '%2e%2e', 'a%00b', '..%5c..', 'session_%ff', '~root', 'a/../../b'];
    for (const id of traversals) {
      for (const path of [
        `/api/v1/sessions/${id}`,
        `/api/v1/mount-plans/${id}`,
        `/api/v1/profiles/${id}/${id}`,
        `/api/v1/collections/${id}`,
      ]) {
        const { status } = await daemon.get(path);
        expect([400, 404]).toContain(status);
      }
    }
  });
});

describe('HEAD', () => {
  it('gives the headers alone, also of what is large or would never end', async () => {
    const session_id = await daemon.session();
    for (const [path, type] of [
      [`/api/v1/sessions/${session_id}`, 'application/json'],
      [`/api/v1/mount-plans/${session_id}`, 'application/json'],
      [`/api/v1/sessions/${session_id}/events`, 'text/event-stream'],
    ] as const) {
      const { status, headers, text } = await daemon.call('HEAD', path, undefined, {
        headers: { accept: type, 'accept-encoding': 'identity' },
      });
      expect([status, headers.get('content-type'), text]).toEqual([200, expect.stringContaining(type), '']);
    }
  });
});

describe('the log', () => {
  it('has a line for each request and no secret', async () => {
    await daemon.get('/api/v1/sessions?q=secret-in-query', { headers: { 'x-request-id': 'logged-1' } });
    await daemon.post('/api/v1/sessions', {
      profile_id: 'foundation/base',
      metadata: { api_key: 'sk-very-secret' },
    });
    const line = daemon.log
      .map((text) => JSON.parse(text))
      .find(({ request_id }) => request_id === 'logged-1');
    expect(line).toMatchObject({ method: 'GET', path: '/api/v1/sessions', status: 200 });
    const all = daemon.log.join('');
    for (const secret of [daemon.daemon.token, 'sk-very-secret', 'secret-in-query'])
      expect(all).not.toContain(secret);
  });
});

describe('the page at /docs', () => {
  it('loads nothing from elsewhere', async () => {
    const { text, headers } = await daemon.get('/docs');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).not.toMatch(/https?:\/\//);
  });
});
