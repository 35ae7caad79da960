import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Diagnostic } from '@amplifier/core';
import { TempGitRepo, TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import type { FetchProgress } from './source-fetcher.js';
import { SourceResolver, type SourceResolverOptions } from './source-resolver.js';

const BUNDLE = { 'bundle.md': '---\nbundle: { name: b }\n---\n', 'parts/one.yaml': 'a: 1\n' };

async function repository(options: Partial<SourceResolverOptions> = {}) {
  const repo = await TempGitRepo.create(BUNDLE);
  const cache = await TempWorkspace.create();
  const reports: Diagnostic[] = [];
  const make = (more: Partial<SourceResolverOptions> = {}) =>
    new SourceResolver({
      cacheDir: cache.resolve('cache'),
      revisionMaxAgeMs: 0,
      report: (diagnostic) => reports.push(diagnostic),
      ...options,
      ...more,
    });
  const resolver = make();
  return {
    repo,
    cache,
    reports,
    resolver,
    make,
    url: `git+file://${repo.path}`,
    fetch: (suffix = '') => resolver.resolve(`git+file://${repo.path}${suffix}`, '/'),
    async [Symbol.asyncDispose]() {
      await repo[Symbol.asyncDispose]();
      await cache[Symbol.asyncDispose]();
    },
  };
}

describe('a git source', () => {
  it('is the tree of one commit, without its history', async () => {
    await using at = await repository();
    const head = await at.repo.git('rev-parse', 'HEAD');
    const found = await at.fetch();
    expect(found).toMatchObject({ revision: head, stale: false });
    expect((await readdir(found.path)).sort()).toEqual(['bundle.md', 'parts']);
  });

  it('follows a branch, a tag, an annotated tag and a full commit', async () => {
    await using at = await repository();
    const first = await at.repo.git('rev-parse', 'HEAD');
    await at.repo.git('tag', 'v1');
    await at.repo.git('tag', '--annotate', 'v1-signed', '--message', 'x');
    await at.repo.write('bundle.md', 'changed');
    const second = await at.repo.commit('second');
    expect((await at.fetch('@main')).revision).toBe(second);
    for (const ref of ['v1', 'v1-signed', first]) expect((await at.fetch(`@${ref}`)).revision).toBe(first);
  });

  it('means a part of the repository by subdirectory, a file too', async () => {
    await using at = await repository();
    const { path } = await at.fetch('@main#subdirectory=parts/one.yaml');
    expect(await readFile(path, 'utf8')).toBe('a: 1\n');
    await expect(at.fetch('#subdirectory=nope')).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
  });

  it('moves on when the branch does and keeps the old commit as it was', async () => {
    await using at = await repository();
    const before = await at.fetch('@main');
    await at.repo.write('bundle.md', 'new');
    await at.repo.commit('second');
    const after = await at.fetch('@main');
    expect(await readFile(join(after.path, 'bundle.md'), 'utf8')).toBe('new');
    expect(await readFile(join(before.path, 'bundle.md'), 'utf8')).toBe(BUNDLE['bundle.md']);
  });

  it('trusts what it saw for a while, then asks again', async () => {
    const clock = new VirtualClock();
    await using at = await repository({ clock, revisionMaxAgeMs: 60_000 });
    const before = await at.fetch('@main');
    await at.repo.commit('second');
    expect((await at.fetch('@main')).revision).toBe(before.revision);
    clock.set(clock.now() + 60_001);
    expect((await at.fetch('@main')).revision).not.toBe(before.revision);
  });

  it('uses the commit it has when the place is gone, and says that it may be old', async () => {
    await using at = await repository();
    const before = await at.fetch('@main');
    const offline = at.make({ environment: { ...process.env, PATH: await offlineGit(at.cache) } });
    const after = await offline.resolve(`${at.url}@main`, '/');
    expect(after).toMatchObject({ path: before.path, revision: before.revision, stale: true });
    expect(at.reports).toMatchObject([{ code: 'SOURCE_STALE' }]);
    await expect(offline.resolve(`${at.url}@other`, '/')).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
    });
    expect((await offline.resolve(`${at.url}@${before.revision}`, '/')).stale).toBe(false);
  });

  it('says which refs there are when the one asked for is not', async () => {
    await using at = await repository();
    await expect(at.fetch('@mainn')).rejects.toThrow(
      /has no branch, tag or commit 'mainn'. Did you mean 'main'/,
    );
    await expect(at.fetch('@abc1234')).rejects.toThrow(/all its 40 digits/);
    await expect(at.fetch(`@${'0'.repeat(40)}`)).rejects.toMatchObject({ name: 'FoundationError' });
  });

  it('says that a repository is not there', async () => {
    await using at = await repository();
    await expect(at.resolver.resolve('git+file:///nowhere/at/all', '/')).rejects.toMatchObject({
      code: 'SOURCE_NOT_FOUND',
    });
  });

  it('runs no hook and brings no submodule', async () => {
    await using at = await repository();
    await using other = await TempGitRepo.create({ 'inner.md': 'x' });
    await at.repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.path, 'sub');
    await at.repo.commit('with submodule');
    await using template = await TempWorkspace.create({ 'hooks/post-checkout': '#!/bin/sh\ntouch HOOKED\n' });
    await chmod(template.resolve('hooks/post-checkout'), 0o755);
    const resolver = at.make({ environment: { ...process.env, GIT_TEMPLATE_DIR: template.path } });
    const { path } = await resolver.resolve(at.url, '/');
    expect(await readdir(path)).not.toContain('HOOKED');
    expect(await readdir(join(path, 'sub'))).toEqual([]);
  });

  it('refuses a link that leads out of the repository', async () => {
    await using at = await repository();
    await symlink('/etc', at.repo.resolve('out'));
    await at.repo.commit('link');
    await expect(at.fetch('#subdirectory=out')).rejects.toMatchObject({ code: 'PATH_ESCAPES_ROOT' });
  });

  it('stops at the size limit and leaves nothing', async () => {
    await using at = await repository({ maxBytes: 1000 });
    await at.repo.write('big.bin', 'x'.repeat(100_000));
    await at.repo.commit('big');
    await expect(at.fetch()).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
    expect(await readdir(at.cache.resolve('cache/unfinished'))).toEqual([]);
  });

  it('ends a fetch that takes too long, and one whose caller gives up', async () => {
    const clock = new VirtualClock();
    await using at = await repository();
    const hung = { ...process.env, PATH: await wrappedGit(at.cache, 'ls-remote', 'exec sleep 30') };
    const resolving = at.make({ environment: hung, clock, timeoutMs: 5_000 }).resolve(at.url, '/');
    const failed = expect(resolving).rejects.toMatchObject({ code: 'SOURCE_TIMEOUT' });
    await clock.advance(5_000);
    await failed;
    const caller = new AbortController();
    const waiting = at.make({ environment: hung }).resolve(at.url, '/', caller.signal);
    caller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('fetches once for many who ask at once, and reports progress', async () => {
    const seen: FetchProgress[] = [];
    await using at = await repository({ onProgress: (progress) => seen.push(progress) });
    for (let index = 0; index < 50; index++) await at.repo.write(`f${index}`, String(index));
    await at.repo.commit('many');
    const found = await Promise.all(Array.from({ length: 8 }, () => at.fetch()));
    expect(new Set(found.map(({ path }) => path)).size).toBe(1);
    expect(seen.at(-1)).toMatchObject({ source: at.url, percent: 100 });
  });
});

describe('several processes', () => {
  it('that fetch the same at once, one of them killed in the middle, leave one good entry', async () => {
    await using at = await repository();
    const cacheDir = at.cache.resolve('cache');
    const slow = await wrappedGit(
      at.cache,
      'checkout',
      'echo $$ > "$(dirname "$0")/pid"; printf "Halfway there: 50%%" >&2; exec sleep 60',
    );
    const killed = start(cacheDir, at.url, { PATH: slow });
    await until(killed, 'Halfway there');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    process.kill(Number(await at.cache.read('bin/pid')), 'SIGKILL');

    const both = [start(cacheDir, at.url), start(cacheDir, at.url)];
    const paths = await Promise.all(both.map((child) => until(child, 'path ')));
    expect(new Set(paths).size).toBe(1);
    const beside = ['programs', 'unfinished'];
    const [place, ...others] = (await readdir(cacheDir)).filter((name) => !beside.includes(name));
    expect(others).toEqual([]);
    const entries = (await readdir(join(cacheDir, place ?? ''))).filter((name) => name !== 'seen');
    expect(entries).toEqual([await at.repo.git('rev-parse', 'HEAD')]);
    const entry = join(cacheDir, place ?? '', entries[0] ?? '');
    expect(await readFile(join(entry, 'bundle.md'), 'utf8')).toBe(BUNDLE['bundle.md']);
    expect((await readdir(entry)).sort()).toEqual(['bundle.md', 'parts']);
  });

  it('clear away what a killed one left, once it is old', async () => {
    const clock = new VirtualClock(Date.now());
    await using at = await repository({ clock });
    await at.cache.write('cache/unfinished/left-over/file', 'x');
    await at.fetch();
    expect(await readdir(at.cache.resolve('cache/unfinished'))).toEqual(['left-over']);
    clock.set(Date.now() + 2 * 60 * 60_000);
    await at.repo.commit('another');
    await at.fetch();
    expect(await readdir(at.cache.resolve('cache/unfinished'))).toEqual([]);
  });
});

const FETCH_SOURCE = fileURLToPath(new URL('./fixtures/fetch-source.mjs', import.meta.url));

function start(cacheDir: string, source: string, environment: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [FETCH_SOURCE, cacheDir, source], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function until(child: ChildProcess, beginning: string): Promise<string> {
  if (!child.stdout) throw new Error('The child has no output.');
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith(beginning)) return line;
  throw new Error(`The child ended without saying '${beginning}'.`);
}

/** A PATH whose git does `instead` when it is called with `subcommand`. */
async function wrappedGit(workspace: TempWorkspace, subcommand: string, instead: string): Promise<string> {
  const real = (process.env.PATH ?? '').split(':');
  const script = `#!/bin/sh\nfor word in "$@"; do\n  if [ "$word" = "${subcommand}" ]; then ${instead}; fi\ndone\nPATH='${real.join(':')}' exec git "$@"\n`;
  await workspace.write('bin/git', script);
  await chmod(workspace.resolve('bin/git'), 0o755);
  return [workspace.resolve('bin'), ...real].join(':');
}

function offlineGit(workspace: TempWorkspace): Promise<string> {
  return wrappedGit(
    workspace,
    'ls-remote',
    'echo "fatal: unable to access: Could not resolve host: example.invalid" >&2; exit 128',
  );
}
