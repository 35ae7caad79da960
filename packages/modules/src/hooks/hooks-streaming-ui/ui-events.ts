import {
  type ChatResponse,
  type ErrorInfo,
  type JsonObject,
  shorten,
  type ToolResult,
  toolResultText,
  toolSubject,
} from '@amplifier/core';

export const UI_EVENTS = ['ui:text', 'ui:thinking', 'ui:tool_start', 'ui:tool_end', 'ui:usage'];

export function uiToolStart({ tool_name, tool_call_id, tool_input }: JsonObject, limit: number): JsonObject {
  const summary =
    toolSubject(tool_name, tool_input, limit - 1) || shorten(JSON.stringify(tool_input), limit - 1);
  return { tool_name, tool_call_id, summary };
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
