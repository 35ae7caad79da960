import {
  AmplifierError,
  delegateResult,
  type LaunchRecord,
  OUTCOME_VIEWS,
  type Outcome,
  outcomeText,
  withinResult,
} from '@amplifier/host';
import type { Cli } from '../cli.js';
import { printAnswer } from '../terminal/print-answer.js';
import { writeJson } from '../terminal/screen.js';
import type { OutputForm } from '../terminal/watch-session.js';
import { adviceFor, whatFailed } from './advice.js';
import { showProposals } from './show-proposal.js';

/** Prints how a turn ended, in the form that was asked for. Returns the exit code. */
export async function showOutcome(
  cli: Cli,
  form: OutputForm,
  outcome: Outcome,
  launch: Pick<LaunchRecord, 'model' | 'max_result'>,
): Promise<number> {
  if (cli.strict && cli.missing.length > 0) throw new MissingModuleError(cli.missing);
  const code = OUTCOME_VIEWS[outcome.status].exit_code;
  if (form !== 'text') {
    const result = resultObject(outcome, launch);
    if (form === 'json') cli.printJson(result);
    else writeJson({ event: 'result', ...result });
    return code;
  }
  const text = outcomeText(withinResult(outcome, launch)).trim();
  if (text !== '') await printAnswer(cli, text);
  showProposals(cli, outcome);
  if (outcome.status !== 'completed') sayWhy(cli, outcome, launch.model.chosen?.provider ?? null);
  cli.say(cli.color.dim(closing(outcome)));
  return code;
}

/** The delegate result of the design, and what went wrong where something did. */
export function resultObject(
  outcome: Outcome,
  launch: Pick<LaunchRecord, 'model' | 'max_result'>,
): Record<string, unknown> {
  const result = delegateResult(outcome, launch);
  if (outcome.status === 'completed') return result;
  const { status, session_id, error } = outcome;
  const next = status === 'interrupted' ? { continue_with: continueCommand(session_id) } : {};
  return { ...result, error, ...next };
}

function sayWhy(cli: Cli, outcome: Exclude<Outcome, { status: 'completed' }>, provider: string | null): void {
  const { session_id, resumable, error, status } = outcome;
  if (status === 'needs_input') {
    cli.say(`${cli.color.bold('It asks:')} ${outcome.question}`);
    cli.say(`Answer with: amplifier session resume ${session_id} "…"`);
    return;
  }
  cli.say(`${cli.color.bold(status)}: ${whatFailed(error, provider)}`);
  const advice = adviceFor(error, provider);
  if (advice) cli.say(advice);
  if (status === 'interrupted') cli.say(howToContinue(session_id));
  else if (resumable) cli.say(`Continue with: amplifier session resume ${session_id} "…"`);
}

/** The command that brings a turn to its end whose process died. */
export function continueCommand(session_id: string): string {
  return `amplifier continue ${session_id}`;
}

export function howToContinue(session_id: string): string {
  return `Continue it with: ${continueCommand(session_id)}`;
}

function closing({ session_id, usage, cost, model_used }: Outcome): string {
  const spent = usage.total_tokens > 0 ? ` · ${usage.total_tokens} tokens` : '';
  const money = cost !== null && Number(cost) > 0 ? ` · $${cost}` : '';
  return `session ${session_id}${model_used ? ` · ${model_used}` : ''}${spent}${money}`;
}

/** Something of the plan could not be loaded, and `--strict` says that this is a reason to stop. */
class MissingModuleError extends AmplifierError {
  constructor(messages: readonly string[]) {
    super(`${messages.join(' ')} Fix this, or run without --strict.`, { code: 'MODULE_MISSING' });
  }
}
