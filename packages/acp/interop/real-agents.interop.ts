// Real third-party agents, installed by `npm run interop`, against the fake model server. Loopback only.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CancellationToken, type Clock, systemClock } from '@amplifier/core';
import { FakeModelServer } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HANDSHAKE_MS } from '../src/defaults.js';
import { acpBench, acpFacts, patchOf } from '../test-support/acp-bench.js';
import { answer, hasTools } from './answer.js';
import { RECIPES, type Recipe } from './recipes.js';

const folder = process.env.INTEROP_AGENTS_FOLDER ?? '';
const wanted = (process.env.INTEROP_AGENTS ?? 'opencode').split(',');
const binaries = join(folder, 'node_modules', '.bin');

/** A machine that is busy takes longer to start an agent than anybody would wait. */
const PATIENT: Clock = {
  now: () => systemClock.now(),
  after: (ms, callback) => systemClock.after(ms === HANDSHAKE_MS ? 8 * ms : ms, callback),
};

for (const [id, recipe] of Object.entries(RECIPES)) {
  if (!wanted.includes(id)) it.skip(`SKIPPED: ${id} was not asked for`, () => {});
  else if (existsSync(join(binaries, recipe.program))) describe(`${id}, the real one`, () => matrix(recipe));
  else it.skip(`SKIPPED: ${id} is not installed, and nothing is shown for it`, () => {});
}

function matrix(recipe: Recipe): void {
  let model: FakeModelServer;
  beforeAll(async () => {
    model = await FakeModelServer.start();
    model.play(answer);
  });
  afterAll(() => model[Symbol.asyncDispose]());

  const open = async () => {
    const bench = await acpBench({
      engine: { clock: PATIENT },
      env: { ...recipe.env(model.url), PATH: `${binaries}:${process.env.PATH}` },
    });
    const run: typeof bench.run = async (...request) => {
      const outcome = await bench.run(...request);
      if (outcome.status !== 'completed')
        console.log(`${recipe.id}: ${outcome.error.code}: ${outcome.error.message}`);
      return outcome;
    };
    return { ...bench, run };
  };
  const agent = `acp:${recipe.id}`;
  // By the path of the user's own folder, as people name files.
  const change = (folder: string) =>
    `${recipe.write(join(folder, 'made.txt'), 'by the agent\n')}\n!then\n!say All done.`;
  const check = (name: string, run: () => Promise<void>) => {
    const reason = recipe.exceptions?.[name];
    if (reason === undefined) it(name, run);
    else it.skip(`${name}: ${reason}`, () => {});
  };

  check('answers, and says what it consumed', async () => {
    await using bench = await open();
    const outcome = await bench.run('!say Four.', { agent });
    expect(outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('Four.') });
    expect(outcome.usage.total_tokens).toBeGreaterThan(0);
    expect((await bench.leftovers()).processes).toEqual([]);
  });

  check('counts the tokens of every model call of a turn', async () => {
    await using bench = await open();
    const reading = `${recipe.read(bench.repo.resolve('a.txt'))}\n!then\n!say Read.`;
    const outcome = await bench.run(reading, { agent });
    expect(outcome).toMatchObject({ status: 'completed' });
    // Each call of the fake model is told as 10 and 5.
    expect(outcome.usage.total_tokens).toBeGreaterThanOrEqual(30);
  });

  check('reads files in read_only', async () => {
    await using bench = await open();
    await bench.repo.write('word.txt', 'xylophone\n');
    model.exchanges.length = 0;
    const reading = `${recipe.read(bench.repo.resolve('word.txt'))}\n!then\n!say Read.`;
    const outcome = await bench.run(reading, { agent });
    expect(outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('Read.') });
    expect(outcome.warnings.join()).not.toContain('Every tool call');
    expect(JSON.stringify(model.exchanges.findLast(({ body }) => hasTools(body))?.body)).toContain(
      'xylophone',
    );
  });

  check('leaves the disk alone in read_only, even when it tries', async () => {
    await using bench = await open();
    const outcome = await bench.run(change(bench.repo.path), { agent });
    expect(await bench.repo.git('status', '--porcelain', '--ignored')).toBe('');
    expect(['completed', 'denied']).toContain(outcome.status);
    expect((await bench.leftovers()).processes).toEqual([]);
  });

  check('proposes a patch and applies nothing', async () => {
    await using bench = await open();
    const outcome = await bench.run(change(bench.repo.path), { agent, safety_mode: 'propose' });
    expect(outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('All done.') });
    expect(patchOf(outcome)).toMatchObject({
      applied: false,
      diff: expect.stringContaining('+by the agent'),
    });
    expect(await bench.repo.git('status', '--porcelain')).toBe('');
  });

  check('writes', async () => {
    await using bench = await open();
    const outcome = await bench.run(change(bench.repo.path), { agent, safety_mode: 'write' });
    expect(outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('All done.') });
    expect(await bench.repo.read('made.txt')).toBe('by the agent\n');
    expect((await bench.leftovers()).trees).toEqual([]);
  });

  check('writes in a subfolder of a repository', async () => {
    await using bench = await open();
    await bench.repo.write('sub/x.txt', 'x\n');
    await bench.repo.commit('sub');
    const cwd = bench.repo.resolve('sub');
    const outcome = await bench.run(change(cwd), { agent, cwd, safety_mode: 'write' });
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(await bench.repo.read('sub/made.txt')).toBe('by the agent\n');
  });

  check('continues its session in another process', async () => {
    await using bench = await open();
    const first = await bench.run('!say 4', { agent });
    model.exchanges.length = 0;
    const { outcome } = await bench.delegator.resume(first.session_id, '!say 42 is the answer.');
    expect(outcome).toMatchObject({ status: 'completed', text: '42 is the answer.' });
    expect(acpFacts(outcome).opened).not.toBe('new');
    const asked = model.exchanges.findLast(({ body }) => hasTools(body));
    expect(JSON.stringify(asked?.body)).toContain('!say 4');
  });

  check('is cancelled in the middle, and nothing of it is left', async () => {
    await using bench = await open();
    const cancellation = new CancellationToken();
    model.exchanges.length = 0;
    const running = bench.run('!hang', { agent, cancellation });
    await model.received(1);
    cancellation.request('immediate');
    expect(await running).toMatchObject({ status: 'cancelled' });
    expect((await bench.leftovers()).processes).toEqual([]);
  });

  check('runs out of time, and nothing of it is left', async () => {
    await using bench = await open();
    const outcome = await bench.run('!hang', { agent, limits: { timeout: 12 } });
    expect(outcome).toMatchObject({ status: 'limit', limit: { kind: 'time' } });
    expect((await bench.leftovers()).processes).toEqual([]);
  });

  check('has its sub-agents in the tree, with what they said', async () => {
    await using bench = await open();
    const outcome = await bench.run(`${recipe.subagent?.start}\n!then\n!say All done.`, { agent });
    expect(outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('All done.') });
    const [child] = await bench.store.children(outcome.session_id);
    const { agent_name, last_outcome } = await bench.store.metadata(child?.session_id ?? '');
    expect(agent_name).toBe(recipe.subagent?.name);
    expect(last_outcome?.outcome).toMatchObject({
      status: 'completed',
      text: expect.stringContaining('Found it.'),
    });
  });

  check('uses the model it is told to use', async () => {
    await using bench = await open();
    const outcome = await bench.run('!say Hello.', { agent, metadata: { acp: { model: recipe.model } } });
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(acpFacts(outcome)).toMatchObject({ model_confirmed: true });
  });

  for (const status of [400, 403, 429, 500]) {
    check(`${status} of its provider is never an answer`, async () => {
      await using bench = await open();
      const cancellation = new CancellationToken();
      let asked = 0;
      // Some try again and again: then they are seen to, and stopped.
      model.play((exchange) => {
        if (hasTools(exchange.body) && ++asked === MOST_TRIES) cancellation.request('immediate');
        return answer(exchange);
      });
      const prompt = `!fail ${status} the model is broken`;
      const outcome = await bench.run(prompt, { agent, cancellation, limits: { timeout: 200 } });
      model.play(answer);
      expect(asked).toBeGreaterThan(0);
      expect(['failed', 'limit', 'cancelled']).toContain(outcome.status);
      expect(outcome.status === 'cancelled').toBe(asked >= MOST_TRIES);
    });
  }

  check('tells a missing login as such', async () => {
    await using bench = await open();
    const prompt = '!fail 401 Incorrect API key provided';
    const outcome = await bench.run(prompt, { agent, limits: { timeout: 200 } });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'AUTH_REQUIRED' } });
    expect(acpFacts(outcome)).toMatchObject({ reexecution_safety: 'safe' });
  });
}

const MOST_TRIES = 3;
