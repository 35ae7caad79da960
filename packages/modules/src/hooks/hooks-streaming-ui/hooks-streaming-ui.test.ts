import type { Tool } from '@amplifier/core';
import { mountedSession, recordEvents, VirtualClock } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import module from './index.js';

const hookModules = { 'hooks-streaming-ui': module };
const delta = (type: 'text' | 'thinking', text: string) => ({ delta: { type, index: 0, text } });

it('gathers deltas into pieces, in order, and holds none back for longer than it says', async () => {
  const clock = new VirtualClock();
  await using mounted = await mountedSession({ hookModules, clock });
  const { hooks } = mounted.session.coordinator;
  const recorder = recordEvents(hooks);
  const shown = () => recorder.events.filter(({ name }) => name.startsWith('ui:'));
  await hooks.emit('content_block:delta', delta('thinking', 'Hm. '));
  await hooks.emit('content_block:delta', delta('thinking', 'Yes.'));
  expect(shown()).toEqual([]);
  await hooks.emit('content_block:delta', delta('text', 'Hel'));
  await hooks.emit('content_block:delta', delta('text', 'lo'));
  expect(shown().map(({ name, data }) => [name, data.text])).toEqual([['ui:thinking', 'Hm. Yes.']]);
  await clock.advance(50);
  expect(shown().map(({ name, data }) => [name, data.text])).toContainEqual(['ui:text', 'Hello']);
  expect(clock.pending).toBe(0);
});

it('shows tools with what they are about and how they ended, and the usage of each model call', async () => {
  const tool: Tool = {
    name: 'bash',
    description: '',
    inputSchema: {},
    execute: async () => ({ success: true, output: 'x'.repeat(1000) }),
  };
  await using mounted = await mountedSession({
    hookModules,
    script: [{ tool_calls: [{ name: 'bash', arguments: { command: 'ls' } }] }, { text: 'Done.' }],
    tools: [tool],
  });
  const recorder = recordEvents(mounted.session.coordinator.hooks);
  await mounted.session.execute('go');
  expect(recorder.of('ui:tool_start')[0]).toMatchObject({ tool_name: 'bash', summary: 'ls', agent: null });
  expect(recorder.of('ui:tool_end')[0]).toMatchObject({ success: true, characters: 1000 });
  expect(String(recorder.of('ui:tool_end')[0]?.preview)).toHaveLength(400);
  expect(recorder.of('ui:usage')).toHaveLength(2);
});
