import { textOf } from '@amplifier/core';
import { expect, it } from 'vitest';
import { acpBench } from '../../test-support/acp-bench.js';

it('makes sub-agents that an agent announces nodes of the tree, with what they said and did', async () => {
  await using bench = await acpBench();
  const seen: string[] = [];
  const outcome = await bench.run(
    '!subagent new looker Found it.\n!subagent draft breaker It broke.\n!subagent lost sleeper Still here.\n!say All done.',
    { onEvent: (name, { agent }) => name.startsWith('delegate:') && seen.push(`${name} ${String(agent)}`) },
  );
  expect(outcome).toMatchObject({ status: 'completed', text: 'All done.' });
  const { sessions } = await bench.store.list({ parent_id: outcome.session_id });
  const nodes = await Promise.all(
    sessions.map(async ({ session_id }) => ({
      ...(await bench.store.metadata(session_id)),
      said: (await bench.store.tail(session_id, 10)).map(({ content }) => textOf(content)),
    })),
  );
  const node = (name: string) => nodes.find(({ agent_name }) => agent_name === name);
  expect(nodes).toHaveLength(3);
  expect(node('looker')).toMatchObject({
    root_id: outcome.session_id,
    depth: 1,
    extra: { outcome: { status: 'completed', text: 'Found it.', resumable: false } },
    said: expect.arrayContaining(['looker', 'Found it.']),
  });
  expect(node('breaker')).toMatchObject({
    extra: { outcome: { status: 'failed', partial_text: 'It broke.' } },
  });
  expect(node('sleeper')).toMatchObject({ extra: { outcome: { status: 'completed' } } });
  expect(seen).toEqual(
    expect.arrayContaining([
      'delegate:agent_spawned looker',
      'delegate:agent_completed looker',
      'delegate:error breaker',
    ]),
  );
});
