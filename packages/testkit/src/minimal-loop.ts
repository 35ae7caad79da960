import {
  type AmplifierModule,
  type ChatResponse,
  EVENTS,
  errorInfo,
  type Orchestrator,
  type Provider,
  type ToolCall,
  type ToolResult,
  type TurnRuntime,
  textOf,
  toolFailure,
  toolResultText,
} from '@amplifier/core';

/**
 * The smallest loop that keeps the orchestrator contract: ask the model, run its tools in parallel, ask again. What came in
 * for the session meanwhile (`session.steer`) is added before each request; an answer is final only when nothing had come in.
 */
export class MinimalLoop implements Orchestrator {
  async execute(prompt: string, runtime: TurnRuntime): Promise<string> {
    const { hooks, coordinator } = runtime;
    let response = '';
    let status: 'completed' | 'cancelled' | 'error' = 'error';
    let turns = 0;
    await hooks.emit(EVENTS.EXECUTION_START, { prompt });
    try {
      await runtime.context.addMessage({ role: 'user', content: prompt });
      while (!coordinator.cancellation.isCancelled) {
        await steer(runtime);
        const answer = await askModel(runtime, ++turns);
        response = textOf(answer.content);
        if (answer.tool_calls?.length) await runTools(answer.tool_calls, runtime);
        else if (!(await steer(runtime))) break;
      }
      status = coordinator.cancellation.isCancelled ? 'cancelled' : 'completed';
      return response;
    } finally {
      await hooks.emit(EVENTS.EXECUTION_END, { response, status });
      await hooks.emit(EVENTS.ORCHESTRATOR_COMPLETE, {
        orchestrator: 'minimal-loop',
        turn_count: turns,
        status: status === 'completed' ? 'success' : status === 'cancelled' ? 'cancelled' : 'incomplete',
      });
    }
  }
}

/** Adds what came in for the session. True when there was something. */
async function steer({ context, coordinator }: TurnRuntime): Promise<boolean> {
  const messages = (await coordinator.getCapability('session.steer')?.()) ?? [];
  for (const message of messages) await context.addMessage(message);
  return messages.length > 0;
}

async function askModel(
  { context, providers, tools, hooks, coordinator }: TurnRuntime,
  iteration: number,
): Promise<ChatResponse> {
  const provider = [...providers.values()].sort(byPriority)[0] as Provider;
  await hooks.emit(EVENTS.PROVIDER_REQUEST, { provider: provider.name, iteration });
  const response = await provider.complete(
    {
      messages: await context.getMessagesForRequest({ provider }),
      tools: [...tools.values()].map(({ name, description, inputSchema }) => ({
        name,
        description,
        parameters: inputSchema,
      })),
    },
    { signal: coordinator.cancellation.signal },
  );
  await hooks.emit(EVENTS.PROVIDER_RESPONSE, { provider: provider.name, response });
  await context.addMessage({
    role: 'assistant',
    content: response.content,
    ...(response.tool_calls
      ? {
          tool_calls: response.tool_calls.map(({ id, name, arguments: input }) => ({
            id,
            tool: name,
            arguments: input,
          })),
        }
      : {}),
  });
  return response;
}

async function runTools(calls: ToolCall[], runtime: TurnRuntime): Promise<void> {
  const parallel_group_id = globalThis.crypto.randomUUID();
  const results = await Promise.all(calls.map((call) => runTool(call, parallel_group_id, runtime)));
  for (const [index, call] of calls.entries()) {
    const content = toolResultText(results[index] as ToolResult);
    await runtime.context.addMessage({ role: 'tool', name: call.name, tool_call_id: call.id, content });
  }
}

async function runTool(
  call: ToolCall,
  parallel_group_id: string,
  { tools, hooks, coordinator }: TurnRuntime,
): Promise<ToolResult> {
  const event = {
    tool_name: call.name,
    tool_call_id: call.id,
    tool_input: call.arguments,
    parallel_group_id,
  };
  const before = await coordinator.processHookResult(
    await hooks.emit(EVENTS.TOOL_PRE, event),
    EVENTS.TOOL_PRE,
    'tool:pre',
  );
  if (before.action === 'deny') return toolFailure(`Denied by hook: ${before.reason ?? 'no reason given'}`);
  const tool = tools.get(call.name);
  if (!tool)
    return toolFailure(
      `No tool is called '${call.name}'. Available: ${[...tools.keys()].join(', ') || 'none'}.`,
    );
  const { cancellation, session } = coordinator;
  cancellation.registerToolStart(call.id, call.name);
  try {
    const result = await tool.execute(call.arguments, {
      tool_call_id: call.id,
      parallel_group_id,
      session,
      cancellation,
      signal: cancellation.signal,
      coordinator,
    });
    await hooks.emit(EVENTS.TOOL_POST, { result, ...event });
    return result;
  } catch (error) {
    await hooks.emit(EVENTS.TOOL_ERROR, { error: errorInfo(error), ...event });
    return toolFailure(errorInfo(error).message);
  } finally {
    cancellation.registerToolComplete(call.id);
  }
}

function byPriority(a: Provider, b: Provider): number {
  return (a.priority ?? 100) - (b.priority ?? 100);
}

export const minimalLoopModule: AmplifierModule = {
  mount: (coordinator) => coordinator.mounts.mount('orchestrator', new MinimalLoop()),
};
