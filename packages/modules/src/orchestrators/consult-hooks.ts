import { errorInfo, type HookResult, hookResult, KernelError, type PayloadOf } from '@amplifier/core';
import type { Turn } from './turn.js';

/** Emits an event and carries out the answer. A promise only if a handler or the answer needs one. */
export function consult<Name extends string>(
  turn: Turn,
  event: Name,
  data: PayloadOf<Name>,
): HookResult | Promise<HookResult> {
  const asked = turn.runtime.hooks.emit(event, data);
  return asked instanceof Promise
    ? asked.then((result) => carryOut(turn, event, result))
    : carryOut(turn, event, asked);
}

/**
 * Carries out what the hooks answered to an event: questions are asked, lasting injections stored, passing ones kept
 * for the next request. Returns a denial or an answer that lets the event pass.
 */
export function carryOut(turn: Turn, event: string, result: HookResult): HookResult | Promise<HookResult> {
  const { action, user_message } = result;
  if (action !== 'ask_user' && action !== 'inject_context' && !user_message) return result;
  return process(turn, event, result);
}

async function process(turn: Turn, event: string, result: HookResult): Promise<HookResult> {
  const { coordinator } = turn.runtime;
  let answer: HookResult;
  try {
    answer = await coordinator.processHookResult(result, event, event);
  } catch (error) {
    // A hook that says too much is refused; that is no reason to end the turn.
    if (!(error instanceof KernelError)) throw error;
    coordinator.report({ level: 'warning', code: error.code, message: errorInfo(error).message, error });
    if (result.action === 'ask_user') return hookResult({ action: 'deny', reason: errorInfo(error).message });
    return hookResult({ data: result.data ?? null });
  }
  if (answer.action === 'inject_context' && answer.ephemeral && answer.context_injection) {
    turn.injections.push({
      role: answer.context_injection_role,
      content: answer.context_injection,
      append_to_last_tool_result: answer.append_to_last_tool_result,
    });
  }
  return answer;
}
