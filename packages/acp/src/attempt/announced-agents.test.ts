import { CancellationToken, textOf } from '@amplifier/core';
import { type LaunchRecord, observeChild } from '@amplifier/delegation';
import { expect, it } from 'vitest';
import { acpBench, triggeredClock } from '../../test-support/acp-bench.js';
import { SUB_AGENT_SILENCE_MS } from '../defaults.js';

/** The sub-agents of a session, by name, with what they said. */
async function nodesBelow(bench: Awaited<ReturnType<typeof acpBench>>, parent_id: string) {
  const { sessions } = await bench.store.list({ parent_id });
  const nodes = await Promise.all(
    sessions.map(async ({ session_id }) => ({
      ...(await bench.store.metadata(session_id)),
      said: (await bench.store.tail(session_id, 10)).map(({ content }) => textOf(content)),
    })),
  );
  return Object.fromEntries(nodes.map((node) => [node.agent_name, node]));
}

it('makes sub-agents that an agent announces nodes of the tree, with what they said and did', async () => {
  await using bench = await acpBench();
  const seen: string[] = [];
  const outcome = await bench.run(
    `!subagent new looker Found it.
!subagent draft breaker It broke.
!subagent broken thinker Half a thought
!say All done.`,
    { onEvent: (name, { agent }) => name.startsWith('delegate:') && seen.push(`${name} ${String(agent)}`) },
  );
  expect(outcome).toMatchObject({ status: 'completed', text: 'All done.', warnings: [] });
  expect(await nodesBelow(bench, outcome.session_id)).toEqual({
    looker: expect.objectContaining({
      root_id: outcome.session_id,
      depth: 1,
      last_outcome: expect.objectContaining({
        outcome: expect.objectContaining({ status: 'completed', text: 'Found it.', resumable: false }),
      }),
      said: expect.arrayContaining(['looker', 'Found it.']),
    }),
    breaker: expect.objectContaining({
      last_outcome: expect.objectContaining({
        outcome: expect.objectContaining({ status: 'failed', partial_text: 'It broke.' }),
      }),
    }),
    thinker: expect.objectContaining({
      last_outcome: expect.objectContaining({
        outcome: expect.objectContaining({
          status: 'failed',
          error: expect.objectContaining({ message: expect.stringContaining('overloaded') }),
        }),
      }),
    }),
  });
  expect(seen).toEqual(
    expect.arrayContaining([
      'delegate:agent_spawned looker',
      'delegate:agent_completed looker',
      'delegate:error breaker',
    ]),
  );
});

it('waits for sub-agents that work on when their agent has answered, and takes their changes too', async () => {
  await using bench = await acpBench();
  const outcome = await bench.run('!subagent late builder Built.\n!say Soon.', { safety_mode: 'write' });
  expect(outcome).toMatchObject({ status: 'completed', text: 'Soon.', warnings: [] });
  expect(await bench.repo.read('builder.txt')).toBe('Built.\n');
  const { builder } = await nodesBelow(bench, outcome.session_id);
  expect(builder?.last_outcome).toMatchObject({ outcome: { status: 'completed', text: 'Built.' } });
});

it('waits no longer than something is heard of them, says so, and keeps no process in which they may still work', async () => {
  await using bench = await acpBench({ engine: { pool: { size: 1, idle_ms: 60_000 } } });
  const unsaid = await bench.run('!subagent unsaid quiet Hm.\n!say Answer.');
  expect(unsaid).toMatchObject({ status: 'completed', text: 'Answer.' });
  expect(unsaid.warnings.join()).toContain('never told how these sub-agents of it ended: quiet');
  const { quiet } = await nodesBelow(bench, unsaid.session_id);
  expect(quiet?.last_outcome).toMatchObject({ outcome: { status: 'failed', partial_text: 'Hm.' } });
  expect((await bench.leftovers()).processes).toEqual([]);

  const clock = triggeredClock(SUB_AGENT_SILENCE_MS.working);
  await using patient = await acpBench({ engine: { clock } });
  const outcome = await patient.run('!subagent lost sleeper Still here.\n!say Answer.', {
    onEvent: (name, { step }) => {
      if (name === 'acp:step' && step === 'waiting for its sub-agents') setImmediate(clock.fire);
    },
  });
  expect(outcome).toMatchObject({ status: 'completed', warnings: [expect.stringContaining('sleeper')] });

  const cancellation = new CancellationToken();
  const stopped = await bench.run('!subagent lost sleeper Still here.\n!say Answer.', {
    cancellation,
    onEvent: (_name, { step }) => {
      if (step === 'waiting for its sub-agents') cancellation.request('immediate');
    },
  });
  expect(stopped.status).toBe('cancelled');
  const { sleeper } = await nodesBelow(bench, stopped.session_id);
  expect(sleeper?.last_outcome).toMatchObject({ outcome: { status: 'cancelled' } });
});

it('ends those that a process watched which died, when their parent continues, and lets nobody resume them', async () => {
  await using bench = await acpBench();
  const { session_id } = await bench.run('!say One.');
  const launch = (await bench.store.document(session_id, 'launch')) as unknown as LaunchRecord;
  const log = await bench.store.open(session_id);
  const turn = { launch, log, observe: null, logs: bench.store, claim: null };
  const above = await observeChild(bench.store, turn, { name: 'lost', instruction: 'x' });
  const below = { ...turn, launch: above.launch, log: above.log };
  const nested = await observeChild(bench.store, below, { name: 'lower', instruction: 'y' });
  // What a sudden death leaves: nobody owns them, and none has an outcome.
  for (const each of [nested.log, above.log, log]) await each.close();
  const lost = [above.launch.session_id, nested.launch.session_id];
  const { outcome } = await bench.delegator.resume(session_id, '!say Two.');
  expect(outcome).toMatchObject({ status: 'completed', text: 'Two.' });
  for (const id of lost) {
    expect(await bench.store.metadata(id)).toMatchObject({
      status: 'failed',
      last_outcome: { outcome: { status: 'failed', resumable: false, error: { code: 'INTERRUPTED' } } },
    });
    await expect(bench.delegator.resume(id, 'More.')).rejects.toMatchObject({ code: 'ENGINE_UNKNOWN' });
  }
});
