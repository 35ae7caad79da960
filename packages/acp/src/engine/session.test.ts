import { AmplifierError } from '@amplifier/core';
import { chaosAgentCommand } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { acpBench, acpFacts, NOTHING } from '../../test-support/acp-bench.js';

const acp = (wishes: Record<string, unknown>) => ({ metadata: { acp: wishes } });

describe('going on with a session', () => {
  it.each([
    ['resumes it', ['--resume'], 'resumed'],
    ['loads it, and takes no replay for an answer', ['--load'], 'loaded'],
    ['loads it, also when the replay comes late', ['--load', '--replay-late'], 'loaded'],
  ])('%s', async (_name, flags, opened) => {
    await using bench = await acpBench({ flags });
    const first = await bench.run('!say one');
    const { outcome } = await bench.delegator.resume(first.session_id, '!say two\n!history');
    expect(outcome).toMatchObject({ status: 'completed', text: 'two!say one', warnings: [] });
    expect(acpFacts(outcome)).toMatchObject({ opened, agent_session_id: acpFacts(first).agent_session_id });
  });

  it.each([
    ['resumed', ['--resume']],
    ['loaded', ['--load']],
    ['loaded with a late replay', ['--load', '--replay-late']],
    ['told again', []],
  ])(
    'an answer that begins like an earlier one stays whole in a session that was %s',
    async (_how, flags) => {
      await using bench = await acpBench({ flags });
      const first = await bench.run('!say 4');
      const { outcome } = await bench.delegator.resume(first.session_id, '!say 42 is the answer');
      expect(outcome).toMatchObject({ status: 'completed', text: '42 is the answer' });
      const again = await bench.delegator.resume(first.session_id, '!say 4');
      expect(again.outcome).toMatchObject({ status: 'completed', text: '4' });
    },
  );

  it.each([
    ['keeps no sessions', []],
    ['has lost it', ['--resume']],
  ])('tells the conversation again to an agent that %s', async (_name, flags) => {
    await using bench = await acpBench({ flags, chaos: { state_paths: [] } });
    const first = await bench.run('!say one');
    const { outcome } = await bench.delegator.resume(first.session_id, '!history\n!say two');
    expect(outcome).toMatchObject({
      status: 'completed',
      warnings: [expect.stringContaining('told the conversation again')],
    });
    const told = acpFacts(outcome);
    expect(told.opened).toBe('retold');
    expect(told.agent_session_id).not.toBe(acpFacts(first).agent_session_id);
  });

  it('fails with RESUME_FAILED instead, where that was asked for', async () => {
    await using bench = await acpBench({ engine: { strictResume: true } });
    const first = await bench.run('!say one');
    const { outcome } = await bench.delegator.resume(first.session_id, '!say two');
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'RESUME_FAILED' } });
  });

  it('gives the agent what came in while it worked', async () => {
    await using bench = await acpBench();
    let sending: Promise<unknown> | undefined;
    const outcome = await bench.run('!say one\n!hang_until there.txt', {
      onEvent: (name, { session_id }) => {
        if (name !== 'content_block:delta' || sending) return;
        // The agent continues also when the message could not be sent, so that the test fails instead of hanging.
        sending = bench.delegator.control
          .message(String(session_id), '!say two')
          .finally(() => bench.repo.write('there.txt', ''));
        sending.catch(() => {});
      },
    });
    await sending;
    expect(outcome).toMatchObject({ status: 'completed', text: 'two', turn_count: 2 });
  });
});

it('keeps a million characters of what an agent says in one answer, and says that there was more', async () => {
  await using bench = await acpBench();
  const outcome = await bench.run('!big 3');
  if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome).slice(0, 500));
  expect(outcome.text.length).toBeLessThan(1_001_000);
  expect(outcome.text).toMatch(
    /x\n\n\[The answer was cut after 1000000 characters; 2145728 more were said\./,
  );
  const said = (await bench.store.messages(outcome.session_id)).filter(({ role }) => role === 'assistant');
  expect(JSON.stringify(said).length).toBeLessThan(1_002_000);
});

describe('choosing', () => {
  it.each([
    ['by a session option', ['--models', 'fake/m-1,fake/m-2']],
    ['the way of older agents', ['--models', 'fake/m-1,fake/m-2', '--legacy-models']],
  ])('the model %s, by its id or the end of it', async (_name, flags) => {
    await using bench = await acpBench({ flags });
    for (const model of ['fake/m-2', 'M-2']) {
      const outcome = await bench.run('!about', acp({ model }));
      expect(outcome).toMatchObject({
        text: expect.stringContaining('"model":"fake/m-2"'),
        model_used: 'fake/m-2',
      });
      expect(acpFacts(outcome)).toMatchObject({ requested_model: model, model_confirmed: true });
    }
  });

  it('the model on the command line, with the effort in its name', async () => {
    await using bench = await acpBench({
      chaos: {
        model_channel: { channel: 'flag', flag: '--model' },
        effort_channel: { channel: 'model', form: '{model}-{effort}', most: 'high' },
      },
    });
    const outcome = await bench.run('!about', acp({ model: 'gpt', effort: 'max' }));
    expect(outcome).toMatchObject({ text: expect.stringContaining('"argv":["--model","gpt-high"]') });
    expect(acpFacts(outcome)).toMatchObject({ effort_applied: 'high', model_confirmed: false });
  });

  it('a model the agent does not have fails before anything is said, and names those it has', async () => {
    await using bench = await acpBench({ flags: ['--models', 'm-1,m-2'] });
    const outcome = await bench.run('!say Hello.', acp({ model: 'm-9' }));
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'MODEL_UNAVAILABLE', message: expect.stringContaining('m-1, m-2') },
    });
    expect(acpFacts(outcome)).toMatchObject({ reexecution_safety: 'safe' });
  });

  it('an agent that says yes and stays with its model is found out', async () => {
    await using bench = await acpBench({ flags: ['--models', 'm-1,m-2', '--stubborn-model'] });
    expect(await bench.run('!say Hello.', acp({ model: 'm-2' }))).toMatchObject({
      error: { code: 'MODEL_UNAVAILABLE' },
    });
  });

  it('an agent that never answers when it is told what to use is given up', async () => {
    const flags = ['--models', 'm-1,m-2', '--no-choice'];
    await using bench = await acpBench({ flags, chaos: { handshake_ms: 400 } });
    expect(await bench.run('!say Hello.', acp({ model: 'm-2' }))).toMatchObject({
      error: { code: 'ACP_HANDSHAKE_FAILED' },
    });
    expect(await bench.leftovers()).toEqual(NOTHING);
  });

  it('a default model is only a wish', async () => {
    await using bench = await acpBench({ chaos: { default_model: 'm-9' } });
    expect(await bench.run('!say Hello.')).toMatchObject({
      status: 'completed',
      warnings: [expect.stringContaining('m-9')],
    });
  });

  it('the effort by an option, at what the agent offers, by a flag, and not at all', async () => {
    await using option = await acpBench({ flags: ['--efforts', 'low,medium,high'] });
    const clamped = await option.run('!about', acp({ effort: 'max' }));
    expect(clamped).toMatchObject({ text: expect.stringContaining('"effort":"high"') });
    await using flag = await acpBench({ chaos: { effort_channel: { channel: 'flag', flag: '--thinking' } } });
    expect(acpFacts(await flag.run('!about', acp({ effort: 'xhigh' })))).toMatchObject({
      effort_applied: 'xhigh',
    });
    await using nothing = await acpBench();
    expect(await nothing.run('!say Hello.', acp({ effort: 'low' }))).toMatchObject({
      warnings: [expect.stringContaining("'effort' had no effect")],
    });
  });

  it('the mode of the session that fits the safety mode', async () => {
    await using bench = await acpBench({
      flags: ['--modes', 'default,plan'],
      chaos: { levers: { read_only: { mode: 'plan', env: { CHAOS_LEVER: 'down' } } } },
    });
    const outcome = await bench.run('!env CHAOS_LEVER\n!about');
    expect(outcome).toMatchObject({ text: expect.stringMatching(/CHAOS_LEVER=down.*"mode":"plan"/s) });
  });
});

describe('falling back', () => {
  const dead = { command: ['no-such-agent'], display_name: 'Dead' };

  it('goes to the next agent while nothing has run, and records the way', async () => {
    await using bench = await acpBench({ agents: { dead } });
    const outcome = await bench.run('!say Hello.', { agent: 'acp:dead', ...acp({ fallback: ['chaos'] }) });
    expect(outcome).toMatchObject({ status: 'completed', text: 'Hello.' });
    expect(acpFacts(outcome)).toMatchObject({ agent: 'chaos', fallback_chain: ['dead'] });
  });

  it('goes to the next agent when the first says only at the prompt that nobody has logged in', async () => {
    await using bench = await acpBench({
      flags: ['--login-at-prompt'],
      agents: { other: { command: chaosAgentCommand() } },
    });
    const outcome = await bench.run('!say Hello.', acp({ fallback: ['other'] }));
    expect(outcome).toMatchObject({ status: 'completed', text: 'Hello.' });
    expect(acpFacts(outcome)).toMatchObject({ agent: 'other', fallback_chain: ['chaos'] });
  });

  it('tries the agent’s own fallback model first', async () => {
    await using bench = await acpBench({
      flags: ['--models', 'm-1,m-2'],
      chaos: { fallback_model: 'm-2' },
      agents: { dead },
    });
    const outcome = await bench.run('!about', acp({ model: 'm-9', fallback: ['dead'] }));
    expect(outcome).toMatchObject({ status: 'completed', model_used: 'm-2' });
    const without = await bench.run('!about', acp({ model: 'm-9', allow_model_fallback: false }));
    expect(without).toMatchObject({ error: { code: 'MODEL_UNAVAILABLE' } });
  });

  it('keeps the first error when all of them fail, and does not fall back once the prompt was sent', async () => {
    await using bench = await acpBench({ agents: { dead, other: { ...dead, display_name: 'Other' } } });
    const all = await bench.run('!say Hello.', { agent: 'acp:dead', ...acp({ fallback: ['other'] }) });
    expect(all).toMatchObject({ error: { message: expect.stringContaining('Dead is not installed') } });
    const sent = await bench.run('!exit 1', acp({ fallback: ['dead'] }));
    expect(sent).toMatchObject({ error: { code: 'ACP_TURN_ERROR' } });
    expect(acpFacts(sent)).toMatchObject({ agent: 'chaos', fallback_chain: [] });
  });

  it('never in write mode', async () => {
    await using bench = await acpBench({ agents: { dead } });
    const wishes = acp({ fallback: ['chaos'] });
    expect(
      await bench.run('!say Hello.', { agent: 'acp:dead', safety_mode: 'write', ...wishes }),
    ).toMatchObject({
      error: { code: 'ACP_SPAWN_FAILED' },
    });
    expect(await bench.leftovers()).toEqual(NOTHING);
  });

  it('passes over an agent that failed three times in a row, unless it is asked for by name', async () => {
    await using bench = await acpBench({ agents: { dead, other: { ...dead, display_name: 'Other' } } });
    for (let time = 0; time < 3; time++) await bench.run('!say Hello.', { agent: 'acp:dead' });
    const outcome = await bench.run('!say Hello.', {
      agent: 'acp:other',
      ...acp({ fallback: ['dead', 'chaos'] }),
    });
    expect(acpFacts(outcome)).toMatchObject({ agent: 'chaos', fallback_chain: ['other', 'dead (benched)'] });
    expect(await bench.run('!say Hello.', { agent: 'acp:dead' })).toMatchObject({
      error: { code: 'ACP_SPAWN_FAILED' },
    });
  });
});

describe('limits and forms', () => {
  it('stops an agent that spends more than there is', async () => {
    await using bench = await acpBench();
    const outcome = await bench.run('!say Half\n!cost 0.90\n!wait', {
      limits: { max_cost_usd: '0.50', allow_unpriced: true },
    });
    expect(outcome).toMatchObject({ status: 'limit', limit: { kind: 'cost' }, partial_text: 'Half' });
  });

  it('asks once more for an answer that does not have the form', async () => {
    await using bench = await acpBench();
    const output_schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const outcome = await bench.run('!say {"n": 4}', { output_schema });
    expect(outcome).toMatchObject({ status: 'completed', data: { n: 4 } });
    const wrong = await bench.run('!say four', { output_schema });
    expect(wrong).toMatchObject({ status: 'failed', turn_count: 2 });
  });

  it('refuses an agent nobody knows, with the nearest name', async () => {
    await using bench = await acpBench();
    await expect(bench.run('!say Hello.', { agent: 'acp:chaoss' })).rejects.toSatisfy(
      (error) => AmplifierError.is(error) && error.message.includes("'chaos'"),
    );
  });
});

describe('the warm pool', () => {
  it('serves the same agent, folder and grant with the same process, and nothing else', async () => {
    await using bench = await acpBench({ engine: { pool: { size: 2, idle_ms: 60_000 } } });
    const one = await bench.run('!say one');
    expect(bench.engine.pool.size).toBe(1);
    const first = (await bench.leftovers()).processes;
    const two = await bench.run('!say two\n!history');
    expect(two).toMatchObject({ text: 'two' });
    expect(acpFacts(two).agent_session_id).not.toBe(acpFacts(one).agent_session_id);
    expect((await bench.leftovers()).processes).toEqual(first);
    await bench.run('!say three', { safety_mode: 'propose' });
    expect(bench.engine.pool.size).toBe(2);
    await bench.engine.close();
    expect((await bench.leftovers()).processes).toEqual([]);
  });

  it('keeps what an agent says on its error output with the turn it says it in', async () => {
    await using bench = await acpBench({ engine: { pool: { size: 2, idle_ms: 60_000 } } });
    await bench.run('!stderr said before\n!say one');
    await bench.run('!say two');
    const failed = await bench.run('!stderr said now\n!exit 3');
    expect(acpFacts(failed).stderr).toBe('said now');
  });

  it('does not keep a process that was cancelled, nor one that died', async () => {
    await using bench = await acpBench({ engine: { pool: { size: 2, idle_ms: 60_000 } } });
    await bench.run('!hang', { limits: { timeout: 0.3 } });
    expect(bench.engine.pool.size).toBe(0);
    await bench.run('!say one\n!exit 0');
    expect(bench.engine.pool.size).toBe(0);
    expect(await bench.leftovers()).toEqual(NOTHING);
  });
});
