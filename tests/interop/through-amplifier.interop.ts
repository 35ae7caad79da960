// The same real agents through the program itself: handed a task by a model of ours, and looked at by doctor. Loopback only.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FakeModelServer } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { answer } from '../../packages/acp/interop/answer.js';
import { RECIPES, type Recipe } from '../../packages/acp/interop/recipes.js';
import { CliSandbox } from '../../packages/cli/test-support/run-cli.js';

const folder = process.env.INTEROP_AGENTS_FOLDER ?? '';
const wanted = (process.env.INTEROP_AGENTS ?? '').split(',');
const binaries = join(folder, 'node_modules', '.bin');

for (const [id, recipe] of Object.entries(RECIPES))
  if (wanted.includes(id) && existsSync(join(binaries, recipe.program)))
    describe(`${id}, through amplifier`, { timeout: 600_000 }, () => cases(recipe));

/** Agents that work with an account alone: the program, and what makes one. */
const LACKING = {
  copilot: { program: 'copilot', remedy: 'copilot login' },
  pi: { program: 'pi-acp', remedy: 'pi, then /login' },
};

for (const [id, lacking] of Object.entries(LACKING))
  if (wanted.includes(id) && existsSync(join(binaries, lacking.program)))
    describe(`${id}, through amplifier`, { timeout: 600_000 }, () => lacks(id, lacking));

function lacks(id: string, { remedy }: (typeof LACKING)['pi']): void {
  const env = { PATH: `${binaries}:${process.env.PATH}` };
  const open = async () => {
    const box = await CliSandbox.create({});
    const agents = { [id]: { handshake_ms: 240_000 } };
    await box.home.write('settings.yaml', JSON.stringify({ delegation: { agents } }));
    return box;
  };

  it('is connected to by doctor, which tells what it lacks and what to do', async () => {
    await using box = await open();
    const told = await box.run(['doctor', '--agent', id, '--timeout', '240', '--json'], { env });
    const { checks } = told.json() as unknown as { checks: { name: string }[] };
    const check = checks.find(({ name }) => name === `coding agent ${id}`);
    expect(check, told.stderr).toMatchObject({ state: 'missing', connection: { status: 'login_required' } });
    expect(JSON.stringify(check)).toContain(remedy);
  });

  it('fails a task before it begins, with the reason and what to do', async () => {
    await using box = await open();
    const task = ['delegate', `acp:${id}`, 'Say hello.', '--safety', 'read_only', '--json'];
    const done = await box.run(task, { env });
    expect(done.json(), done.stderr).toMatchObject({
      status: 'error',
      error: { code: 'AUTH_REQUIRED', message: expect.stringContaining(remedy) },
      metadata: { artifacts: [{ kind: 'acp', reexecution_safety: 'safe' }] },
    });
  });
}

function cases(recipe: Recipe): void {
  const open = async () => {
    const model = await FakeModelServer.start();
    model.play(answer);
    const box = await CliSandbox.create({ 'a.txt': 'one\n' });
    const config = { base_url: `${model.url}/v1`, default_model: 'fake-1', api_key: 'x' };
    const patient = { [recipe.id]: { handshake_ms: 240_000 } };
    const settings = {
      config: { providers: [{ module: 'provider-openai-compatible', config }] },
      delegation: { agents: patient },
    };
    await box.home.write('settings.yaml', JSON.stringify(settings));
    const env = { ...recipe.env(model.url), PATH: `${binaries}:${process.env.PATH}` };
    const handOn = () => {
      const instruction = `${recipe.write(box.folder.resolve('made.txt'), 'by the agent')}\n!then\n!say Written.`;
      const task = { agent: `acp:${recipe.id}`, context_depth: 'none', instruction };
      return box.run(['run', `!call delegate ${JSON.stringify(task)}\n!then\n!say Over.`, '--json'], { env });
    };
    return {
      box,
      env,
      handOn,
      /** Was some model told this? Agents ask for titles of their own at any time. */
      told: (words: string) => model.exchanges.some(({ body }) => JSON.stringify(body).includes(words)),
      async [Symbol.asyncDispose]() {
        await box[Symbol.asyncDispose]();
        await model[Symbol.asyncDispose]();
      },
    };
  };

  it('only reads when a model hands it a task in a folder that nobody trusts', async () => {
    await using scene = await open();
    const done = await scene.handOn();
    expect(done.json(), done.stderr).toMatchObject({ response: 'Over.', status: 'success' });
    expect(existsSync(scene.box.folder.resolve('made.txt'))).toBe(false);
    expect(scene.told('The folder is not trusted, so the agent could only read')).toBe(true);
  });

  it('does what a model hands it in a folder that is trusted', async () => {
    await using scene = await open();
    await scene.box.trust();
    const done = await scene.handOn();
    expect(done.json(), done.stderr).toMatchObject({ response: 'Over.', status: 'success' });
    expect(await scene.box.folder.read('made.txt')).toContain('by the agent');
  });

  it('is connected to by doctor, which tells its version and its models', async () => {
    await using scene = await open();
    const told = await scene.box.run(['doctor', '--agent', recipe.id, '--timeout', '240', '--json'], {
      env: scene.env,
    });
    const { checks } = told.json() as unknown as { checks: { name: string }[] };
    const models = expect.arrayContaining([expect.any(String)]);
    expect(
      checks.find(({ name }) => name === `coding agent ${recipe.id}`),
      told.stderr,
    ).toMatchObject({
      state: 'ok',
      connection: { status: 'ready', version: expect.stringMatching(/\d/), models },
    });
  });
}
