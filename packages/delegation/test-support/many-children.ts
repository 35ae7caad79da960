import { expect } from 'vitest';
import { delegating, delegationBench, type Scene } from './delegation-bench.js';

const TERMINAL = /^delegate:(agent_completed|agent_cancelled|error)$/;

/** Children of one answer: the loop runs at most 64 calls of an answer. */
const WIDE = 50;

/** Roots whose first answers delegate to 50 children each; all run at once. Checks that each child ended once and well. */
export async function runManyAtOnce(children: number, { memory }: { memory: boolean }): Promise<void> {
  const task = { agent: 'explorer', instruction: 'Look.', context_depth: 'none' };
  const scene: Scene = (_, { system, calls }) => {
    if (system.includes('root'))
      return calls === 0 ? delegating(...Array.from({ length: WIDE }, () => task)) : { text: 'All done.' };
    return { text: 'Done.' };
  };
  await using bench = await delegationBench({ scene, memory });
  const limits = { max_children: WIDE, max_concurrency: WIDE };
  const roots = await Promise.all(
    Array.from({ length: children / WIDE }, () => bench.root('Go.', { limits })),
  );
  const ids = new Set<string>();
  for (const { outcome, session_id } of roots) {
    expect(outcome).toMatchObject({ status: 'completed', text: 'All done.' });
    const made = await bench.store.children(session_id);
    for (const child of made) if (child.status === 'completed') ids.add(child.session_id);
    const ends = (await bench.store.events(session_id)).filter(({ name }) => TERMINAL.test(name));
    expect(new Set(ends.map(({ id }) => id)).size).toBe(WIDE);
    expect(ends).toHaveLength(WIDE);
    const results = (await bench.store.messages(session_id)).filter(({ role }) => role === 'tool');
    expect(new Set(results.map(({ tool_call_id }) => tool_call_id)).size).toBe(WIDE);
    expect(results).toHaveLength(WIDE);
  }
  expect(ids.size).toBe(children);
}
