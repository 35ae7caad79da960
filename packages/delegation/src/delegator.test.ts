import { ScriptedProvider } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { delegating, delegationBench, type Scene } from '../test-support/delegation-bench.js';

/** The root delegates once and repeats what came back; everybody else answers by name. */
const once =
  (...requests: Parameters<typeof delegating>): Scene =>
  (_, { system, results, calls }) => {
    if (!system.includes('root')) return { text: `Answer of ${system}` };
    return calls === 0 ? delegating(...requests) : { text: `Got: ${results.join(' | ')}` };
  };

describe('a delegation', () => {
  it('gives the child its own session and the parent its answer', async () => {
    await using bench = await delegationBench({
      scene: once({ agent: 'explorer', instruction: 'Look around.' }),
    });
    const { outcome, session_id } = await bench.root('Go.');
    expect(outcome).toMatchObject({ status: 'completed', turn_count: 2 });
    const [child] = await bench.store.children(session_id);
    expect(child).toMatchObject({ agent_name: 'explorer', status: 'completed', tool_call_id: 'call_1' });
    const result = JSON.parse(String((outcome as { text: string }).text.replace('Got: ', '')));
    expect(result).toMatchObject({
      response: 'Answer of You are the explorer.',
      session_id: child?.session_id,
      agent: 'explorer',
      status: 'success',
      turn_count: 1,
      metadata: { model_used: 'scripted-1' },
    });
  });

  it('writes the child to disk before it runs, and every message as it happens', async () => {
    const seen: string[][] = [];
    const scene: Scene = (_, { system, calls }) => {
      if (!system.includes('explorer'))
        return calls === 0 ? delegating({ agent: 'explorer', instruction: 'Look.' }) : { text: 'ok' };
      return calls === 0
        ? { text: 'Let me see.', tool_calls: [{ name: 'echo', arguments: { text: 'x' } }] }
        : { text: 'Seen.' };
    };
    await using bench = await delegationBench({
      scene,
      tools: [
        {
          name: 'echo',
          description: '',
          inputSchema: {},
          execute: async (_, { session }) => {
            const lines = await bench.store.messages(session.id);
            seen.push(lines.map(({ role }) => role));
            return { success: true, output: 'x' };
          },
        },
      ],
    });
    const { session_id } = await bench.root('Go.');
    expect(seen).toEqual([['user', 'assistant']]);
    const [child] = await bench.store.children(session_id);
    const lines = await bench.store.messages(child?.session_id ?? '');
    expect(lines.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(await bench.store.document(child?.session_id ?? '', 'launch')).toMatchObject({
      agent: { name: 'explorer' },
      depth: 1,
    });
  });

  it('runs several children of one message at the same time', async () => {
    let running = 0;
    let most = 0;
    const scene: Scene = (_, { system, calls }) => {
      if (system.includes('root')) {
        return calls === 0
          ? delegating(
              { agent: 'explorer', instruction: 'a' },
              { agent: 'explorer', instruction: 'b' },
              { agent: 'explorer', instruction: 'c' },
            )
          : { text: 'all done' };
      }
      return calls === 0 ? { tool_calls: [{ name: 'meet' }] } : { text: 'done' };
    };
    const arrivals: (() => void)[] = [];
    await using bench = await delegationBench({
      scene,
      tools: [
        {
          name: 'meet',
          description: '',
          inputSchema: {},
          execute: async () => {
            most = Math.max(most, ++running);
            if (running === 3) for (const go of arrivals) go();
            else await new Promise<void>((resolve) => arrivals.push(resolve));
            return { success: true, output: 'met' };
          },
        },
      ],
    });
    expect((await bench.root('Go.')).outcome.status).toBe('completed');
    expect(most).toBe(3);
  });

  it('keeps the agent’s system prompt when it is resumed', async () => {
    await using bench = await delegationBench({ scene: once({ agent: 'explorer', instruction: 'Look.' }) });
    const { session_id } = await bench.root('Go.');
    const [child] = await bench.store.children(session_id);
    const resumed = await bench.delegator.resume(child?.session_id ?? '', 'Look again.');
    expect(resumed.outcome).toMatchObject({ status: 'completed', text: 'Answer of You are the explorer.' });
    const request = bench.model.requests.at(-1);
    expect(request?.messages.map(({ role, content }) => [role, content])).toMatchObject([
      ['system', 'You are the explorer.'],
      ['user', expect.stringContaining('Look.')],
      ['assistant', expect.anything()],
      ['user', 'Look again.'],
    ]);
  });
});

it('an answer of a million characters stands in the record once, and is whole for whoever asks', async () => {
  const text = `${'Much was said. '.repeat(66_000)}The end.`;
  const model = new ScriptedProvider(
    ({ messages }) => ({ text: JSON.stringify(messages).includes('Again') ? 'Short.' : text }),
    { models: [{ context_window: 1_000_000 }] },
  );
  await using bench = await delegationBench({
    modules: { 'provider-scripted': { mount: ({ mounts }) => mounts.mount('providers', model) } },
  });
  const { outcome, session_id } = await bench.root('Speak at length.');
  expect(outcome).toMatchObject({ status: 'completed', text });
  expect((await bench.delegator.control.status(session_id)).outcome).toEqual(outcome);
  expect((await bench.delegator.continue(session_id)).outcome).toEqual(outcome);
  expect(await bench.delegator.control.wait([session_id])).toEqual([outcome]);
  const { last_outcome } = await bench.store.metadata(session_id);
  expect(last_outcome?.outcome).toMatchObject({ text: text.slice(0, 2_000), answer_message: 2 });
  const { store } = bench;
  const documents = (await store.export(session_id)).documents;
  const logs = [
    await store.events(session_id),
    await store.messages(session_id),
    await store.mail(session_id),
  ];
  const whole = JSON.stringify([documents, ...logs]);
  expect(whole.split('The end.')).toHaveLength(2);
  expect(whole.length).toBeLessThan(text.length + 50_000);
  // The next turn has the whole of it before it, too.
  await bench.delegator.resume(session_id, 'Again.');
  expect(JSON.stringify(model.requests.at(-1)?.messages).includes(text)).toBe(true);
});
