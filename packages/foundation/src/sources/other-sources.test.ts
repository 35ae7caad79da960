import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Diagnostic } from '@amplifier/core';
import { TempWorkspace } from '@amplifier/testkit';
import { strToU8, zipSync } from 'fflate';
import { create, Header } from 'tar';
import { describe, expect, it } from 'vitest';
import { FoundationError } from '../errors.js';
import { moduleFinder } from './module-source-resolver.js';
import type { SourceFetcher } from './source-fetcher.js';
import { SourceResolver, type SourceResolverOptions } from './source-resolver.js';

const bomb = () => zipSync({ bomb: new Uint8Array(5_000_000) }, { level: 9 });
const manyFiles = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, new Uint8Array()]));

/** Wherever the archive tells the size of its only file, it tells a small one. */
function sayingItIsSmall(archive: Uint8Array): Uint8Array {
  const bytes = Buffer.from(archive);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(5_000_000);
  for (let at = bytes.indexOf(size); at !== -1; at = bytes.indexOf(size)) bytes.writeUInt32LE(10, at);
  return bytes;
}

function damaged(archive: Uint8Array): Uint8Array {
  const bytes = Buffer.from(archive);
  bytes.write('other', bytes.indexOf('some text'));
  return bytes;
}

/** A tar that holds one file of zeros. */
function tarOf(path: string, size: number): Buffer {
  const header = Buffer.alloc(512);
  new Header({ path, size, type: 'File', mode: 0o600 }).encode(header);
  return Buffer.concat([header, Buffer.alloc(Math.ceil(size / 512) * 512 + 1024)]);
}

/** Headers that speak of files which never come. */
function endlessHeaders(): Buffer {
  const header = Buffer.alloc(512);
  new Header({ path: 'pax', size: 512, type: 'ExtendedHeader', mode: 0o600 }).encode(header);
  const body = Buffer.alloc(512, `${'#'.repeat(511)}\n`);
  return Buffer.concat(Array.from({ length: 4_000 }, () => [header, body]).flat());
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function site(answer: Answer, options: Partial<SourceResolverOptions> = {}) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = await TempWorkspace.create();
  const reports: Diagnostic[] = [];
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return {
    folder,
    reports,
    close,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    resolver: new SourceResolver({
      cacheDir: folder.resolve('cache'),
      revisionMaxAgeMs: 0,
      report: (diagnostic) => reports.push(diagnostic),
      ...options,
    }),
    async [Symbol.asyncDispose]() {
      await close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const serve =
  (content: () => { body: string | Uint8Array; etag?: string }, seen: string[] = []): Answer =>
  (request, response) => {
    const { body, etag } = content();
    seen.push(request.method ?? '');
    response.writeHead(200, etag ? { etag } : {});
    response.end(request.method === 'HEAD' ? '' : body);
  };

describe('a URL', () => {
  it('of a file is that file, fetched again only when it changed', async () => {
    const seen: string[] = [];
    let content = { body: 'one', etag: '"1"' };
    await using at = await site(serve(() => content, seen));
    const first = await at.resolver.resolve(`${at.url}/agents/a.md`, '/');
    expect(await readFile(first.path, 'utf8')).toBe('one');
    expect((await at.resolver.resolve(`${at.url}/agents/a.md`, '/')).path).toBe(first.path);
    expect(seen).toEqual(['HEAD', 'GET', 'HEAD']);
    content = { body: 'two', etag: '"2"' };
    const second = await at.resolver.resolve(`${at.url}/agents/a.md`, '/');
    expect(await readFile(second.path, 'utf8')).toBe('two');
    expect(await readFile(first.path, 'utf8')).toBe('one');
  });

  it('without any validator is known by its content', async () => {
    await using at = await site(serve(() => ({ body: 'same' })));
    const [a, b] = [
      await at.resolver.resolve(`${at.url}/x`, '/'),
      await at.resolver.resolve(`${at.url}/x`, '/'),
    ];
    expect(a.revision).toBe(b.revision);
  });

  it('serves its copy, marked stale, when it does not answer; without a copy it says so', async () => {
    await using at = await site(serve(() => ({ body: 'x', etag: '"1"' })));
    const before = await at.resolver.resolve(`${at.url}/a.md`, '/');
    await at.close();
    expect(await at.resolver.resolve(`${at.url}/a.md`, '/')).toEqual({ ...before, stale: true });
    expect(at.reports).toMatchObject([{ code: 'SOURCE_STALE' }]);
    await expect(at.resolver.resolve(`${at.url}/b.md`, '/')).rejects.toThrow(
      /cannot be reached: .*Check the network/,
    );
  });

  it('of a zip or tar is its content', async () => {
    await using files = await TempWorkspace.create({ 'top/bundle.md': 'tar' });
    await create({ gzip: true, file: files.resolve('a.tgz'), cwd: files.path }, ['top']);
    const tarball = await readFile(files.resolve('a.tgz'));
    await using at = await site((request, response) =>
      serve(() => ({
        body: request.url?.endsWith('.zip') ? zipSync({ 'top/bundle.md': strToU8('zip') }) : tarball,
        etag: '"a"',
      }))(request, response),
    );
    for (const [file, content] of [
      ['a.zip', 'zip'],
      ['a.tgz', 'tar'],
    ]) {
      const { path } = await at.resolver.resolve(`${at.url}/${file}#subdirectory=top/bundle.md`, '/');
      expect(await readFile(path, 'utf8')).toBe(content);
    }
  });

  it.each([
    ['leads out', 'a.zip', zipSync({ '../../evil': strToU8('x') }), 'PATH_ESCAPES_ROOT'],
    ['is a bomb', 'a.zip', bomb(), 'SOURCE_TOO_LARGE'],
    ['is a bomb that says it is small', 'a.zip', sayingItIsSmall(bomb()), 'SOURCE_TOO_LARGE'],
    ['is a packed tar and a bomb', 'a.tgz', gzipSync(tarOf('bomb', 5_000_000)), 'SOURCE_TOO_LARGE'],
    [
      'is a packed tar of nothing that goes on',
      'a.tgz',
      gzipSync(Buffer.alloc(100_000_000)),
      'SOURCE_FAILED',
    ],
    ['is a packed tar of headers without end', 'a.tgz', gzipSync(endlessHeaders()), 'SOURCE_TOO_LARGE'],
    ['holds files without end', 'a.zip', zipSync(manyFiles(50_001)), 'SOURCE_TOO_LARGE'],
    ['is damaged', 'a.zip', damaged(zipSync({ a: strToU8('some text') }, { level: 0 })), 'SOURCE_FAILED'],
    ['is none', 'a.zip', strToU8('hello'), 'SOURCE_FAILED'],
  ])('of an archive that %s is refused and leaves nothing', async (_, file, body, code) => {
    await using at = await site(
      serve(() => ({ body, etag: '"1"' })),
      { maxBytes: 1_000_000 },
    );
    await expect(at.resolver.resolve(`${at.url}/${file}`, '/')).rejects.toMatchObject({ code });
    expect(await readdir(at.folder.resolve('cache/unfinished'))).toEqual([]);
    expect(await readdir(at.folder.path)).toEqual(['cache']);
  });

  it('that is too large, missing or not encrypted is refused', async () => {
    await using at = await site(
      serve(() => ({ body: 'x'.repeat(2000), etag: '"1"' })),
      { maxBytes: 1000 },
    );
    await expect(at.resolver.resolve(`${at.url}/a`, '/')).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
    await expect(at.resolver.resolve('http://example.invalid/a', '/')).rejects.toThrow(
      /without encryption. Write https/,
    );
    await using gone = await site((_, response) => response.writeHead(404).end());
    await expect(gone.resolver.resolve(`${gone.url}/a`, '/')).rejects.toMatchObject({
      code: 'SOURCE_NOT_FOUND',
    });
  });
});

describe('a path', () => {
  it('is relative to the base folder, may be a file URL and may name a part', async () => {
    await using folder = await TempWorkspace.create({ 'b/bundle.md': 'x' });
    const resolver = new SourceResolver({ cacheDir: folder.resolve('cache'), home: folder.path });
    const expected = { path: folder.resolve('b/bundle.md'), revision: null, stale: false };
    expect(await resolver.resolve('./b/bundle.md', folder.path)).toMatchObject(expected);
    expect(await resolver.resolve('~/b/bundle.md', '/')).toMatchObject(expected);
    expect(
      await resolver.resolve(`${pathToFileURL(folder.path)}#subdirectory=b/bundle.md`, '/'),
    ).toMatchObject(expected);
    await expect(resolver.resolve('./nope', folder.path)).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
    await expect(resolver.resolve('C:\\x', folder.path)).rejects.toThrow(/written for Windows/);
  });
});

describe('a package', () => {
  it('is found where code of the project would find it', async () => {
    await using folder = await TempWorkspace.create({
      'node_modules/@me/pkg/package.json': '{"version":"1.2.3"}',
      'node_modules/@me/pkg/part/bundle.md': 'x',
    });
    const resolver = new SourceResolver({ cacheDir: folder.resolve('cache') });
    expect(await resolver.resolve('@me/pkg/part', folder.resolve('deep/down'))).toMatchObject({
      path: folder.resolve('node_modules/@me/pkg/part'),
      revision: '1.2.3',
    });
    await expect(resolver.resolve('pgk', folder.path)).rejects.toThrow(
      /not installed .* npm install pgk, or write npm:pgk/,
    );
  });

  it('is brought by npm from the registry it is set to, and no script of it runs', async () => {
    await using files = await TempWorkspace.create({
      'package/package.json': JSON.stringify({
        name: 'demo',
        version: '1.1.0',
        scripts: { install: 'touch RAN' },
      }),
      'package/bundle.md': 'from npm',
    });
    await create({ gzip: true, file: files.resolve('demo.tgz'), cwd: files.path }, ['package']);
    const tarball = await readFile(files.resolve('demo.tgz'));
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    await using at = await site((request, response) => {
      if (request.url?.endsWith('.tgz')) return response.end(tarball);
      if (!request.url?.includes('demo')) return response.writeHead(404).end('{}');
      const dist = { tarball: `${at.url}/demo.tgz`, integrity };
      const versions = { '1.1.0': { name: 'demo', version: '1.1.0', dist } };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ name: 'demo', 'dist-tags': { latest: '1.1.0' }, versions }));
    });
    const environment = {
      ...process.env,
      npm_config_registry: at.url,
      npm_config_cache: files.resolve('npm-cache'),
      npm_config_fetch_retries: '0',
    };
    const resolver = new SourceResolver({ cacheDir: at.folder.resolve('cache'), environment });
    const found = await resolver.resolve('npm:demo@^1.0.0', '/');
    expect(found.revision).toBe('1.1.0');
    expect((await readdir(found.path)).sort()).toEqual(['bundle.md', 'package.json']);
    await expect(resolver.resolve('npm:absent', '/')).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
  });
});

describe('a scheme of the app’s own', () => {
  const store = new Map([['s3://bucket/bundle', 'v1']]);
  let down = false;
  let fetched = 0;
  const s3: SourceFetcher = {
    schemes: ['s3'],
    async revision({ location }) {
      if (down) throw new FoundationError('The store is down.', { code: 'SOURCE_UNREACHABLE' });
      return store.get(location) ?? 'none';
    },
    async fetch(_, revision, folder) {
      if (++fetched === 1)
        throw new FoundationError('Try again.', { code: 'SOURCE_FAILED', retryable: true });
      const { writeFile } = await import('node:fs/promises');
      await writeFile(join(folder, 'bundle.md'), revision);
    },
  };

  it('gets the cache, the retries and the stale copy for free', async () => {
    await using folder = await TempWorkspace.create();
    const clock = {
      now: () => 0,
      after: (_: number, callback: () => void) => {
        setImmediate(callback);
        return () => {};
      },
    };
    const lasting = {
      ...clock,
      after: (ms: number, callback: () => void) => (ms > 10_000 ? () => {} : clock.after(ms, callback)),
    };
    const resolver = new SourceResolver({
      cacheDir: folder.path,
      fetchers: [s3],
      revisionMaxAgeMs: 0,
      clock: lasting,
    });
    const { path } = await resolver.resolve('s3://bucket/bundle', '/');
    expect(await readFile(join(path, 'bundle.md'), 'utf8')).toBe('v1');
    expect(fetched).toBe(2);
    down = true;
    expect(await resolver.resolve('s3://bucket/bundle', '/')).toMatchObject({ stale: true, revision: 'v1' });
  });

  it('goes on for others who wait for the same when the one who asked first gives up', async () => {
    await using folder = await TempWorkspace.create();
    let begun = () => {};
    const first = new Promise<void>((resolve) => {
      begun = resolve;
    });
    let calls = 0;
    const slow: SourceFetcher = {
      schemes: ['slow'],
      revision: async () => 'r1',
      fetch: (_source, _revision, _folder, { signal }) => {
        if (++calls > 1) return Promise.resolve();
        begun();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    };
    const resolver = new SourceResolver({ cacheDir: folder.path, fetchers: [slow] });
    const caller = new AbortController();
    const givingUp = resolver.resolve('slow://x', '/', caller.signal);
    await first;
    const waiting = resolver.resolve('slow://x', '/');
    caller.abort(new Error('enough'));
    await expect(givingUp).rejects.toThrow('enough');
    expect((await waiting).revision).toBe('r1');
    expect(calls).toBe(2);
  });

  it('is named when nobody serves it', async () => {
    await using folder = await TempWorkspace.create();
    const resolver = new SourceResolver({ cacheDir: folder.path });
    await expect(resolver.resolve('gti+https://x/y', '/')).rejects.toThrow(
      /No fetcher for gti\+https.*Supported are git\+https/,
    );
  });
});

describe('the source of a module', () => {
  const MODULE = 'export const mount = () => {};';

  it('is found by environment, then setting, then plan, then package', async () => {
    await using folder = await TempWorkspace.create({
      'env.js': MODULE,
      'setting/package.json': '{"exports":{".":{"import":"./lib/main.js"}}}',
      'setting/lib/main.js': MODULE,
      'planned/index.js': MODULE,
      'node_modules/tool-x/package.json': '{"main":"m.js"}',
      'node_modules/tool-x/m.js': MODULE,
    });
    const sources = new SourceResolver({ cacheDir: folder.resolve('cache') });
    const find = async (
      environment: Record<string, string>,
      overrides: Record<string, string>,
      planned?: string,
    ) => {
      const finder = moduleFinder({ sources, baseDir: () => folder.path, overrides, environment });
      return (await finder.find(finder.name('tool-x', planned))).entry;
    };
    const url = (file: string) => folder.resolve(file);
    const setting = { 'tool-x': './setting' };
    expect(await find({ AMPLIFIER_MODULE_TOOL_X: './env.js' }, setting, './planned')).toBe(url('env.js'));
    expect(await find({}, setting, './planned')).toBe(url('setting/lib/main.js'));
    expect(await find({}, {}, './planned')).toBe(url('planned/index.js'));
    expect(await find({}, {})).toBe(url('node_modules/tool-x/m.js'));
  });

  it('that leads only to Python is an error that says so', async () => {
    await using folder = await TempWorkspace.create({ 'py/pyproject.toml': '', 'empty/x.txt': '' });
    const sources = new SourceResolver({ cacheDir: folder.resolve('cache') });
    const finder = moduleFinder({ sources, baseDir: () => folder.path, environment: {} });
    const find = (id: string, source: string) => finder.find(finder.name(id, source));
    await expect(find('tool-py', './py')).rejects.toThrow(/'tool-py'.* written in Python/);
    await expect(find('tool-no', './empty')).rejects.toThrow(/no JavaScript module for 'tool-no'/);
  });
});
