import { isPlainObject, loadPatterns, type PatternCompiler } from '@amplifier/core';
import { AcpError } from '../acp-error.js';
import type { AcpErrorCode } from '../error-codes.js';
import type { AgentDescriptor } from '../roster/descriptor.js';
import { wantsLogin } from '../session/login-required.js';

export interface FinishedPrompt {
  agent: Pick<AgentDescriptor, 'id' | 'display_name' | 'login'>;
  /** Answers that are an error of the agent's provider. */
  errorAnswers: ErrorAnswers;
  stop_reason: string | null;
  text: string;
  /** Did the turn end with words, or with a tool call? */
  endsWithText: boolean;
  /** Did the agent itself say that it could not go on? Then its last words are about that. */
  failing: boolean;
  /** What the agent asked for and did not get. */
  refused: readonly string[];
  /** Was it us who ended it? */
  stopped: boolean;
}

/** Reasons that are told as a limit of their own. */
const LIMITS = new Set(['max_tokens', 'max_turn_requests']);

/** What is wrong with how a prompt ended; null for an answer, a limit, and an end that we asked for. */
export function judgeAnswer({
  agent,
  errorAnswers,
  stop_reason,
  text,
  endsWithText,
  failing,
  refused,
  stopped,
}: FinishedPrompt): AcpError | null {
  const name = agent.display_name;
  const fault = (code: AcpErrorCode, message: string) => new AcpError(message, { code, origin: agent.id });
  const refusals = `It was refused: ${refused.join('; ')}.`;
  if (stop_reason === 'refusal') return fault('ACP_REFUSED', `${name} refused the task.`);
  if (stopped || LIMITS.has(stop_reason ?? '')) return null;
  if (stop_reason === 'cancelled') {
    return refused.length > 0
      ? fault('ACP_DENIED', `${name} gave up. ${refusals}`)
      : fault('ACP_TURN_ERROR', `${name} cancelled the turn by itself.`);
  }
  if (stop_reason !== 'end_turn')
    return fault('ACP_TURN_ERROR', `${name} ended for a reason nobody knows: ${stop_reason}.`);
  const error = errorInAnswer(text, errorAnswers);
  const complaint = error ?? (failing ? text : null);
  if (complaint !== null && wantsLogin(complaint)) {
    const hint = agent.login ? ` Run: ${agent.login}` : '';
    return fault('AUTH_REQUIRED', `${name} wants a login first (${complaint}).${hint}`);
  }
  if (complaint !== null)
    return fault('ACP_ERROR_ANSWER', `${name} answered with an error of its model: ${complaint}`);
  if (refused.length > 0 && !endsWithText)
    return fault('ACP_DENIED', `${name} ended without an answer. ${refusals}`);
  return text === '' ? fault('ACP_EMPTY_ANSWER', `${name} ended its turn without saying anything.`) : null;
}

export type ErrorAnswers = readonly ReturnType<PatternCompiler>[];

/** The agent's `error_answers`, compiled. Throws `ROSTER_INVALID` for one that cannot be used. */
export async function errorAnswersOf({
  id,
  error_answers,
}: Pick<AgentDescriptor, 'id' | 'error_answers'>): Promise<ErrorAnswers> {
  if (error_answers.length === 0) return [];
  const compile = await loadPatterns();
  try {
    return error_answers.map((pattern) => compile(pattern));
  } catch (cause) {
    const message = `'error_answers' of the agent '${id}' is invalid: ${(cause as Error).message}. Change it where the agent is configured.`;
    throw new AcpError(message, { code: 'ROSTER_INVALID', origin: id, cause });
  }
}

/** Some agents end a turn normally with their provider's error message as the answer. Returns that message. */
export function errorInAnswer(text: string, patterns: ErrorAnswers): string | null {
  const trimmed = text.trim();
  // A message of an error is short. No pattern is run over a million characters that a model chose.
  const beginning = trimmed.slice(0, 500);
  if (patterns.some((pattern) => pattern.test(beginning))) return beginning;
  const at = trimmed.indexOf('{');
  if (at === -1 || !trimmed.endsWith('}')) return null;
  // Agents put a few words before it, such as a status line or a warning.
  if (trimmed.slice(0, at).split(/\s+/).length > 40) return null;
  const body = parse(trimmed.slice(at));
  if (!isPlainObject(body)) return null;
  const { error, type } = body;
  if (isPlainObject(error) && typeof error.message === 'string') return error.message;
  if (type === 'error' && typeof body.message === 'string') return body.message;
  return null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
