import { mountedSession } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import module from './index.js';

const open = () => mountedSession({ toolModules: { 'tool-todo': module } });

it('keeps the list and counts it', async () => {
  await using session = await open();
  const todos = [{ content: 'Read', status: 'completed' }, { content: 'Write' }];
  await session.call('todo', { action: 'create', todos });
  const { output } = await session.call('todo', { action: 'list' });
  expect(output).toMatchObject({
    todos: [
      { content: 'Read', status: 'completed' },
      { content: 'Write', status: 'pending' },
    ],
    counts: { total: 2, pending: 1, in_progress: 0, completed: 1 },
  });
});

it('says what is missing when a list is to be written and none is given', async () => {
  await using session = await open();
  const result = await session.call('todo', { action: 'update' });
  expect(result).toMatchObject({ success: false, error: { code: 'INVALID_INPUT' } });
});

it('takes the list up again from the conversation of a resumed session', async () => {
  await using session = await open();
  await session.session.coordinator.mounts.one('context')?.setMessages([
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'a', tool: 'todo', arguments: { action: 'create', todos: [{ content: 'Old' }] } },
        { id: 'b', tool: 'todo', arguments: { action: 'list' } },
      ],
    },
  ]);
  const { output } = await session.call('todo', { action: 'list' });
  expect(output).toMatchObject({ todos: [{ content: 'Old', status: 'pending' }] });
});
