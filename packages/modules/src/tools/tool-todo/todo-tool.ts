import type { Tool, ToolContext } from '@amplifier/core';
import { defineTool } from '../define-tool.js';
import { ToolError } from '../tool-error.js';
import { countTodos, TODO_TOOL_NAME, type Todo, TodoInput, todosIn } from './todo-list.js';

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
