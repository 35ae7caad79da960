import { toolSuccess } from '@amplifier/core';
import { openSessionStore } from '@amplifier/sessions';
import { expect, it } from 'vitest';
import { PowerCut } from '../../../sessions/test-support/power-cut.js';
import { delegating, delegationBench } from '../../test-support/delegation-bench.js';

it('has a tool call on disk before the tool acts, with all that led to it, and the outcome before it is told', async () => {
  const found: (string | undefined)[][] = [];
  const tool = {
    name: 'act',
    description: 'Acts.',
    inputSchema: { type: 'object' as const },
    execute: async () => {
      found.push(await rolesAfter(cut));
      return toolSuccess('Acted.');
    },
  };
  await using bench = await delegationBench({
    tools: [tool],
    scene: (_, { system, results }) => {
      if (results.length > 0) return { text: 'Done.' };
      return system.includes('root')
        ? delegating({ agent: 'explorer', instruction: 'Look.' })
        : { tool_calls: [{ name: 'act' }] };
    },
  });
  using cut = new PowerCut(bench.workspace.resolve('sessions/record.db'));
  const { outcome, session_id } = await bench.root('Go.');
  expect(outcome).toMatchObject({ status: 'completed' });
  // Root and child, each with what it was asked and the call it made.
  expect(found).toEqual([['user', 'assistant', 'user', 'assistant']]);
  await using store = await openSessionStore(cut.copy());
  expect((await store.metadata(session_id)).last_outcome).toMatchObject({ outcome: { status: 'completed' } });

  async function rolesAfter(at: PowerCut): Promise<(string | undefined)[]> {
    await using store = await openSessionStore(at.copy());
    const { sessions } = await store.list({ limit: 2 });
    const messages = await Promise.all(
      sessions.reverse().map(({ session_id }) => store.messages(session_id)),
    );
    return messages.flat().map(({ role }) => role);
  }
});
