import {
  boundsFault,
  closestNames,
  EVENTS,
  errorInfo,
  type HookResult,
  isPlainObject,
  isSameJson,
  type JsonObject,
  jsonDigest,
  shorten,
  type Tool,
  type ToolCall,
  type ToolContext,
  ToolResult,
  toolFailure,
} from '@amplifier/core';
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
  /** Resolves when tools that ignore a cancellation are no longer waited for. */
  over: Promise<void>;
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
  const tool = turn.runtime.tools.get(call.name);
  const surplus = tool ? surplusIn(tool, call) : [];
  // Before any hook: what a guard would judge by, or a person would be shown, must be what the tool acts on.
  if (tool && surplus.length > 0) return { result: surplusArguments(tool, surplus), said };
  const event = {
    tool_name: call.name,
    tool_call_id: call.id,
    tool_input: call.arguments,
    parallel_group_id,
  };

  const emitted = hooks.emit(EVENTS.TOOL_PRE, event);
  const asked = withCall(emitted instanceof Promise ? await emitted : emitted, call);
  const injects = asked.action === 'inject_context';
  if (injects) said.push([EVENTS.TOOL_PRE, asked]);
  const carried = injects ? asked : carryOut(turn, EVENTS.TOOL_PRE, asked);
  const verdict = carried instanceof Promise ? await carried : carried;
  const tool_input = inputIn(verdict) ?? call.arguments;

  const outcome: Outcome =
    verdict.action === 'deny'
      ? { result: toolFailure(`Denied by hook: ${verdict.reason ?? 'no reason given'}`, { code: 'DENIED' }) }
      : unreadable !== undefined
        ? { result: badArguments(call.name, unreadable) }
        : await execute(turn, call, tool, tool_input, batch);

  const done = { ...event, tool_input };
  const told =
    'error' in outcome
      ? hooks.emit(EVENTS.TOOL_ERROR, { ...done, error: errorInfo(outcome.error) })
      : hooks.emit(EVENTS.TOOL_POST, { ...done, result: outcome.result });
  const answer = told instanceof Promise ? await told : told;
  if (answer.action === 'inject_context')
    said.push(['error' in outcome ? EVENTS.TOOL_ERROR : EVENTS.TOOL_POST, answer]);
  const result =
    answer.action === 'deny' ? withheld(answer) : (changedResult(answer, outcome.result) ?? outcome.result);
  return { result, said };
}

/** Every question about a call names it. `changed`: a hook changed its input, so the transcript does not have what would be run. */
function withCall(asked: HookResult, { id, name, arguments: given }: ToolCall): HookResult {
  if (asked.action !== 'ask_user') return asked;
  const tool_input = inputIn(asked) ?? given;
  const call = { tool_call_id: id, tool_name: name, tool_input, changed: !isSameJson(tool_input, given) };
  const about = <T extends HookResult>(question: T): T => ({
    ...question,
    approval_subject: { digest: jsonDigest([name, tool_input]), ...question.approval_subject, ...call },
  });
  const { further_questions = [] } = asked;
  return { ...about(asked), further_questions: further_questions.map(about) };
}

/** The input as hooks have left it. */
function inputIn({ data }: HookResult): JsonObject | null {
  return isPlainObject(data) && isPlainObject(data.tool_input) ? data.tool_input : null;
}

interface Outcome {
  result: ToolResult;
  error?: unknown;
}

async function execute(
  turn: Turn,
  call: ToolCall,
  tool: Tool | undefined,
  input: JsonObject,
  batch: Batch,
): Promise<Outcome> {
  const { tools, coordinator } = turn.runtime;
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
    return await Promise.race([perform(call.name, tool, input, context), batch.over.then(abandoned)]);
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
    return { result: toolFailure(message, { code, retryable }), error };
  }
}

/** What a tool brings from outside is walked by hooks, the log and the next request. */
function withinBounds(name: string, result: ToolResult): ToolResult {
  const fault = boundsFault(result, { size: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY });
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
function changedResult({ data }: HookResult, given: ToolResult): ToolResult | null {
  const changed = isPlainObject(data) ? data.result : undefined;
  if (changed === undefined || changed === given) return null;
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

function surplusIn({ inputSchema, alsoTakes = [] }: Tool, { arguments: input }: ToolCall): string[] {
  return surplusMembers(inputSchema, input).filter((member) => !alsoTakes.includes(member));
}

/**
 * The members of an input that its schema forbids, by path. A schema forbids them with `additionalProperties: false`, as those of
 * our own tools do; any other schema allows them, as JSON Schema defines. References and alternatives are not followed.
 */
function surplusMembers(schema: unknown, input: unknown, path = ''): string[] {
  if (!isPlainObject(schema)) return [];
  if (Array.isArray(input))
    return input.flatMap((item, at) => surplusMembers(schema.items, item, `${path}[${at}]`));
  if (!isPlainObject(input)) return [];
  const properties: JsonObject = isPlainObject(schema.properties) ? schema.properties : {};
  const isClosed = schema.additionalProperties === false && schema.patternProperties === undefined;
  return Object.keys(input).flatMap((name) => {
    const member = path === '' ? name : `${path}.${name}`;
    if (Object.hasOwn(properties, name)) return surplusMembers(properties[name], input[name], member);
    return isClosed ? [member] : [];
  });
}

const MAX_NAMED = 10;

function surplusArguments({ name, inputSchema }: Tool, surplus: readonly string[]): ToolResult {
  const more = surplus.length > MAX_NAMED ? ` and ${surplus.length - MAX_NAMED} more` : '';
  const named = surplus.slice(0, MAX_NAMED).map((member) => `'${shorten(member, MAX_NAME)}'`);
  const known = isPlainObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  const message = `${name} was not run: it does not take ${named.join(', ')}${more}. It takes: ${known.join(', ') || 'nothing'}. Call it again without the surplus.`;
  return toolFailure(message, { code: 'INVALID_ARGUMENTS' });
}

const MAX_NAME = 100;

function unknownTool(name: string, names: string[]): ToolResult {
  const [guess] = closestNames(name, names);
  const hint = guess ? ` Did you mean '${guess}'?` : '';
  const message = `No tool is called '${name}'.${hint} Available: ${names.join(', ') || 'none'}.`;
  return toolFailure(message, { code: 'UNKNOWN_TOOL' });
}
