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

/** Where the program has another name. */
const PROGRAMS: Record<string, string> = { claude_code: 'claude-agent-acp', codex: 'codex-acp' };

for (const [id, recipe] of Object.entries(RECIPES)) {
  if (!wanted.includes(id)) it.skip(`SKIPPED: ${id} was not asked for`, () => {});
  else if (existsSync(join(binaries, PROGRAMS[id] ?? id)))
    describe(`${id}, the real one`, () => matrix(recipe));
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
    const { agent_name, extra } = await bench.store.metadata(child?.session_id ?? '');
    expect(agent_name).toBe(recipe.subagent?.name);
    expect(extra.outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('Found it.') });
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
      model.exchanges.length = 0;
      const prompt = `!fail ${status} the model is broken`;
      const outcome = await bench.run(prompt, { agent, limits: { timeout: 30 } });
      expect(model.exchanges.length).toBeGreaterThan(0);
      // Some try again for longer than they have time.
      expect(['failed', 'limit']).toContain(outcome.status);
    });
  }

  check('tells a missing login as such', async () => {
    await using bench = await open();
    const prompt = '!fail 401 Incorrect API key provided';
    const outcome = await bench.run(prompt, { agent, limits: { timeout: 45 } });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'AUTH_REQUIRED' } });
    expect(acpFacts(outcome)).toMatchObject({ reexecution_safety: 'safe' });
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
