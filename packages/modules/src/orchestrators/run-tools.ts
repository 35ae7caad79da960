import { randomUUID } from 'node:crypto';
import {
  type ChatResponse,
  ContentBlock,
  graceAfter,
  isPlainObject,
  type JsonObject,
  type Message,
  shorten,
  type ToolCall,
  type ToolResult,
  toolFailure,
  toolResultText,
} from '@amplifier/core';
import { z } from 'zod';
import { carryOut } from './consult-hooks.js';
import { runTool, type ToolRun } from './run-tool.js';
import type { Turn } from './turn.js';

/**
 * Runs all tool calls of one answer at once. Each result is stored as soon as those before it are, so that the history
 * is always in call order and a crash loses as little as can be. What hooks want to add comes after the last result:
 * nothing may stand between a call and its results.
 */
export async function runTools(turn: Turn, answer: ChatResponse): Promise<void> {
  const parallel_group_id = randomUUID();
  const { cancellation, clock } = turn.runtime.coordinator;
  const { cancel_grace, max_tool_calls } = turn.config;
  const grace = graceAfter(cancellation, cancel_grace * 1000, clock);
  const unreadable = unreadableArguments(answer);
  const calls = answer.tool_calls ?? [];
  const runs = calls.map((call, index) =>
    index < max_tool_calls
      ? runTool(turn, call, { parallel_group_id, over: grace.over }, unreadable.get(call.id))
      : Promise.resolve(notRun(max_tool_calls)),
  );
  const finished: ToolRun[] = [];
  try {
    for (const [index, call] of calls.entries()) {
      const run = await (runs[index] as Promise<ToolRun>);
      finished.push(run);
      await turn.runtime.context.addMessage(resultMessage(call, run.result, parallel_group_id));
    }
  } finally {
    await Promise.allSettled(runs);
    grace.cancel();
  }
  for (const { said } of finished) for (const [event, result] of said) await carryOut(turn, event, result);
}

function notRun(most: number): ToolRun {
  const message = `This call was not run: one answer may make ${most} ${most === 1 ? 'call' : 'calls'}. Make the others in the next one.`;
  return { result: toolFailure(message, { code: 'TOO_MANY_CALLS' }), said: [] };
}

function resultMessage({ id, name }: ToolCall, result: ToolResult, parallel_group_id: string): Message {
  return {
    role: 'tool',
    name,
    tool_call_id: id,
    content: contentBlocks(result) ?? toolResultText(result),
    metadata: {
      success: result.success,
      parallel_group_id,
      code: result.error?.code,
    },
  };
}

/** A tool that shows more than text, such as an image, answers `{content_blocks: […]}`. */
function contentBlocks({ output }: ToolResult): ContentBlock[] | null {
  if (!isPlainObject(output) || !Array.isArray(output.content_blocks)) return null;
  const parsed = z.array(ContentBlock).safeParse(output.content_blocks);
  return parsed.success && parsed.data.length > 0 ? parsed.data : null;
}

/** What is wrong with calls whose arguments could not be read, or were out of bounds. */
function unreadableArguments({ metadata }: ChatResponse): Map<string, string> {
  const reported = Array.isArray(metadata?.invalid_tool_calls) ? metadata.invalid_tool_calls : [];
  return new Map(reported.filter(isPlainObject).map((call) => [String(call.id), faultOf(call)]));
}

function faultOf({ fault, raw_arguments }: JsonObject): string {
  if (typeof fault === 'string') return `were not taken: ${fault}`;
  return `are no JSON object: ${shorten(String(raw_arguments), 300)}`;
}
