import { errorInfo, type HookResult, hookResult, KernelError } from '@amplifier/core';
import type { Turn } from './turn.js';

/**
 * Carries out what the hooks answered to an event: questions are asked, lasting injections stored, passing ones kept
 * for the next request. Comes back as deny or as something that lets the event pass.
 */
export async function carryOut(turn: Turn, event: string, result: HookResult): Promise<HookResult> {
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
