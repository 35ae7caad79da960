import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostPaths, openAllRuns } from '@amplifier/host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, errorOf, McpScene } from '../test-support/mcp-scene.js';

const AGENT = '---\nname: helper\ndescription: Helps.\n---\nYou help.\n';
const FILES = { '.amplifier/agents/helper.md': AGENT, 'notes.md': 'hello' };

/** What of a result differs between two runs of the same task. */
const OWN = ['run_id', 'run_dir', 'session_id', 'duration_s'];

function comparable(result: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(result).map(([key, value]) => [key, OWN.includes(key) ? typeof value : value]),
  );
}

describe('jobs', () => {
  let scene: McpScene;
  let server: Connection;
  beforeAll(async () => {
    scene = await McpScene.create(FILES);
    server = await scene.connect();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await scene[Symbol.asyncDispose]();
  });
  const call = async (name: string, input: Record<string, unknown> = {}) =>
    (await server.call(name, input)).structuredContent;

  it('gives the same envelope sync and async, and keeps what is to be kept', async () => {
    const task = { cli: 'helper', prompt: '!say Kept.', persist: true };
    const sync = (await call('delegate', task)).result;
    const handle = (await call('delegate', { ...task, mode: 'async' })).result;
    expect(handle).toMatchObject({
      job_id: expect.stringMatching(/^job_/),
      tool: 'delegate',
      run_dir: expect.any(String),
    });
    const waited = await call('wait_job', { job_id: handle.job_id });
    expect(waited.status).toBe('succeeded');
    expect(comparable(waited.result)).toEqual(comparable(sync));
    expect((await call('job_result', { job_id: handle.job_id })).result).toEqual(waited.result);
    const state = JSON.parse(await readFile(join(handle.run_dir, 'state.json'), 'utf8'));
    expect(state).toMatchObject({ run_id: handle.job_id, status: 'succeeded', result: waited.result });
    expect(await readFile(join(handle.run_dir, 'answer.md'), 'utf8')).toBe('Kept.\n');
    expect(handle.run_dir).toBe(scene.home.resolve(`jobs/${handle.job_id}`));
  });

  it('keeps nothing unless told to, and still answers for it', async () => {
    const { result } = await call('delegate', {
      cli: 'helper',
      prompt: '!say Gone.',
      persist: false,
      mode: 'async',
    });
    expect(result.run_dir).toBeNull();
    const waited = await call('wait_job', { job_id: result.job_id });
    expect(waited.result).toMatchObject({ text: 'Gone.', run_dir: null });
    await expect(readFile(scene.home.resolve(`jobs/${result.job_id}/state.json`))).rejects.toThrow('ENOENT');
  });

  it('shows a running job, gives up waiting without stopping it, and cancels it', async () => {
    const before = scene.model.exchanges.length;
    const { result } = await call('delegate', {
      cli: 'helper',
      prompt: '!hang',
      mode: 'async',
      persist: true,
    });
    const exchange = await scene.model.received(before + 1);
    const waited = await call('wait_job', { job_id: result.job_id, timeout_s: 0.05 });
    expect(waited).toMatchObject({ status: 'running', result: null });
    expect(await call('job_status', { job_id: result.job_id })).toMatchObject({
      status: 'running',
      doing: expect.any(String),
    });
    expect((await call('list_jobs', { status: 'running' })).jobs).toEqual([
      expect.objectContaining({ job_id: result.job_id, summary: '!hang' }),
    ]);
    expect(errorOf(await server.call('job_result', { job_id: result.job_id })).code).toBe('JOB_NOT_FINISHED');
    expect(errorOf(await server.call('continue_job', { job_id: result.job_id })).code).toBe('JOB_RUNNING');
    expect(await call('cancel_job', { job_id: result.job_id })).toMatchObject({ status: 'cancelled' });
    expect(await exchange.ended).toBe('closed');
    expect((await call('job_result', { job_id: result.job_id })).result).toMatchObject({
      ok: false,
      status: 'cancelled',
      error: { code: 'CANCELLED', reexecution_safety: 'duplicate_cost' },
    });
    expect(await call('cancel_job', { job_id: result.job_id })).toMatchObject({ status: 'cancelled' });
    expect((await call('activity')).count).toBe(0);
  });

  it('gives a finished job its next turn as a new job', async () => {
    const first = (await call('delegate', { cli: 'helper', prompt: '!say One.', persist: true })).result;
    expect(errorOf(await server.call('continue_job', { job_id: first.run_id })).code).toBe('INVALID_INPUT');
    const second = (await call('continue_job', { job_id: first.run_id, prompt: '!say Two.' })).result;
    expect(second).toMatchObject({ ok: true, text: 'Two.', session_id: first.session_id });
    expect(second.run_id).not.toBe(first.run_id);
    expect(await call('job_status', { job_id: second.run_id })).toMatchObject({
      continued_from: first.run_id,
    });
    expect((await call('job_result', { job_id: first.run_id })).result.text).toBe('One.');
  });

  it('returns a proposal as a diff and applies nothing', async () => {
    const prompt = '!call write_file {"file_path": "notes.md", "content": "changed"}\n!then\n!say Proposed.';
    const { result } = await call('delegate', {
      cli: 'helper',
      prompt,
      safety_mode: 'propose',
      persist: true,
    });
    expect(result).toMatchObject({
      ok: true,
      changed_files: ['notes.md'],
      changes_applied: false,
      error: null,
    });
    expect(result.diff).toContain('+changed');
    expect(await readFile(scene.folder.resolve('notes.md'), 'utf8')).toBe('hello');
    expect(await readFile(join(result.run_dir, 'diff.patch'), 'utf8')).toBe(result.diff);
  });

  it('says in write what it changed, with the diff, in the result and in the job', async () => {
    const calls = [
      '!call write_file {"file_path": "made.md", "content": "made"}',
      '!call bash {"command": "echo more >> kept.md; rm gone.md"}',
    ];
    await scene.folder.write('kept.md', 'kept\n');
    await scene.folder.write('gone.md', 'gone\n');
    const { result } = await call('delegate', {
      cli: 'helper',
      prompt: `${calls.join('\n')}\n!then\n!say Changed.`,
      safety_mode: 'write',
      trust_workspace: true,
      persist: true,
    });
    expect(result).toMatchObject({
      ok: true,
      changed_files: ['gone.md', 'kept.md', 'made.md'],
      changes_applied: true,
      resumable: true,
    });
    expect(result.diff).toContain(' kept\n+more\n');
    expect(result.diff).toContain('-gone\n');
    expect(await readFile(scene.folder.resolve('made.md'), 'utf8')).toBe('made');
    expect(await readFile(join(result.run_dir, 'diff.patch'), 'utf8')).toBe(result.diff);
    const again = await call('delegate', {
      cli: 'helper',
      prompt: '!say Nothing more.',
      session_id: result.session_id,
      trust_workspace: true,
    });
    expect(again.result).toMatchObject({ ok: true, changed_files: [], diff: null });
  });

  it('changes nothing in read_only, even when the agent tries', async () => {
    const prompt = '!call write_file {"file_path": "notes.md", "content": "changed"}\n!then\n!say Tried.';
    const { result } = await call('delegate', { cli: 'helper', prompt });
    expect(result).toMatchObject({ ok: true, text: 'Tried.' });
    expect(await readFile(scene.folder.resolve('notes.md'), 'utf8')).toBe('hello');
  });

  it('passes the effort on, and says so', async () => {
    const before = scene.model.exchanges.length;
    const { result } = await call('delegate', { cli: 'helper', prompt: '!say Thought.', effort: 'high' });
    expect(result).toMatchObject({ ok: true, effort_applied: 'high', target: { effort: 'high' } });
    const { body } = await scene.model.received(before + 1);
    expect(JSON.stringify(body)).toContain('"thinking"');
  });

  it('reports a job whose folder is damaged without hiding the others', async () => {
    const { result } = await call('delegate', { cli: 'helper', prompt: '!say X.', persist: true });
    await rm(join(result.run_dir, 'answer.md'));
    await using other = await scene.connect();
    await writeFile(join(result.run_dir, 'state.json'), '{"version": 1');
    const listed = (await other.call('list_jobs')).structuredContent;
    expect(listed.problems).toEqual([expect.stringContaining(result.run_id)]);
    expect(listed.jobs.length).toBeGreaterThan(3);
  });
});

it('looks after a job that another server runs', async () => {
  await using scene = await McpScene.create(FILES);
  await using first = await scene.connect();
  await using second = await scene.connect();
  const input = { cli: 'helper', prompt: '!hang', mode: 'async', persist: true };
  const { job_id } = (await first.call('delegate', input)).structuredContent.result;
  const exchange = await scene.model.received(1);
  const status = async () => (await second.call('job_status', { job_id })).structuredContent.status;
  expect(await status()).toBe('running');
  expect(errorOf(await second.call('continue_job', { job_id })).code).toBe('JOB_RUNNING');
  const waiting = second.call('wait_job', { job_id });
  await second.call('cancel_job', { job_id });
  expect(await exchange.ended).toBe('closed');
  expect((await waiting).structuredContent).toMatchObject({ status: 'cancelled', result: { ok: false } });
  expect((await first.call('job_status', { job_id })).structuredContent.status).toBe('cancelled');
});

it('falls back when nothing ran, first on another model, records the way, and never for write', async () => {
  const settings = 'delegation: { agents: { helper: { fallback_model: claude-haiku-9 } } }\n';
  await using scene = await McpScene.create(FILES, { 'settings.yaml': settings });
  scene.model.play(({ model }) =>
    model === 'claude-sonnet-4-5' ? { text: 'Here.' } : { fail: { status: 404 } },
  );
  await using server = await scene.connect();
  const delegate = async (input: Record<string, unknown>) =>
    (await server.call('delegate', { cli: 'helper', prompt: 'Go.', model: 'claude-gone-1', ...input }))
      .structuredContent.result;
  const alone = await delegate({ allow_model_fallback: false });
  expect(alone).toMatchObject({
    ok: false,
    error: { code: 'NOT_FOUND', reexecution_safety: 'safe' },
    fallback_chain: [],
  });
  const saved = await delegate({ fallback: ['amplifier'] });
  expect(saved).toMatchObject({
    ok: true,
    text: 'Here.',
    target: { cli: 'amplifier' },
    requested_model: 'claude-gone-1',
    fallback_from: 'helper:claude-gone-1',
    fallback_chain: ['helper:claude-gone-1', 'helper:claude-haiku-9'],
  });
  const writing = await delegate({ fallback: ['amplifier'], safety_mode: 'write', trust_workspace: true });
  expect(writing).toMatchObject({ ok: false, fallback_chain: [] });
});

describe('a job that was not to be kept', () => {
  const task = { cli: 'helper', prompt: 'Go.', mode: 'async', persist: false };

  it('has a session from the first reply on, and survives the death of its server', async () => {
    await using scene = await McpScene.create(FILES);
    scene.model.play([{ hang: 'before' }]);
    // Where answers are written is for the user to say.
    await scene.folder.write(
      '.amplifier/settings.yaml',
      `delegation: { jobs_dir: ${scene.home.resolve('elsewhere')} }\n`,
    );
    const doomed = await scene.connect({ program: true });
    const { result: handle } = (await doomed.call('delegate', task)).structuredContent;
    expect(handle).toMatchObject({ session_id: expect.stringMatching(/^session_/), run_dir: null });
    const exchange = await scene.model.received(1);
    process.kill(doomed.pid, 'SIGKILL');
    await exchange.ended;

    scene.model.play([{ text: 'There.' }]);
    await using server = await scene.connect();
    const call = async (name: string, input: Record<string, unknown> = {}) =>
      (await server.call(name, input)).structuredContent;
    const { job_id, session_id } = handle;
    // The connections of a killed process are closed before the process is gone.
    await expect
      .poll(async () => (await call('list_jobs')).jobs)
      .toEqual([expect.objectContaining({ job_id, session_id, status: 'interrupted' })]);
    expect(await call('job_status', { job_id })).toMatchObject({ status: 'interrupted', summary: 'Go.' });
    const { result } = await call('continue_job', { job_id });
    expect(result).toMatchObject({ ok: true, text: 'There.', run_id: job_id, session_id, run_dir: null });
    await expect(readFile(scene.home.resolve(`jobs/${job_id}/state.json`))).rejects.toThrow('ENOENT');
    await doomed[Symbol.asyncDispose]();
  });

  it('is found by later servers with its result, also when its session has had other turns since', async () => {
    await using scene = await McpScene.create(FILES);
    const first = await scene.connect();
    const { job_id } = (await first.call('delegate', { ...task, prompt: '!say One.' })).structuredContent
      .result;
    const one = (await first.call('wait_job', { job_id })).structuredContent.result;
    const next = { ...task, prompt: '!say Two.', session_id: one.session_id };
    const later = (await first.call('delegate', next)).structuredContent.result;
    const two = (await first.call('wait_job', { job_id: later.job_id })).structuredContent.result;
    await first[Symbol.asyncDispose]();

    await using second = await scene.connect();
    const resultOf = async (id: string) =>
      (await second.call('job_result', { job_id: id })).structuredContent.result;
    expect(comparable(await resultOf(job_id))).toEqual(comparable(one));
    expect(comparable(await resultOf(later.job_id))).toEqual(comparable(two));
    const { jobs } = (await second.call('list_jobs')).structuredContent;
    expect(jobs.map((job: { job_id: string }) => job.job_id)).toEqual([later.job_id, job_id]);
  });

  it('that never got as far as a session is told at once how it ended', async () => {
    await using scene = await McpScene.create(FILES);
    await using server = await scene.connect({ env: { ANTHROPIC_API_KEY: '' } });
    const { result } = (await server.call('delegate', task)).structuredContent;
    expect(result).toMatchObject({ ok: false, session_id: null, error: { code: 'NO_MODEL' } });
  });
});

describe('a server that dies in the middle of a job', () => {
  it('leaves it interrupted, and continue_job finishes it where it was', async () => {
    await using scene = await McpScene.create(FILES);
    const jobs = scene.home.resolve('the-jobs');
    await scene.home.write('settings.yaml', `delegation: { default_persistence: job, jobs_dir: ${jobs} }\n`);
    scene.model.play([
      { tool_calls: [{ name: 'read_file', arguments: { file_path: 'notes.md' } }] },
      { hang: 'before' },
    ]);
    const doomed = await scene.connect({ program: true });
    const { result: handle } = (
      await doomed.call('delegate', { cli: 'helper', prompt: 'Read notes.md.', mode: 'async' })
    ).structuredContent;
    expect(handle.run_dir).toBe(join(jobs, handle.job_id));
    const second = await scene.model.received(2);
    process.kill(doomed.pid, 'SIGKILL');
    await second.ended;

    scene.model.play([{ text: 'It says hello.' }]);
    await using server = await scene.connect();
    const call = async (name: string, input: Record<string, unknown> = {}) =>
      (await server.call(name, input)).structuredContent;
    // Its connections end a moment before the process itself does.
    await expect
      .poll(async () => (await call('list_jobs')).jobs)
      .toEqual([expect.objectContaining({ job_id: handle.job_id, status: 'interrupted' })]);
    expect(errorOf(await server.call('job_result', { job_id: handle.job_id })).message).toContain(
      'continue_job',
    );
    const { result } = await call('continue_job', { job_id: handle.job_id });
    expect(result).toMatchObject({
      ok: true,
      text: 'It says hello.',
      run_id: handle.job_id,
      run_dir: handle.run_dir,
    });
    // The tool had run before the end; it did not run again, and its result reached the model.
    const { body } = await scene.model.received(1);
    expect(JSON.stringify(body)).toContain('hello');
    expect(scene.model.exchanges).toHaveLength(1);
    expect(await call('job_status', { job_id: handle.job_id })).toMatchObject({ status: 'succeeded' });
    await doomed[Symbol.asyncDispose]();
  });

  it('is known by its log when it died between the answer and the job’s folder', async () => {
    await using scene = await McpScene.create(FILES);
    const first = await scene.connect();
    const { result } = (
      await first.call('delegate', { cli: 'helper', prompt: '!say Answered.', persist: true })
    ).structuredContent;
    await first[Symbol.asyncDispose]();
    const file = join(result.run_dir, 'state.json');
    const { finished_at: _, ...state } = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...state, status: 'running', finished_at: null, result: null }));
    await rm(join(result.run_dir, 'answer.md'));
    await using second = await scene.connect();
    const rebuilt = (await second.call('job_result', { job_id: result.run_id })).structuredContent.result;
    expect(comparable(rebuilt)).toEqual(comparable(result));
    expect(await readFile(join(result.run_dir, 'answer.md'), 'utf8')).toBe('Answered.\n');
  });

  it('leaves a job that a leaving client cut off to be continued', async () => {
    await using scene = await McpScene.create(FILES);
    scene.model.play([{ hang: 'before' }]);
    const first = await scene.connect();
    const input = { cli: 'helper', prompt: 'Go.', mode: 'async', persist: true };
    const { result: handle } = (await first.call('delegate', input)).structuredContent;
    const exchange = await scene.model.received(1);
    await first[Symbol.asyncDispose]();
    expect(await exchange.ended).toBe('closed');
    scene.model.play([{ text: 'There.' }]);
    await using second = await scene.connect();
    expect((await second.call('job_status', { job_id: handle.job_id })).structuredContent.status).toBe(
      'interrupted',
    );
    const { result } = (await second.call('continue_job', { job_id: handle.job_id })).structuredContent;
    expect(result).toMatchObject({ ok: true, text: 'There.', run_id: handle.job_id });
  });
});

describe('the run of a job', () => {
  const runEvents = async (scene: McpScene, session_id: string, count: number) => {
    const { store, queue } = await openAllRuns(hostPaths(scene.folder.path, scene.env), () => {});
    const found: string[] = [];
    for await (const { event } of store.feed({ after: '0', signal: AbortSignal.timeout(5_000) })) {
      if (event.session_id === session_id && event.name.startsWith('run:')) found.push(event.name);
      if (found.length === count) break;
    }
    await queue.close();
    await store.close();
    return found;
  };

  it('is in the queue, and the feed of its session tells of it', async () => {
    await using scene = await McpScene.create(FILES);
    await using server = await scene.connect();
    const { result } = (await server.call('delegate', { cli: 'helper', prompt: '!say One.' }))
      .structuredContent;
    const { queue, store } = await openAllRuns(hostPaths(scene.folder.path, scene.env), () => {});
    expect(await queue.get(result.run_id)).toMatchObject({
      kind: 'job',
      status: 'finished',
      session_id: result.session_id,
      result: { status: 'completed' },
    });
    await queue.close();
    await store.close();
    await server.call('continue_job', { job_id: result.run_id, prompt: '!say Two.' });
    // The session of a new job does not exist when the job is accepted.
    expect(await runEvents(scene, result.session_id, 5)).toEqual([
      ...['run:started', 'run:ended'],
      ...['run:queued', 'run:started', 'run:ended'],
    ]);
  });

  it('is of the session that a fallback took over in', async () => {
    await using scene = await McpScene.create(FILES);
    scene.model.play(({ model }) =>
      model === 'claude-sonnet-4-5' ? { text: 'Here.' } : { fail: { status: 404 } },
    );
    const first = await scene.connect();
    const input = { cli: 'helper', prompt: 'Go.', model: 'claude-gone-1', fallback: ['amplifier'] };
    const { result } = (await first.call('delegate', input)).structuredContent;
    await first[Symbol.asyncDispose]();
    await using second = await scene.connect();
    const later = (await second.call('job_result', { job_id: result.run_id })).structuredContent.result;
    expect(later).toEqual(result);
    expect(await runEvents(scene, result.session_id, 2)).toEqual(['run:started', 'run:ended']);
  });

  it('tells later servers of a job that never had a session', async () => {
    await using scene = await McpScene.create(FILES);
    const first = await scene.connect({ env: { ANTHROPIC_API_KEY: '' } });
    const { result } = (await first.call('delegate', { cli: 'helper', prompt: 'Go.' })).structuredContent;
    await first[Symbol.asyncDispose]();
    await using second = await scene.connect();
    const later = (await second.call('job_result', { job_id: result.run_id })).structuredContent.result;
    expect(later).toEqual(result);
    expect(later).toMatchObject({ ok: false, session_id: null, error: { code: 'NO_MODEL' } });
  });

  it('ends when its process dies, for those that wait for it, and can be continued once', async () => {
    await using scene = await McpScene.create(FILES);
    scene.model.play([{ hang: 'before' }, { hang: 'before' }]);
    const doomed = await scene.connect({ program: true });
    const input = { cli: 'helper', prompt: 'Go.', mode: 'async' };
    const { job_id } = (await doomed.call('delegate', input)).structuredContent.result;
    await scene.model.received(1);
    await using first = await scene.connect();
    await using second = await scene.connect();
    const waiting = first.call('wait_job', { job_id });
    expect((await second.call('job_status', { job_id })).structuredContent.status).toBe('running');
    process.kill(doomed.pid, 'SIGKILL');
    expect((await waiting).structuredContent).toEqual({ job_id, status: 'interrupted', result: null });
    const again = { job_id, mode: 'async' };
    const answers = await Promise.all([
      first.call('continue_job', again),
      second.call('continue_job', again),
    ]);
    const refused = answers.filter(({ isError }) => isError);
    expect(refused.map((answer) => errorOf(answer).code)).toEqual(['JOB_RUNNING']);
    await scene.model.received(2);
    const [looker, owner] = answers[0]?.isError ? [first, second] : [second, first];
    expect((await looker.call('cancel_job', { job_id })).structuredContent.status).toBe('cancelled');
    expect((await owner.call('job_status', { job_id })).structuredContent.status).toBe('cancelled');
    await doomed[Symbol.asyncDispose]();
  });

  it('that was cut off is cancelled by whichever server is asked to', async () => {
    await using scene = await McpScene.create(FILES);
    scene.model.play([{ hang: 'before' }]);
    const doomed = await scene.connect({ program: true });
    const input = { cli: 'helper', prompt: 'Go.', mode: 'async' };
    const { job_id } = (await doomed.call('delegate', input)).structuredContent.result;
    await scene.model.received(1);
    await using server = await scene.connect();
    const waiting = server.call('wait_job', { job_id });
    process.kill(doomed.pid, 'SIGKILL');
    await waiting;
    expect((await server.call('cancel_job', { job_id })).structuredContent.status).toBe('cancelled');
    expect((await server.call('job_result', { job_id })).structuredContent.result).toMatchObject({
      status: 'cancelled',
    });
    await doomed[Symbol.asyncDispose]();
  });
});
