import { systemClock } from '@amplifier/core';
import { openLink } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, TestDaemon } from '../../test-support/test-daemon.js';
import { ScopedTokens } from './scoped-tokens.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await TestDaemon.start({ flags: { tenants: { 'team-a': {} } } });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const host = () => new URL(daemon.daemon.url).host;
const origin = () => daemon.daemon.url;

/** Opens a link as a browser does, by the name it has there, at the address the daemon really listens on. */
async function open(url: string, headers: Record<string, string> = {}, method: 'GET' | 'POST' = 'GET') {
  const response = await openLink(daemon.daemon.url, url, headers, method);
  const cookie = response.headers.get('set-cookie') ?? '';
  return { response, cookie, jar: cookie.split(';')[0] ?? '' };
}

async function signIn(body: object = {}, headers: Record<string, string> = {}) {
  const link = await daemon.post('/api/v1/sign-in/links', body, { headers });
  expect(link.status).toBe(201);
  return { url: link.body.url as string, ...(await open(link.body.url)) };
}

/** A request of the page: by cookie, as the browser sends it. */
function by(jar: string, more: Record<string, string> = {}) {
  return {
    headers: { authorization: '', cookie: jar, origin: origin(), 'x-amplifier-csrf': '1', ...more },
  };
}

/** The frames of a stream until its end. */
async function follow(path: string, headers: Record<string, string>): Promise<Response> {
  return fetch(daemon.daemon.url + path, { headers: { ...headers, accept: 'text/event-stream' } });
}

const code = ({ status, body }: Answer) => [status, body?.code];

describe('signing in', () => {
  it('takes a link once, and sets a cookie that scripts and other sites cannot use', async () => {
    const { url, response, cookie, jar } = await signIn({ scope: 'run' });
    expect(new URL(url).hostname).toMatch(/^[0-9a-f]{20}\.amplifier\.localhost$/);
    expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
    expect(cookie).toMatch(/^amplifier_\d+=amp_[^;]+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
    const me = await daemon.get('/api/v1/session-of-browser', by(jar));
    expect(me.body).toMatchObject({ scope: 'run', shared_session: null });
    const again = await open(url);
    expect([again.response.status, again.cookie]).toEqual([410, '']);
    expect(again.response.headers.get('content-security-policy')).toContain("default-src 'self'");
  });

  it('gives a cookie under no name that another server could guess, and leads a browser to its own', async () => {
    const link: string = (await daemon.post('/api/v1/sign-in/links', {})).body.url;
    const { response, cookie } = await open(link, { host: host() });
    expect([response.status, response.headers.get('location'), cookie]).toEqual([303, link, '']);
    const guessed = await open(link, { host: `amplifier.localhost:${new URL(link).port}` });
    expect([guessed.response.status, guessed.cookie]).toEqual([403, '']);
    expect((await open(link)).cookie).toMatch(/^amplifier_/);
  });

  it('does not let a browser that looks ahead use the link up', async () => {
    const link = (await daemon.post('/api/v1/sign-in/links', {})).body.url;
    expect((await open(link, { 'sec-purpose': 'prefetch;prerender' })).response.status).toBe(503);
    expect((await open(link)).response.status).toBe(303);
  });

  it('gives no more than the token may that made the link, and ends with it', async () => {
    const tokens = new ScopedTokens(daemon.record);
    const { token, record } = await tokens.create({ scope: 'read' }, systemClock);
    const bearer = { authorization: `Bearer ${token}` };
    expect(code(await daemon.post('/api/v1/sign-in/links', { scope: 'run' }, { headers: bearer }))).toEqual([
      403,
      'INSUFFICIENT_SCOPE',
    ]);
    const { jar } = await signIn({}, bearer);
    expect((await daemon.get('/api/v1/session-of-browser', by(jar))).body.scope).toBe('read');
    expect(code(await daemon.post('/api/v1/sessions', {}, by(jar)))).toEqual([403, 'INSUFFICIENT_SCOPE']);
    const stream = await follow('/api/v1/events', { cookie: jar });
    await daemon.call('DELETE', `/api/v1/tokens/${record.id}`);
    expect(await stream.text()).toContain('event: revoked');
    expect((await daemon.get('/api/v1/session-of-browser', by(jar))).status).toBe(401);
  });

  it('refuses changes that a page of another origin, or none, asks for', async () => {
    const { jar } = await signIn();
    const body = { scope: 'read' };
    for (const headers of [
      { 'x-amplifier-csrf': '' },
      { origin: '' },
      { origin: 'http://127.0.0.1:3000' },
      { origin: 'null' },
    ])
      expect((await daemon.post('/api/v1/tokens', body, by(jar, headers))).status).toBe(403);
    expect((await daemon.post('/api/v1/tokens', body, by(jar))).status).toBe(201);
    const cookie = jar.replace(/=.*/, '=amp_0123456789abcdef_wrong');
    expect((await daemon.get('/api/v1/sessions', by(cookie))).status).toBe(401);
    // The cookie counts as a cookie only.
    const bearer = { authorization: `Bearer ${jar.split('=')[1]}` };
    expect((await daemon.get('/api/v1/sessions', { headers: bearer })).status).toBe(401);
  });

  it('signs out one browser, or all, and their streams end', async () => {
    const [one, two] = [await signIn(), await signIn({ scope: 'run' })];
    const out = await daemon.post('/api/v1/sign-out', {}, by(one.jar));
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect((await daemon.get('/api/v1/sessions', by(one.jar))).status).toBe(401);
    expect((await daemon.get('/api/v1/sessions', by(two.jar))).status).toBe(200);
    const stream = await follow('/api/v1/events', { cookie: two.jar });
    expect((await daemon.post('/api/v1/sign-out', { everywhere: true })).status).toBe(204);
    expect(await stream.text()).toContain('event: revoked');
    expect((await daemon.get('/api/v1/sessions', by(two.jar))).status).toBe(401);
    expect((await daemon.get('/api/v1/sessions')).status).toBe(200);
  });
});

describe('a browser that signs in another', () => {
  it('ends with it, and the other signs in no further one', async () => {
    const { token } = await new ScopedTokens(daemon.record).create({ scope: 'read' }, systemClock);
    const first = await signIn({}, { authorization: `Bearer ${token}` });
    const second = await signIn({}, by(first.jar).headers);
    expect((await daemon.get('/api/v1/sessions', by(second.jar))).status).toBe(200);
    expect(code(await daemon.post('/api/v1/sign-in/links', {}, by(second.jar)))).toEqual([403, 'FORBIDDEN']);
    await daemon.post('/api/v1/sign-out', {}, by(first.jar));
    expect((await daemon.get('/api/v1/sessions', by(second.jar))).status).toBe(401);
  });

  it('is not accepted at the end of a longer chain, whoever stored it', async () => {
    const tokens = new ScopedTokens(daemon.record);
    const browser = (made_by: string) =>
      tokens.create({ kind: 'browser', scope: 'read', made_by }, systemClock);
    const { record } = await tokens.create({ scope: 'read' }, systemClock);
    const first = await browser(record.id);
    const second = await browser(first.record.id);
    const third = await browser(second.record.id);
    const callers = [first, second, third].map(({ token }) => tokens.findBrowser(token));
    expect(await Promise.all(callers)).toMatchObject([
      { account: record.id, browser: { from_browser: false } },
      { account: record.id, browser: { from_browser: true } },
      null,
    ]);
  });

  it('counts with it as the one token, whose shared links count together', async () => {
    await using limited = await TestDaemon.start({ flags: { rate_limit_per_second: 2 } });
    const tokens = new ScopedTokens(limited.record);
    const { token, record } = await tokens.create({ scope: 'run' }, systemClock);
    const cookie = async (kind: 'browser' | 'share', made_by: string) => {
      const session = kind === 'share' ? { session_id: 'x' } : {};
      const made = await tokens.create({ kind, scope: 'read', made_by, ...session }, systemClock);
      return {
        ...made.record,
        header: { cookie: `amplifier_${new URL(limited.daemon.url).port}=${made.token}` },
      };
    };
    const first = await cookie('browser', record.id);
    const second = await cookie('browser', first.id);
    const shared = [await cookie('share', record.id), await cookie('share', record.id)];
    const ask = async (headers: Record<string, string>, times: number) => {
      const answers: number[] = [];
      for (let at = 0; at < times; at++) {
        const path = '/api/v1/session-of-browser';
        answers.push((await limited.get(path, { headers: { authorization: '', ...headers } })).status);
      }
      return new Set(answers);
    };
    const one = new Set([200]);
    expect(await ask({ authorization: `Bearer ${token}` }, 4)).toEqual(one);
    expect(await ask(first.header, 3)).toEqual(one);
    expect(await ask(second.header, 3)).toEqual(one);
    for (const headers of [first.header, second.header, { authorization: `Bearer ${token}` }])
      expect(await ask(headers, 1)).toEqual(new Set([429]));
    // Readers of a link do not use up the requests of the token, and several links are no more than one.
    for (const { header } of shared) expect(await ask(header, 5)).toEqual(one);
    for (const { header } of shared) expect(await ask(header, 1)).toEqual(new Set([429]));
  });
});

describe('a sign-in link that another page opens', () => {
  const tenantLink = async () => {
    const { body } = await daemon.post('/api/v1/tokens', { scope: 'admin', tenant: 'team-a' });
    const headers = { authorization: `Bearer ${body.token}` };
    return (await daemon.post('/api/v1/sign-in/links', {}, { headers })).body.url as string;
  };
  /** Presses the button of the page. */
  const press = async (page: Response, link: string, headers: Record<string, string> = {}) => {
    const action = /action="([^"]+)"/.exec(await page.text())?.[1]?.replaceAll('&amp;', '&') ?? '';
    const own = { origin: new URL(link).origin, 'sec-fetch-site': 'same-origin', ...headers };
    return open(new URL(action, link).href, own, 'POST');
  };
  const whoIs = async (jar: string) => (await daemon.get('/api/v1/session-of-browser', by(jar))).body.tenant;

  it('leaves the operator signed in until they confirm on a page that names both', async () => {
    const operator = await signIn();
    const link = await tenantLink();
    // The browser keeps the cookie back on the way from another site.
    const opened = await open(link, { 'sec-fetch-site': 'cross-site' });
    expect([opened.response.status, opened.cookie]).toEqual([200, '']);
    expect(opened.response.headers.get('content-security-policy')).toContain("form-action 'self'");
    const first = await press(opened.response, link, { cookie: operator.jar });
    expect([first.response.status, first.cookie]).toEqual([200, '']);
    const text = await first.response.clone().text();
    expect(text).toContain('signed in as the operator with the scope admin');
    expect(text).toContain('signs it in as tenant team-a with the scope admin');
    expect(await whoIs(operator.jar)).toBeNull();
    const second = await press(first.response, link, { cookie: operator.jar });
    expect([second.response.status, await whoIs(second.jar)]).toEqual([303, 'team-a']);
    // The cookie that was replaced is of no use any more.
    expect((await daemon.get('/api/v1/session-of-browser', by(operator.jar))).status).toBe(401);
  });

  it('asks before it signs in, from another site, from a page of the daemon and from an unknown place', async () => {
    for (const site of ['cross-site', 'same-site', 'same-origin', '']) {
      const link = await tenantLink();
      const opened = await open(link, { 'sec-fetch-site': site });
      expect([site, opened.response.status, opened.cookie]).toEqual([site, 200, '']);
      const entered = await press(opened.response, link);
      expect([entered.response.status, await whoIs(entered.jar)]).toEqual([303, 'team-a']);
    }
  });

  it('asks where someone else is signed in, although it was opened directly', async () => {
    const operator = await signIn();
    const opened = await open(await tenantLink(), { cookie: operator.jar });
    expect([opened.response.status, opened.cookie]).toEqual([200, '']);
    const own = (await daemon.post('/api/v1/sign-in/links', {})).body.url;
    expect((await open(own, { cookie: operator.jar })).response.status).toBe(303);
  });

  it('takes an answer only from its own page', async () => {
    const operator = await signIn();
    for (const headers of [
      { origin: 'http://127.0.0.1:3000' },
      { origin: 'null' },
      { cookie: operator.jar },
      {},
    ]) {
      const answer = await open(await tenantLink(), headers, 'POST');
      expect([answer.response.status, answer.cookie]).toEqual([403, '']);
    }
    expect(await whoIs(operator.jar)).toBeNull();
  });
});

describe('a shared link', () => {
  it('does not sign out a browser that another site sends there', async () => {
    const own = await daemon.session();
    const { jar } = await signIn();
    const { url } = (await daemon.post(`/api/v1/sessions/${own}/share`, {})).body;
    const opened = await open(url, { 'sec-fetch-site': 'cross-site' });
    expect([opened.response.status, opened.cookie]).toEqual([200, '']);
    const { origin } = new URL(url);
    const signedIn = await open(url, { origin, cookie: jar }, 'POST');
    expect([signedIn.response.status, signedIn.cookie]).toEqual([303, '']);
    const stranger = await open(url, { origin }, 'POST');
    expect(stranger.response.headers.get('location')).toBe(`/s/${own}`);
    expect(stranger.cookie).toMatch(/^amplifier_/);
    expect((await open(url, {}, 'POST')).response.status).toBe(403);
  });

  it('reads one tree and nothing else, until it is taken back', async () => {
    const [own, other] = [await daemon.session({ auto_start: true }), await daemon.session()];
    const below = await daemon.post(`/api/v1/mount-plans/${own}/sub-session`, {});
    const child = below.body.session?.session_id ?? below.body.session_id;
    const shared = await daemon.post(`/api/v1/sessions/${own}/share`, { expires_in: 3_600 });
    expect(shared.status).toBe(201);
    const { response, jar } = await open(shared.body.url);
    expect([response.status, response.headers.get('location')]).toEqual([303, `/s/${own}`]);
    for (const path of ['', '/tree', '/transcript', '/events'])
      expect((await daemon.get(`/api/v1/sessions/${own}${path}`, by(jar))).status).toBe(200);
    expect((await daemon.get(`/api/v1/sessions/${child}`, by(jar))).status).toBe(200);
    expect((await daemon.get('/api/v1/session-of-browser', by(jar))).body.shared_session).toBe(own);
    for (const path of [
      '/api/v1/sessions',
      '/api/v1/events',
      '/api/v1/tokens',
      '/api/v1/status',
      '/openapi.json',
      `/api/v1/sessions/${own}/export`,
      `/api/v1/sessions/${other}`,
      `/api/v1/sessions/${other}/transcript`,
      '/api/v1/sessions/nobody',
    ])
      expect([path, ...code(await daemon.get(path, by(jar)))]).toEqual([path, 403, 'INSUFFICIENT_SCOPE']);
    expect((await daemon.post(`/api/v1/sessions/${own}/messages`, {}, by(jar))).status).toBe(403);
    expect((await daemon.post('/api/v1/sign-in/links', {}, by(jar))).status).toBe(403);
    const stream = await follow(`/api/v1/sessions/${own}/events`, { cookie: jar });
    expect((await daemon.call('DELETE', `/api/v1/sessions/${own}/share`)).status).toBe(204);
    expect(await stream.text()).toContain('event: revoked');
    expect((await daemon.get(`/api/v1/sessions/${own}`, by(jar))).status).toBe(401);
    expect((await open(shared.body.url)).response.status).toBe(410);
  });

  it('leaves whoever is signed in already who they are', async () => {
    const own = await daemon.session();
    const { jar } = await signIn();
    const { url } = (await daemon.post(`/api/v1/sessions/${own}/share`, {})).body;
    const { response, cookie } = await open(url, { cookie: jar, host: host() });
    expect([response.status, cookie]).toEqual([303, '']);
  });

  it('ends by itself', async () => {
    const tokens = new ScopedTokens(daemon.record, () => Date.parse('2100-01-01T00:00:00Z'));
    const { token } = await tokens.create(
      { kind: 'share', scope: 'read', session_id: 'x', expires_at: '2099-12-31T00:00:00Z' },
      systemClock,
    );
    expect(await tokens.findBrowser(token)).toBeNull();
  });
});

describe('the pages', () => {
  it('are served at / and wherever a browser goes, with a strict policy and without a token', async () => {
    for (const path of ['/', '/s/session_1/time', '/agents']) {
      const response = await fetch(daemon.daemon.url + path, { headers: { accept: 'text/html,*/*' } });
      expect([200, 503]).toContain(response.status);
      expect(response.headers.get('content-type')).toContain('text/html');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-security-policy')).toMatch(
        /default-src 'self'; script-src 'self'/,
      );
    }
  });

  it('hold nothing but what was built', async () => {
    for (const path of [
      '/assets/none.js',
      '/..%2fpackage.json',
      '/assets/..%2f..%2fpackage.json',
      '/.env.js',
    ])
      expect([401, 404]).toContain((await fetch(daemon.daemon.url + path)).status);
    expect((await fetch(`${daemon.daemon.url}/openapi.json`)).status).toBe(401);
    expect(
      (await fetch(`${daemon.daemon.url}/api/v1/none`, { headers: { accept: 'text/html' } })).status,
    ).toBe(401);
  });
});
