import type { SessionStore } from '@amplifier/sessions';
import { expect, it } from 'vitest';
import { delegating, delegationBench, type Scene } from '../../test-support/delegation-bench.js';
import { HeldClaim } from './held-claim.js';

const rootDelegates =
  (request: { agent: string; instruction: string; background?: boolean }): Scene =>
  (_, { system, results }) => {
    if (!system.includes('root') || results.length > 0) return { hang: true };
    return delegating(request);
  };

async function claimedRoot(scene: Scene) {
  const bench = await delegationBench({ scene, background: true });
  const claim = new HeldClaim();
  const { session_id } = await bench.delegator.create({
    plan: bench.rootPlan,
    system_prompt: 'You are the root.',
    cwd: bench.workspace.path,
    trusted: true,
    safety_mode: 'write',
  });
  const { cancellation } = claim;
  const run = () => bench.delegator.resume(session_id, 'Go.', { claim, cancellation });
  const factsOf = (id: string) =>
    Promise.all([bench.store.metadata(id), bench.store.messages(id), bench.store.events(id)]);
  return { bench, claim, session_id, run, factsOf };
}

it('writes nothing to a child that is created while the claim is lost', async () => {
  const { bench, claim, session_id, run, factsOf } = await claimedRoot(
    rootDelegates({ agent: 'explorer', instruction: 'Look.' }),
  );
  await using _ = bench;
  const store: SessionStore = bench.store;
  const create = store.create.bind(store);
  const before: unknown[] = [];
  const ids: string[] = [];
  store.create = async (...created) => {
    const log = await create(...created);
    ids.push(session_id, log.session_id);
    before.push(await factsOf(session_id), await factsOf(log.session_id));
    claim.lose();
    return log;
  };
  await expect(run()).rejects.toMatchObject({ code: 'FENCED', origin: session_id });
  expect(ids).toHaveLength(2);
  expect(await Promise.all(ids.map(factsOf))).toEqual(before);
  expect(bench.delegator.live.isIdle).toBe(true);
});

it('leaves a background child alone that has a claim of its own', async () => {
  const { bench, claim, session_id, run } = await claimedRoot(
    rootDelegates({ agent: 'explorer', instruction: 'Look.', background: true }),
  );
  await using _ = bench;
  const { store, delegator } = bench;
  const ended = run();
  let child: string | undefined;
  for await (const { event } of store.feed({ after: '0' })) {
    if (event.name !== 'session:status' || event.parent_id !== session_id) continue;
    child = event.session_id;
    break;
  }
  await bench.hanging;
  claim.lose();
  await expect(ended).rejects.toMatchObject({ code: 'FENCED', origin: session_id });
  expect(delegator.live.has(child ?? '')).toBe(true);
  await delegator.control.cancel(child ?? '', { by: 'me', level: 'immediate' });
  expect(await delegator.control.wait([child ?? ''])).toMatchObject([{ status: 'cancelled', by: 'me' }]);
});
