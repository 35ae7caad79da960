import type { ToolResult } from '@amplifier/core';
import { describe, expect, it } from 'vitest';
import { delegating, delegationBench, gate, type Scene } from '../test-support/delegation-bench.js';

const TERMINAL = /^delegate:(agent_completed|agent_cancelled|error)$/;

/** A root that starts one child in the background and goes on only when `step` lets it. */
function backgroundScene(answer: Scene = () => ({ text: 'Found it.' })) {
  const step = gate<void>();
  const seen: string[][] = [];
  const scene: Scene = (request, about) => {
    if (!about.system.includes('root')) return answer(request, about);
    seen.push(request.messages.filter(({ role }) => role === 'user').map(({ content }) => String(content)));
    const spawned = request.messages.some(({ role }) => role === 'tool');
    if (!spawned) return delegating({ agent: 'explorer', instruction: 'Look.', background: true });
    return about.calls === 1 ? { tool_calls: [{ name: 'pause' }] } : { text: `Heard: ${about.prompt}` };
  };
  const pause = {
    name: 'pause',
    description: '',
    inputSchema: {},
    execute: async (): Promise<ToolResult> => {
      await step.promise;
      return { success: true, output: 'went on' };
    },
  };
  return { scene, tools: [pause], step, seen };
}

describe('a child in the background', () => {
  it('returns at once with its id, and its end is told to the parent at its next step, once', async () => {
    const { scene, tools, step, seen } = backgroundScene();
    await using bench = await delegationBench({ scene, tools, background: true });
    const ended = bench.root('Go.');
    const child = await firstChild(bench);
    await bench.delegator.control.wait([child]);
    await completionSent(bench, child);
    step.resolve();
    const { outcome, session_id } = await ended;
    expect(outcome).toMatchObject({ status: 'completed' });
    const lines = await bench.store.messages(session_id);
    const result = lines.find(({ role }) => role === 'tool');
    expect(JSON.parse(String(result?.content))).toMatchObject({ session_id: child, status: 'running' });
    const news = lines.filter(({ metadata }) => metadata?.kind === 'completion');
    expect(news.map(({ content }) => content)).toEqual([expect.stringContaining('Found it.')]);
    expect(seen.at(-1)?.filter((text) => text.includes('Found it.'))).toHaveLength(1);
    const ends = (await bench.store.events(session_id)).filter(({ name }) => TERMINAL.test(name));
    expect(ends).toMatchObject([{ name: 'delegate:agent_completed', data: { sub_session_id: child } }]);
    expect(bench.events.filter(({ name }) => TERMINAL.test(name))).toHaveLength(1);
  });

  it('is told to a parent that had ended, when it is resumed, and not again after that', async () => {
    const go = gate<void>();
    const wait = {
      name: 'wait',
      description: '',
      inputSchema: {},
      execute: async (): Promise<ToolResult> => {
        await go.promise;
        return { success: true, output: 'waited' };
      },
    };
    const scene: Scene = (request, { system, calls, prompt }) => {
      if (!system.includes('root'))
        return calls === 0 ? { tool_calls: [{ name: 'wait' }] } : { text: 'Found it.' };
      const spawned = request.messages.some(({ role }) => role === 'tool');
      return spawned
        ? { text: `Heard: ${prompt}` }
        : delegating({ agent: 'explorer', instruction: 'Look.', background: true });
    };
    await using bench = await delegationBench({ scene, tools: [wait], background: true });
    const { session_id } = await bench.root('Go.');
    const child = await firstChild(bench);
    go.resolve();
    await bench.delegator.control.wait([child]);
    await completionSent(bench, child);
    await bench.delegator.resume(session_id, 'Any news?');
    await bench.delegator.resume(session_id, 'And now?');
    const lines = await bench.store.messages(session_id);
    expect(lines.filter(({ metadata }) => metadata?.kind === 'completion')).toHaveLength(1);
    const ends = (await bench.store.events(session_id)).filter(({ name }) => TERMINAL.test(name));
    expect(ends).toHaveLength(1);
  });

  it('tells also how it failed', async () => {
    const { scene, tools, step } = backgroundScene(() => ({ error: new Error('no luck') }));
    await using bench = await delegationBench({ scene, tools, background: true });
    const ended = bench.root('Go.');
    const child = await firstChild(bench);
    const [outcome] = await bench.delegator.control.wait([child]);
    expect(outcome).toMatchObject({ status: 'failed' });
    await completionSent(bench, child);
    step.resolve();
    expect((await ended).outcome).toMatchObject({ text: expect.stringContaining('no luck') });
  });

  it('may be resumed in the background too, and its second end is told as well', async () => {
    await using bench = await delegationBench({ background: true });
    await using root = await bench.liveRoot();
    const { launch } = await bench.delegator.delegate(
      { agent: 'explorer', instruction: 'a', background: true, tool_call_id: 't1' },
      root.seat,
    );
    await bench.delegator.control.wait([launch.session_id]);
    await completionSent(bench, launch.session_id);
    const again = await bench.delegator.delegate(
      { session_id: launch.session_id, instruction: 'b', background: true, tool_call_id: 't2' },
      root.seat,
    );
    expect(again.kind).toBe('background');
    await bench.delegator.control.wait([launch.session_id]);
    await completionSent(bench, launch.session_id, 2);
    const letters = await bench.store.letters(root.seat.session_id);
    expect(letters.map(({ id }) => id)).toEqual(
      [1, 2].map((turn) => `completion_${launch.session_id}_${turn}`),
    );
  });
});

async function firstChild({ store }: Awaited<ReturnType<typeof delegationBench>>): Promise<string> {
  for await (const { event } of store.feed({ after: '0' })) {
    if (event.name === 'session:created' && event.parent_id !== null) return event.session_id;
  }
  throw new Error('no child');
}

/** The letter to the parent trails the outcome by a moment; the end of the run is the sign that it is there. */
async function completionSent(
  { queue }: Awaited<ReturnType<typeof delegationBench>>,
  child: string,
  turn = 1,
): Promise<void> {
  for await (const { status } of queue?.watch(`${child}_${turn}`) ?? []) if (status === 'finished') return;
}
