import {
  type ChatResponse,
  type ErrorInfo,
  type JsonObject,
  shorten,
  type ToolResult,
  toolResultText,
} from '@amplifier/core';

export const UI_EVENTS = ['ui:text', 'ui:thinking', 'ui:tool_start', 'ui:tool_end', 'ui:usage'];

export function uiToolStart({ tool_name, tool_call_id, tool_input }: JsonObject, limit: number): JsonObject {
  return { tool_name, tool_call_id, summary: shorten(summaryOf(tool_input as JsonObject), limit - 1) };
}

export function uiToolEnd({ tool_name, tool_call_id, result, error }: JsonObject, limit: number): JsonObject {
  const text = error ? (error as ErrorInfo).message : toolResultText(result as ToolResult);
  const success = error === undefined && (result as ToolResult).success;
  return { tool_name, tool_call_id, success, preview: shorten(text, limit - 1), characters: text.length };
}

export function uiUsage({ provider, model, response }: JsonObject): JsonObject {
  const { usage, model: answered } = response as ChatResponse;
  return { provider, model: answered ?? model ?? null, usage: usage ?? null };
}

/** The one member that tells a person what a call is about. */
function summaryOf(input: JsonObject): string {
  for (const member of ['command', 'path', 'file_path', 'pattern', 'url', 'query', 'agent', 'instruction'])
    if (typeof input[member] === 'string') return input[member];
  return JSON.stringify(input);
}
