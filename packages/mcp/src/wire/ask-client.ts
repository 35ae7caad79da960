import { errorInfo, previewLines, shownText } from '@amplifier/host';
import {
  acceptedContent,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
} from '@modelcontextprotocol/server';
import type { LiveJob } from '../jobs/live-job.js';
import type { Call } from './call.js';

/** What a question is answered with when the person declines to answer it. */
const REFUSAL = 'Deny';

/** Puts the open questions of a run to the client. It calls again with the answers. */
export async function askClient(run: LiveJob, call: Call): Promise<InputRequiredResult> {
  const inputRequests: InputRequests = {};
  for (const [id, { question }] of run.questions) {
    const { agent, prompt, options, subject } = question;
    const answer =
      options.length > 0
        ? { type: 'string' as const, title: 'Answer', enum: options }
        : { type: 'string' as const, title: 'Answer' };
    inputRequests[id] = inputRequired.elicit({
      message: shownText([`${agent ?? 'amplifier'} asks: ${prompt}`, ...previewLines(subject)].join('\n')),
      requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
    });
  }
  return inputRequired({ inputRequests, requestState: await call.seal({ run_id: run.run_id }) });
}

/** Hands the answers of the client to the sessions that asked. A declined question is a no. */
export async function takeAnswers(run: LiveJob, { service, context }: Call): Promise<void> {
  const responses = context.mcpReq.inputResponses ?? {};
  for (const [id, { question, host }] of [...run.questions]) {
    if (!Object.hasOwn(responses, id)) continue;
    const accepted = acceptedContent<{ answer?: unknown }>(responses, id)?.answer;
    const text = typeof accepted === 'string' && isOffered(accepted, question.options) ? accepted : REFUSAL;
    run.questions.delete(id);
    try {
      await host.delegator.control.answer(question.session_id, id, text);
    } catch (error) {
      // Too late, or somebody else was first; the session has gone on either way.
      service.report({ level: 'warning', code: 'ANSWER_LATE', message: errorInfo(error).message, error });
    }
  }
}

function isOffered(answer: string, options: readonly string[]): boolean {
  return options.length === 0 || options.includes(answer);
}
