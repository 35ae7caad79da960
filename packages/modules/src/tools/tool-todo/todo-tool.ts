import type { Message, Tool, ToolContext } from '@amplifier/core';
import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import { ToolError } from '../tool-error.js';

/** A list the model keeps for itself. It lives in the conversation: nothing else is stored. */
export function todoTool(): Tool {
  let todos: Todo[] | undefined;
  return defineTool({
    name: TODO_TOOL_NAME,
    description:
      'Keep a list of the steps of a longer task. Write the whole list each time; have one step in progress at a time and mark it completed as soon as it is done.',
    input: TodoInput,
    async run({ action, todos: written }, context) {
      if (action !== 'list') {
        if (!written)
          throw new ToolError('INVALID_INPUT', `The action ${action} needs the list: pass it as 'todos'.`);
        todos = written;
      }
      todos ??= await restore(context);
      return { todos, counts: countTodos(todos) };
    },
  });
}

async function restore({ coordinator }: ToolContext): Promise<Todo[]> {
  return todosIn((await coordinator.mounts.one('context')?.getMessages()) ?? []);
}

const Todo = z.object({
  content: z.string().min(1).describe('What is to be done, as an order: "Run the tests"'),
  status: z.enum(['pending', 'in_progress', 'completed']).default('pending'),
  active_form: z.string().optional().describe('The same while it is being done: "Running the tests"'),
});
type Todo = z.output<typeof Todo>;

const TodoInput = z.object({
  action: z
    .enum(['create', 'update', 'list'])
    .describe('create and update replace the whole list; list shows it'),
  todos: z.array(Todo.strict()).optional().describe('The whole list. Needed by create and update.'),
});

/** Calls of earlier versions may have members that are refused now. */
const StoredCall = z.object({ ...TodoInput.shape, todos: z.array(Todo).optional() });

const TODO_TOOL_NAME = 'todo';

/** The list as the conversation left it, so that a resumed session continues with its plan. */
function todosIn(messages: readonly Message[]): Todo[] {
  const calls = messages
    .flatMap((message) => message.tool_calls ?? [])
    .filter(({ tool }) => tool === TODO_TOOL_NAME);
  for (const call of calls.reverse()) {
    const { data } = StoredCall.safeParse(call.arguments);
    if (data?.todos && data.action !== 'list') return data.todos;
  }
  return [];
}

function countTodos(todos: readonly Todo[]): Record<Todo['status'] | 'total', number> {
  const count = (status: Todo['status']) => todos.filter((todo) => todo.status === status).length;
  return {
    total: todos.length,
    pending: count('pending'),
    in_progress: count('in_progress'),
    completed: count('completed'),
  };
}
