import type { InputRequiredResult } from '@modelcontextprotocol/server';
import type { DelegationResult } from '../delegate/envelope.js';
import type { LiveJob } from '../jobs/live-job.js';
import { askClient } from './ask-client.js';
import type { Call } from './call.js';
import { Progress } from './progress.js';

export interface WaitOptions {
  /** A call that is given up stops the run it started; one that only looks on does not. */
  stops: boolean;
  /** Gives up waiting, not the run. */
  signal?: AbortSignal;
}

/** The end of a wait: the result, questions for the client to answer before it calls again, or a timeout. */
export type Waited =
  | { kind: 'result'; result: DelegationResult }
  | { kind: 'question'; ask: InputRequiredResult }
  | { kind: 'gave_up' };

/** Waits for a run, telling the client what happens. */
export async function waitForRun(run: LiveJob, call: Call, { stops, signal }: WaitOptions): Promise<Waited> {
  run.endRound();
  const { context, can_ask, stays_open } = call;
  const progress = new Progress(call, run.doing, run);
  const abort = () => run.stop('client');
  if (stops) context.mcpReq.signal.addEventListener('abort', abort, { once: true });
  if (stops && context.mcpReq.signal.aborted) abort();
  const unwatch = run.watch((change) => {
    if (change.kind === 'activity') progress.say(change.text);
  });
  const leave = () => {
    progress.stop();
    unwatch();
    context.mcpReq.signal.removeEventListener('abort', abort);
    run.endRound = () => {};
  };
  const patience = signal
    ? AbortSignal.any([signal, context.mcpReq.signal])
    : stops
      ? null
      : context.mcpReq.signal;
  const stopped = await nextStop(run, can_ask && run.order.approvals !== 'none', patience);
  if (stopped === 'question') {
    // Where the call stays open while the person thinks, it goes on being told that it is alive.
    if (stays_open) run.endRound = leave;
    else leave();
    return { kind: 'question', ask: await askClient(run, call) };
  }
  leave();
  return run.result ? { kind: 'result', result: run.result } : { kind: 'gave_up' };
}

type Stop = 'end' | 'question' | 'gave up';

function nextStop(run: LiveJob, asks: boolean, patience: AbortSignal | null): Promise<Stop> {
  return new Promise((resolve) => {
    const done = (stop: Stop) => {
      unwatch();
      patience?.removeEventListener('abort', giveUp);
      resolve(stop);
    };
    const giveUp = () => done('gave up');
    const unwatch = run.watch(({ kind }) => {
      if (kind === 'end') done('end');
      if (kind === 'question' && asks) done('question');
    });
    patience?.addEventListener('abort', giveUp, { once: true });
    if (run.result) done('end');
    else if (asks && run.questions.size > 0) done('question');
    else if (patience?.aborted) done('gave up');
  });
}
