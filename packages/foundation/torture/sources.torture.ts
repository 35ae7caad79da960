import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { seededRandom, TempGitRepo, TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';

const ROUNDS = 60;
const FETCHERS = 4;
const FETCH_SOURCE = fileURLToPath(new URL('../src/sources/fixtures/fetch-source.mjs', import.meta.url));

it(`${ROUNDS} times: of ${FETCHERS} processes that fetch one source two are killed at any moment, and one good entry is left`, async () => {
  const random = seededRandom(1);
  await using repo = await TempGitRepo.create(
    Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`files/${index}.md`, `${index}\n`.repeat(50)]),
    ),
  );
  await using cache = await TempWorkspace.create();
  const commit = await repo.git('rev-parse', 'HEAD');
  for (let round = 0; round < ROUNDS; round++) {
    const cacheDir = cache.resolve('cache');
    await rm(cacheDir, { recursive: true, force: true });
    const children = Array.from({ length: FETCHERS }, () =>
      spawn(process.execPath, [FETCH_SOURCE, cacheDir, `git+file://${repo.path}`], { stdio: 'ignore' }),
    );
    const ended = children.map((child) => once(child, 'exit'));
    await Promise.all(
      children.slice(0, 2).map(async (child) => {
        await wait(random() * 900);
        child.kill('SIGKILL');
      }),
    );
    const codes = (await Promise.all(ended)).map(([code]) => code as number | null);
    expect(codes.slice(2), `round ${round}`).toEqual([0, 0]);
    const [place, ...others] = (await readdir(cacheDir)).filter((name) => name !== 'unfinished');
    expect(others).toEqual([]);
    const entries = (await readdir(join(cacheDir, place ?? ''))).filter((name) => name !== 'seen');
    expect(entries).toEqual([commit]);
    const files = await readdir(join(cacheDir, place ?? '', commit, 'files'));
    expect(files).toHaveLength(200);
    expect(await readFile(join(cacheDir, place ?? '', commit, 'files/199.md'), 'utf8')).toBe(
      '199\n'.repeat(50),
    );
  }
});
