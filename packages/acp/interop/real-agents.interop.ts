// Real third-party agents, installed by `npm run interop`, against the fake model server. Loopback only.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CancellationToken } from '@amplifier/core';
import { type FakeExchange, FakeModelServer, replyFromConversation } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acpBench, acpFacts, patchOf } from '../test-support/acp-bench.js';
import { RECIPES, type Recipe } from './recipes.js';

const folder = process.env.INTEROP_AGENTS_FOLDER ?? '';
const wanted = (process.env.INTEROP_AGENTS ?? 'opencode').split(',');
const binaries = join(folder, 'node_modules', '.bin');

for (const id of wanted) {
  const recipe = RECIPES[id];
  const there = recipe !== undefined && existsSync(join(binaries, id));
  if (recipe && there) describe(`${id}, the real one`, () => matrix(recipe));
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
  const change = `${recipe.write('made.txt', 'by the agent\n')}\n!then\n!say All done.`;

  it('answers, and says what it consumed', async () => {
    await using bench = await open();
    const outcome = await bench.run('!say Four.', { agent });
    expect(outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('Four.') });
    expect(outcome.usage.total_tokens).toBeGreaterThan(0);
    expect((await bench.leftovers()).processes).toEqual([]);
  });

  it('leaves the disk untouched in read_only, even when it tries', async () => {
    await using bench = await open();
    const outcome = await bench.run(change, { agent });
    expect(await bench.repo.git('status', '--porcelain', '--ignored')).toBe('');
    expect(['completed', 'denied']).toContain(outcome.status);
    expect((await bench.leftovers()).processes).toEqual([]);
  });

  it('proposes a patch and applies nothing', async () => {
    await using bench = await open();
    const outcome = await bench.run(change, { agent, safety_mode: 'propose' });
    expect(outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('All done.') });
    expect(patchOf(outcome)).toMatchObject({
      applied: false,
      diff: expect.stringContaining('+by the agent'),
    });
    expect(await bench.repo.git('status', '--porcelain')).toBe('');
  });

  it('writes', async () => {
    await using bench = await open();
    const outcome = await bench.run(change, { agent, safety_mode: 'write' });
    expect(outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('All done.') });
    expect(await bench.repo.read('made.txt')).toBe('by the agent\n');
    expect((await bench.leftovers()).trees).toEqual([]);
  });

  it('goes on with its session in another process', async () => {
    await using bench = await open();
    const first = await bench.run('!say The word is plum.', { agent });
    model.exchanges.length = 0;
    const { outcome } = await bench.delegator.resume(first.session_id, '!say You said plum.');
    expect(outcome).toMatchObject({ status: 'completed', text: 'You said plum.' });
    const asked = model.exchanges.findLast(({ body }) => hasTools(body));
    expect(JSON.stringify(asked?.body)).toContain('The word is plum.');
    console.log(`${recipe.id}: second turn ${acpFacts(outcome).opened}; ${outcome.warnings.join(' ')}`);
  });

  it('is cancelled in the middle, and nothing of it is left', async () => {
    await using bench = await open();
    const cancellation = new CancellationToken();
    model.exchanges.length = 0;
    const running = bench.run('!hang', { agent, cancellation });
    await model.received(1);
    cancellation.request('immediate');
    expect(await running).toMatchObject({ status: 'cancelled' });
    expect((await bench.leftovers()).processes).toEqual([]);
  });

  it('runs out of time, and nothing of it is left', async () => {
    await using bench = await open();
    const outcome = await bench.run('!hang', { agent, limits: { timeout: 12 } });
    expect(outcome).toMatchObject({ status: 'limit', limit: { kind: 'time' } });
    expect((await bench.leftovers()).processes).toEqual([]);
  });

  it('uses the model it is told to use', async () => {
    await using bench = await open();
    model.exchanges.length = 0;
    const outcome = await bench.run('!say Hello.', { agent, metadata: { acp: { model: recipe.model } } });
    expect(outcome).toMatchObject({ status: 'completed', model_used: recipe.model });
    const asked = model.exchanges.findLast(({ body }) => hasTools(body));
    expect(recipe.model).toContain(asked?.model);
  });

  it('an error of its provider is not an answer', async () => {
    await using bench = await open();
    const outcome = await bench.run('!fail 400 the model is broken', { agent, limits: { timeout: 60 } });
    expect(outcome).toMatchObject({ status: 'failed' });
  });
}

/** Titles and routing are asked for without tools, and are not what the prompt is about. */
function answer(exchange: FakeExchange) {
  if (hasTools(exchange.body)) return replyFromConversation(exchange.steps);
  return { text: JSON.stringify({ reasoning: 'It is short.', model_choice: 'flash', title: 'A title' }) };
}

function hasTools(body: Record<string, unknown>): boolean {
  return Array.isArray(body.tools) && body.tools.length > 0;
}
