import { isoTime } from '../process/clock.js';
import { sanitizeText } from '../text/sanitize-text.js';
import { type ApprovalRequest, ApprovalTimeoutError, isAcceptance } from './contracts/approval-system.js';
import type { Coordinator } from './coordinator.js';
import type { Report } from './diagnostics.js';
import { errorInfo } from './errors/amplifier-error.js';
import { KernelError } from './errors/kernel-error.js';
import { EVENTS } from './events.js';
import { continueWith, DEFAULT_APPROVAL_OPTIONS, type HookResult, hookResult } from './hook-result.js';

/**
 * Carries out a hook's answer. An `ask_user` comes back as `continue` or `deny`; everything else comes back as it is,
 * with the injected text sanitized. An ephemeral injection is counted but not stored: the orchestrator appends it to
 * its next request.
 */
export async function processHookResult(
  coordinator: Coordinator,
  result: HookResult,
  event: string,
  hookName: string,
): Promise<HookResult> {
  if (result.action === 'ask_user') return askAll(coordinator, result, event, hookName);
  if (result.user_message) {
    const source = `hook:${result.user_message_source ?? hookName}`;
    coordinator.display?.showMessage(result.user_message, result.user_message_level, source);
  }
  if (result.action !== 'inject_context' || result.context_injection == null) return result;
  const text = sanitizeText(result.context_injection);
  coordinator.injections.count(text, hookName);
  if (!result.ephemeral) {
    await coordinator.mounts.one('context')?.addMessage({
      role: result.context_injection_role,
      content: text,
      metadata: { source: 'hook', hook_name: hookName, event, timestamp: isoTime(coordinator.clock) },
    });
  }
  return { ...result, context_injection: text };
}

/** One question after the other, until one is answered with no. */
async function askAll(
  coordinator: Coordinator,
  { further_questions = [], ...first }: HookResult,
  event: string,
  hookName: string,
): Promise<HookResult> {
  for (const question of [first, ...further_questions]) {
    const answer = await askUser(coordinator, question, event, hookName);
    if (answer.action === 'deny') return answer;
  }
  return continueWith(first.data ?? {});
}

async function askUser(
  coordinator: Coordinator,
  question: HookResult,
  event: string,
  hookName: string,
): Promise<HookResult> {
  const prompt = question.approval_prompt ?? question.reason ?? `Allow ${event}?`;
  const subject = question.approval_subject ?? null;
  const asked = { prompt, event, hook_name: hookName, question_id: subject?.question_id ?? null };
  const options = question.approval_options ?? DEFAULT_APPROVAL_OPTIONS;
  const { approval_timeout: timeout, approval_default: fallback } = question;
  await coordinator.hooks.emit(EVENTS.APPROVAL_REQUIRED, { ...asked, options, timeout, default: fallback });
  const verdict = await answerTo(coordinator, { ...asked, subject, options, timeout, default: fallback });
  if (verdict.allowed) {
    await coordinator.hooks.emit(EVENTS.APPROVAL_GRANTED, { ...asked, answer: verdict.why });
    return continueWith({});
  }
  await coordinator.hooks.emit(EVENTS.APPROVAL_DENIED, { ...asked, reason: verdict.why });
  return hookResult({ action: 'deny', reason: verdict.why });
}

async function answerTo(
  { approval, session, cancellation }: Coordinator,
  request: Omit<ApprovalRequest, 'session_id' | 'signal'>,
): Promise<{ allowed: boolean; why: string }> {
  if (!approval) return { allowed: false, why: 'No approval system available' };
  try {
    const answer = await approval.requestApproval({
      ...request,
      session_id: session.id,
      signal: cancellation.signal,
    });
    if (isAcceptance(answer)) return { allowed: true, why: answer };
    return { allowed: false, why: `The user answered '${answer}'` };
  } catch (error) {
    if (error instanceof ApprovalTimeoutError) {
      return {
        allowed: request.default === 'allow',
        why: `${error.message} The default is ${request.default}.`,
      };
    }
    return { allowed: false, why: `The approval could not be asked for: ${errorInfo(error).message}` };
  }
}

const CHARACTERS_PER_TOKEN = 4;

interface InjectionLimits {
  injection_size_limit?: number | undefined;
  injection_budget_per_turn?: number | undefined;
}

/** Keeps count of what hooks put into the context in one turn. Unset limits mean unlimited. */
export class InjectionMeter {
  #tokens = 0;

  constructor(
    private readonly limits: InjectionLimits,
    private readonly report: Report,
  ) {}

  get tokensThisTurn(): number {
    return this.#tokens;
  }

  /** Counts one injection. Refuses one over the size limit; only warns when the turn's budget is passed. */
  count(text: string, hookName: string): void {
    const { injection_size_limit: sizeLimit, injection_budget_per_turn: budget } = this.limits;
    if (sizeLimit !== undefined && text.length > sizeLimit) {
      throw new KernelError(
        `Hook '${hookName}' wanted to inject ${text.length} characters; session.injection_size_limit allows ${sizeLimit}.`,
        { code: 'INJECTION_TOO_LARGE', origin: hookName },
      );
    }
    this.#tokens += Math.floor(text.length / CHARACTERS_PER_TOKEN);
    if (budget !== undefined && this.#tokens > budget) {
      this.report({
        level: 'warning',
        code: 'INJECTION_BUDGET_EXCEEDED',
        message: `Hooks injected about ${this.#tokens} tokens this turn; session.injection_budget_per_turn is ${budget}.`,
      });
    }
  }
}
