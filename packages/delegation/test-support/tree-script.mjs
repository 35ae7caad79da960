// What the models of the tree say. Everything is worked out from the conversation, so that it does not matter how often
// the process was killed on the way.
const ROOT_TASKS = [
  { task: 'bg1', agent: 'leaf', background: true },
  { task: 'bg2', agent: 'leaf', background: true },
  { task: 'p1', agent: 'branch' },
  { task: 'p2', agent: 'branch' },
];
const branchTasks = (task) => ['x', 'y'].map((part) => ({ task: `${task}${part}`, agent: 'leaf' }));

/** Every session of the tree, by the task it was given. */
export const TASKS = ['bg1', 'bg2', 'p1', 'p2', 'p1x', 'p1y', 'p2x', 'p2y'];
export const resultOf = (task) => `[result of ${task}]`;

export function answer({ messages }) {
  const system = messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => text(content))
    .join();
  const task = /TASK (\w+)/.exec(
    messages
      .filter(({ role }) => role === 'user')
      .map(({ content }) => text(content))
      .join(),
  )?.[1];
  if (system.includes('root')) return parent(messages, ROOT_TASKS, 'Everything is done.');
  if (system.includes('branch')) return parent(messages, branchTasks(task), resultOf(task));
  const worked = messages.some(({ name }) => name === 'pause');
  return worked ? { text: resultOf(task) } : { text: 'I work.', tool_calls: [{ id: 'work', name: 'pause' }] };
}

/** Delegates what is still to be done, again where nothing ran, and waits for what runs in the background. */
function parent(messages, tasks, done) {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls);
  const told = messages.filter(({ role }) => role !== 'assistant').map(({ content }) => text(content));
  const missing = tasks.filter(({ task, background }) => {
    if (told.some((said) => said.includes(resultOf(task)))) return false;
    const running = messages.some(({ role, tool_call_id = '', content }) => {
      return role === 'tool' && tool_call_id.startsWith(`${task}#`) && text(content).includes('"running"');
    });
    return !(background && running);
  });
  if (missing.length > 0) {
    const tool_calls = missing.map(({ task, agent, background = false }) => ({
      id: `${task}#${calls.filter(({ id }) => id.startsWith(`${task}#`)).length + 1}`,
      name: 'delegate',
      arguments: { agent, instruction: `TASK ${task}`, background, context_depth: 'none' },
    }));
    return { text: 'I delegate.', tool_calls };
  }
  if (tasks.every(({ task }) => told.some((said) => said.includes(resultOf(task))))) return { text: done };
  return { text: 'I wait.', tool_calls: [{ id: `wait${calls.length}`, name: 'pause' }] };
}

function text(content) {
  if (typeof content === 'string') return content;
  return content.map((block) => block.text ?? '').join('');
}
