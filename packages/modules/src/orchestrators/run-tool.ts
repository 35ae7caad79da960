import {
  boundsFault,
  closestNames,
  EVENTS,
  errorInfo,
  type HookResult,
  isPlainObject,
  type JsonObject,
  type Tool,
  type ToolCall,
  type ToolContext,
  ToolResult,
  toolFailure,
} from '@amplifier/core';
import type { CancelWatch } from './cancel-watch.js';
import { carryOut } from './consult-hooks.js';
import type { Turn } from './turn.js';

/** A finished call, and what hooks said about it that must wait until all results are stored. */
export interface ToolRun {
  result: ToolResult;
  said: [event: string, answer: HookResult][];
}

/** What the calls of one answer have in common. */
export interface Batch {
  parallel_group_id: string;
  watch: CancelWatch;
}

/** Runs one call with the hooks around it. Never rejects: whatever happens is the result. */
export async function runTool(
  turn: Turn,
  call: ToolCall,
  batch: Batch,
  unreadable: string | undefined,
): Promise<ToolRun> {
  const { parallel_group_id } = batch;
  const { hooks, coordinator } = turn.runtime;
  const said: ToolRun['said'] = [];
  if (coordinator.cancellation.isCancelled) return { result: notStarted(), said };
  const event = {
    tool_name: call.name,
    tool_call_id: call.id,
    tool_input: call.arguments,
    parallel_group_id,
  };

  const asked = await hooks.emit(EVENTS.TOOL_PRE, event);
  const injects = asked.action === 'inject_context';
  if (injects) said.push([EVENTS.TOOL_PRE, asked]);
  const verdict = injects ? asked : await carryOut(turn, EVENTS.TOOL_PRE, asked);
  const changed = isPlainObject(verdict.data) ? verdict.data.tool_input : undefined;
  const tool_input = isPlainObject(changed) ? changed : call.arguments;

  const outcome: Outcome =
    verdict.action === 'deny'
      ? { result: toolFailure(`Denied by hook: ${verdict.reason ?? 'no reason given'}`, { code: 'DENIED' }) }
      : unreadable !== undefined
        ? { result: badArguments(call.name, unreadable) }
        : await execute(turn, call, tool_input, batch);

  const told = { ...event, tool_input };
  const answer =
    'error' in outcome
      ? await hooks.emit(EVENTS.TOOL_ERROR, { ...told, error: errorInfo(outcome.error) })
      : await hooks.emit(EVENTS.TOOL_POST, { ...told, result: outcome.result });
  if (answer.action === 'inject_context')
    said.push(['error' in outcome ? EVENTS.TOOL_ERROR : EVENTS.TOOL_POST, answer]);
  const result = answer.action === 'deny' ? withheld(answer) : (changedResult(answer) ?? outcome.result);
  return { result, said };
}

interface Outcome {
  result: ToolResult;
  error?: unknown;
}

async function execute(turn: Turn, call: ToolCall, input: JsonObject, batch: Batch): Promise<Outcome> {
  const { tools, coordinator } = turn.runtime;
  const tool = tools.get(call.name);
  if (!tool) return { result: unknownTool(call.name, [...tools.keys()]) };
  const { cancellation, session } = coordinator;
  const { signal } = cancellation;
  const context: ToolContext = {
    tool_call_id: call.id,
    parallel_group_id: batch.parallel_group_id,
    session,
    cancellation,
    signal,
    coordinator,
  };
  cancellation.registerToolStart(call.id, call.name);
  try {
    return await Promise.race([perform(call.name, tool, input, context), batch.watch.over.then(abandoned)]);
  } finally {
    cancellation.registerToolComplete(call.id);
  }
}

async function perform(call: string, tool: Tool, input: JsonObject, context: ToolContext): Promise<Outcome> {
  try {
    return { result: withinBounds(call, await tool.execute(input, context)) };
  } catch (error) {
    if (context.signal.aborted) return { result: cancelled(), error };
    const { message, code, retryable } = errorInfo(error);
    const details = {
      ...(code === undefined ? {} : { code }),
      ...(retryable === undefined ? {} : { retryable }),
    };
    return { result: toolFailure(message, details), error };
  }
}

/** What a tool brings from outside is walked by hooks, the log and the next request. */
function withinBounds(name: string, result: ToolResult): ToolResult {
  const fault = boundsFault(result, { size: Number.POSITIVE_INFINITY });
  return fault === null
    ? result
    : toolFailure(`The result of ${name} was not taken: ${fault}.`, { code: 'OUT_OF_BOUNDS' });
}

/** The tool has run, but nobody may see what it brought. */
function withheld({ reason }: HookResult): ToolResult {
  return toolFailure(`The result was withheld by a hook: ${reason ?? 'no reason given'}`, {
    code: 'WITHHELD',
  });
}

function abandoned(): Outcome {
  return { result: cancelled(), error: new Error('The tool did not end after the cancellation.') };
}

/** A hook may put another result in place of the tool's, such as one without its secrets. */
function changedResult(answer: HookResult): ToolResult | null {
  const changed = isPlainObject(answer.data) ? answer.data.result : undefined;
  if (changed === undefined) return null;
  const parsed = ToolResult.safeParse(changed);
  return parsed.success ? parsed.data : null;
}

function cancelled(): ToolResult {
  return toolFailure('Cancelled before it finished. Its effects are unknown.', { code: 'CANCELLED' });
}

function notStarted(): ToolResult {
  return toolFailure('Cancelled before it was started.', { code: 'CANCELLED' });
}

function badArguments(name: string, why: string): ToolResult {
  const message = `The arguments for ${name} ${why}. Call it again with valid arguments.`;
  return toolFailure(message, { code: 'INVALID_ARGUMENTS' });
}

function unknownTool(name: string, names: string[]): ToolResult {
  const [guess] = closestNames(name, names);
  const hint = guess ? ` Did you mean '${guess}'?` : '';
  const message = `No tool is called '${name}'.${hint} Available: ${names.join(', ') || 'none'}.`;
  return toolFailure(message, { code: 'UNKNOWN_TOOL' });
}
