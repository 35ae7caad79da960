import { AbortError, RateLimitError, type StreamDelta } from '@amplifier/core';
import { describe, expect, it } from 'vitest';
import { ScriptedProvider } from './scripted-provider.js';
import { VirtualClock } from './virtual-clock.js';

const request = { messages: [{ role: 'user' as const, content: 'hi' }] };

describe('scripted model', () => {
  it('says its turns in order and remembers what it was asked', async () => {
    const model = new ScriptedProvider([
      { text: 'one' },
      { thinking: 'hm', text: 'two', usage: { input_tokens: 7, cost_usd: '0.5' } },
    ]);
    expect((await model.complete(request)).content).toEqual([{ type: 'text', text: 'one' }]);
    expect(await model.complete({ ...request, model: 'other' })).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'two' },
      ],
      usage: { input_tokens: 7, output_tokens: 5, total_tokens: 12, cost_usd: '0.5' },
      finish_reason: 'stop',
      model: 'other',
    });
    expect(model.requests).toHaveLength(2);
  });

  it('fails loudly when the script is over', async () => {
    await expect(new ScriptedProvider([]).complete(request)).rejects.toThrow(
      /has 0 turns and was asked for number 1/,
    );
  });

  it('calls tools with ids made up in order', async () => {
    const model = new ScriptedProvider([
      {
        tool_calls: [
          { name: 'a', arguments: { x: 1 } },
          { name: 'b', id: 'mine' },
        ],
      },
    ]);
    const response = await model.complete(request);
    expect(response.tool_calls).toEqual([
      { id: 'call_1', name: 'a', arguments: { x: 1 } },
      { id: 'mine', name: 'b', arguments: {} },
    ]);
    expect(response.finish_reason).toBe('tool_calls');
  });

  it('streams what it will have said', async () => {
    const deltas: StreamDelta[] = [];
    const model = new ScriptedProvider([{ thinking: 'hm', text: 'one two', tool_calls: [{ name: 'a' }] }]);
    await model.complete(request, { onDelta: (delta) => deltas.push(delta) });
    expect(deltas).toEqual([
      { type: 'thinking', index: 0, text: 'hm' },
      { type: 'text', index: 1, text: 'one ' },
      { type: 'text', index: 1, text: 'two' },
      { type: 'tool_call_start', index: 2, id: 'call_1', name: 'a' },
      { type: 'tool_call_arguments', index: 2, text: '{}' },
    ]);
  });

  it('fails, waits and hangs as told', async () => {
    const clock = new VirtualClock();
    const failure = new RateLimitError('slow');
    const model = new ScriptedProvider(
      [{ error: failure }, { delay_ms: 5000, text: 'late' }, { hang: true }, { delay_ms: 1, text: 'x' }],
      { clock },
    );
    await expect(model.complete(request)).rejects.toBe(failure);
    const late = model.complete(request);
    await clock.advance(5000);
    expect((await late).content).toEqual([{ type: 'text', text: 'late' }]);
    for (const _ of ['hanging', 'delayed']) {
      const stop = new AbortController();
      const ended = model.complete(request, { signal: stop.signal });
      stop.abort();
      await expect(ended).rejects.toBeInstanceOf(AbortError);
    }
    expect(clock.pending).toBe(0);
  });

  it('reacts to the request when the script is a function', async () => {
    const model = new ScriptedProvider(({ messages }, call) => ({ text: `${call}: ${messages.length}` }));
    expect((await model.complete(request)).content).toEqual([{ type: 'text', text: '0: 1' }]);
  });
});
