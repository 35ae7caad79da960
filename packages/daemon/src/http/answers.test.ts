import { execFile } from 'node:child_process';
import { request as requestTls } from 'node:https';
import { promisify } from 'node:util';
import { systemClock } from '@amplifier/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon } from '../../test-support/test-daemon.js';
import { ScopedTokens } from '../auth/scoped-tokens.js';

const run = promisify(execFile);
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await TestDaemon.start();
});
afterAll(() => daemon[Symbol.asyncDispose]());

describe('a large answer', () => {
  it('is packed for those who take gzip, and only for them', async () => {
    for (const [accepted, encoding] of [
      ['gzip, deflate', 'gzip'],
      ['br, *;q=0.1', 'gzip'],
      ['gzip;q=0', null],
      ['identity', null],
    ] as const) {
      const { status, headers, body } = await daemon.get('/openapi.json', {
        headers: { 'accept-encoding': accepted },
      });
      expect([accepted, status, headers.get('content-encoding')]).toEqual([accepted, 200, encoding]);
      expect(body.openapi).toBe('3.1.0');
      if (encoding) expect(headers.get('vary')).toContain('Accept-Encoding');
    }
    expect((await daemon.get('/healthz')).headers.get('content-encoding')).toBeNull();
  });
});

describe('changes of what may change', () => {
  it('can be bound to the version they are meant for', async () => {
    const manifest = (version: number) =>
      `---\nprofile: { name: mine, version: 0.${version}.0, schema_version: 2 }\nsession: { orchestrator: loop-basic, context: context-simple }\n---\nBody ${version}\n`;
    await daemon.post('/api/v1/profiles', { name: 'mine', manifest: manifest(1) });
    const path = '/api/v1/profiles/local/mine';
    const first = (await daemon.get(path)).headers.get('etag') ?? '';
    expect((await daemon.get(path, { headers: { 'if-none-match': first } })).status).toBe(304);
    const change = (etag: string, version: number) =>
      daemon.call('PATCH', path, { manifest: manifest(version) }, { headers: { 'if-match': etag } });
    const changed = await change(first, 2);
    expect([changed.status, changed.headers.get('etag') === first]).toEqual([200, false]);
    const late = await change(first, 3);
    expect([late.status, late.body.code]).toEqual([412, 'VERSION_MISMATCH']);
    const remove = (etag: string) =>
      daemon.call('DELETE', path, undefined, { headers: { 'if-match': etag } });
    expect((await remove(first)).status).toBe(412);
    expect((await remove(changed.headers.get('etag') ?? '')).status).toBe(204);
  });
});

describe('a token that sends too much', () => {
  it('is told when to go on, and others are not held up', async () => {
    await daemon.restart({ flags: { rate_limit_per_second: 2 } });
    const { token } = await new ScopedTokens(daemon.record).create({ scope: 'read' }, systemClock);
    const headers = { authorization: `Bearer ${token}` };
    const answers = [];
    // They may fall into two windows of ten each.
    for (let at = 0; at < 21; at++) answers.push(await daemon.get('/api/v1/status', { headers }));
    expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(200));
    const refused = answers.find(({ status }) => status !== 200);
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await daemon.get('/api/v1/status')).status).toBe(200);
    await daemon.restart();
  });
});

describe('/metrics', () => {
  it('counts requests by address and says how streams are doing, in the text form of Prometheus', async () => {
    await daemon.get(`/api/v1/sessions/${await daemon.session()}`);
    await daemon.get('/api/v1/sessions/none');
    await daemon.get('/api/v1/sessions/none', { headers: { authorization: '' } });
    const { status, text, headers } = await daemon.get('/metrics');
    expect([status, headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/plain; version='),
    ]);
    const path = 'route="/api/v1/sessions/{session_id}"';
    expect(text).toContain(`amplifierd_http_requests_total{method="GET",${path},status="200"} 1`);
    expect(text).toContain(`amplifierd_http_requests_total{method="GET",${path},status="404"} 1`);
    expect(text).toContain(`amplifierd_http_requests_total{method="GET",${path},status="401"} 1`);
    expect(text).toMatch(/amplifierd_http_request_duration_seconds_bucket\{le="0.005",method="POST"/);
    expect(text).toContain('amplifierd_event_followers 0');
    expect(text).toMatch(/process_resident_memory_bytes \d{7,}/);
    expect((await fetch(`${daemon.daemon.url}/metrics`)).status).toBe(401);
  });
});

describe('/api/v1/doctor', () => {
  const named = (answer: { body: { checks: { name: string; state: string }[] } }) =>
    new Map(answer.body.checks.map((check) => [check.name, check]));

  it('checks the daemon and its machine, and for a user also settings, models and sessions', async () => {
    const deployment = named(await daemon.get('/api/v1/doctor'));
    expect(deployment.get('amplifierd')).toMatchObject({ state: 'ok', fix: null });
    expect(deployment.get('node')).toMatchObject({ state: 'ok', detail: process.version });
    expect(deployment.has('sandbox')).toBe(true);
    expect(deployment.has('settings')).toBe(false);
    await using own = await TestDaemon.startForUser({ 'home/settings.yaml': '{}' });
    const users = named(await own.get('/api/v1/doctor'));
    expect(users.get('amplifier serve')).toMatchObject({ state: 'ok' });
    expect(users.get('settings')).toMatchObject({ state: 'ok', detail: 'user' });
    expect(users.get('store')).toMatchObject({ state: 'ok' });
    await own.workspace.write('home/settings.yaml', 'a: [');
    const broken = await own.get('/api/v1/doctor');
    expect(broken.body.ok).toBe(false);
    expect(named(broken).get('settings')).toMatchObject({
      state: 'broken',
      detail: expect.stringContaining('settings.yaml'),
      fix: 'amplifier config edit',
    });
  });

  it('is for tokens with scope admin', async () => {
    const { token } = await new ScopedTokens(daemon.record).create({ scope: 'run' }, systemClock);
    const { status } = await daemon.get('/api/v1/doctor', { headers: { authorization: `Bearer ${token}` } });
    expect(status).toBe(403);
  });
});

describe('TLS', () => {
  it('is spoken with the files that are configured', async () => {
    const [key, cert] = [daemon.workspace.resolve('key.pem'), daemon.workspace.resolve('cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    await run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      cert,
      ...subject,
    ]);
    await daemon.restart({ flags: { tls_cert: cert, tls_key: key } });
    const { url, token } = daemon.daemon;
    expect(url).toMatch(/^https:/);
    const { readFile } = await import('node:fs/promises');
    const ca = await readFile(cert);
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      requestTls(`${url}/api/v1/status`, { ca, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
    await expect(daemon.restart({ flags: { tls_cert: cert } })).rejects.toThrow('go together');
    await expect(daemon.restart({ flags: { tls_cert: `${cert}.none`, tls_key: key } })).rejects.toThrow(
      'cannot be read',
    );
    await daemon.restart();
  });
});
