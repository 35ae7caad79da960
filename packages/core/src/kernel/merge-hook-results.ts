import type { JsonObject } from '../data/json.js';
import { continueWith, type HookResult } from './hook-result.js';

/**
 * Folds what the guards said into one answer: ask_user beats injections, injections beat continue. (Deny ended the round
 * before.) Every question is kept: each has to be answered with yes. What they say to the user is kept, except beside a
 * question, where nothing else is shown.
 */
export function mergeHookResults(results: readonly HookResult[], data: JsonObject): HookResult {
  const [question, ...further_questions] = results.filter((result) => result.action === 'ask_user');
  // What is asked for is what earlier handlers made of it, so the answer must carry that and nothing else.
  if (question) return { ...question, data, ...(further_questions.length > 0 ? { further_questions } : {}) };
  const said = messages(results);
  const injections = results.filter(
    (result) => result.action === 'inject_context' && result.context_injection != null,
  );
  const [first] = injections;
  if (first) {
    return {
      ...first,
      ...said,
      data,
      context_injection: injections.map((result) => result.context_injection).join('\n\n'),
      append_to_last_tool_result: injections.some((result) => result.append_to_last_tool_result),
    };
  }
  return { ...continueWith(data), ...said };
}

const LEVELS: readonly HookResult['user_message_level'][] = ['info', 'warning', 'error'];

/** Everything said to the user as one message, as grave as the gravest part of it. Nothing when nobody said anything. */
function messages(results: readonly HookResult[]): Partial<HookResult> {
  const speaking = results.filter((result) => Boolean(result.user_message));
  const [only, second] = speaking;
  if (!only) return {};
  const { user_message, user_message_level, user_message_source } = only;
  if (!second) return { user_message, user_message_level, user_message_source };
  const gravest = Math.max(...speaking.map((result) => LEVELS.indexOf(result.user_message_level)));
  const sources = [...new Set(speaking.flatMap((result) => result.user_message_source ?? []))];
  return {
    user_message: speaking.map((result) => result.user_message).join('\n'),
    user_message_level: LEVELS[gravest] ?? 'info',
    user_message_source: sources.join(', ') || null,
  };
}
