import type { ToolContext } from '@amplifier/core';
import { ToolError } from './tool-error.js';

/** Runs `work` with a signal that aborts when the call is cancelled or `ms` have passed, and says which it was. */
export async function within<Result>(
  ms: number,
  what: string,
  { signal, coordinator }: Pick<ToolContext, 'signal' | 'coordinator'>,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const disarm = coordinator.clock.after(ms, () => late.abort());
  try {
    signal.throwIfAborted();
    return await work(AbortSignal.any([signal, late.signal]));
  } catch (cause) {
    if (signal.aborted) throw new ToolError('CANCELLED', `${what} was cancelled.`, { cause });
    if (late.signal.aborted)
      throw new ToolError('TIMEOUT', `${what} took longer than ${ms} ms and was ended.`, {
        cause,
        retryable: true,
      });
    throw cause;
  } finally {
    disarm();
  }
}
