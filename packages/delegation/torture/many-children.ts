import { expect } from 'vitest';
import { delegating, delegationBench, type Scene } from '../test-support/delegation-bench.js';

const TERMINAL = /^delegate:(agent_completed|agent_cancelled|error)$/;

/** One message of a root delegates to so many children, which all run at once. Checks that each came to one good end. */
export async function runManyAtOnce(children: number, { memory }: { memory: boolean }): Promise<void> {
  const task = { agent: 'explorer', instruction: 'Look.', context_depth: 'none' };
  const scene: Scene = (_, { system, calls }) => {
    if (system.includes('root'))
      return calls === 0
        ? delegating(...Array.from({ length: children }, () => task))
        : { text: 'All done.' };
    return { text: 'Done.' };
  };
  await using bench = await delegationBench({ scene, memory });
  const { outcome, session_id } = await bench.root('Go.', {
    limits: { max_children: children, max_concurrency: children },
  });
  expect(outcome).toMatchObject({ status: 'completed', text: 'All done.' });
  const made = await bench.store.children(session_id);
  expect(made.filter(({ status }) => status === 'completed')).toHaveLength(children);
  const ends = (await bench.store.events(session_id)).filter(({ name }) => TERMINAL.test(name));
  expect(new Set(ends.map(({ id }) => id)).size).toBe(children);
  expect(ends).toHaveLength(children);
  const results = (await bench.store.messages(session_id)).filter(({ role }) => role === 'tool');
  expect(new Set(results.map(({ tool_call_id }) => tool_call_id)).size).toBe(children);
}
