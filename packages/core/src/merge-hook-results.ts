import { continueWith, type HookResult } from './hook-result.js';
import type { JsonObject } from './json.js';

/** Folds what the handlers said into one answer: ask_user beats injections, injections beat continue. (Deny ended the round before.) */
export function mergeHookResults(results: readonly HookResult[], data: JsonObject): HookResult {
  const question = results.find((result) => result.action === 'ask_user');
  // What is asked for is what earlier handlers made of it, so the answer must carry that too.
  if (question) return { ...question, data: question.data ?? data };
  const injections = results.filter(
    (result) => result.action === 'inject_context' && result.context_injection != null,
  );
  const [first] = injections;
  if (first) {
    return {
      ...first,
      data,
      context_injection: injections.map((result) => result.context_injection).join('\n\n'),
      append_to_last_tool_result: injections.some((result) => result.append_to_last_tool_result),
    };
  }
  return continueWith(data);
}
