import { turnOf } from '../recovery/stored-outcome.js';
import { DEFAULT_DELEGATE_CONFIG, type DelegateConfig } from '../request/delegate-config.js';
import type { Delegation } from '../request/outcome.js';
import { readDelegateRequest } from '../request/request.js';
import type { Runtime } from '../runtime.js';
import { announceRefusal, handBackLater } from './hand-back.js';
import { launchChild } from './launch-child.js';
import type { Parent } from './parent.js';
import { resumeChild } from './resume-session.js';

/**
 * Hands a task to a child of `parent`, new or old. Throws a `DelegationError` when it is refused before a child exists. What it resolves
 * with is on disk, or, for a parent that runs here, before anything that the parent writes next.
 */
export async function delegate(
  runtime: Runtime,
  input: unknown,
  parent: Parent,
  config: DelegateConfig = DEFAULT_DELEGATE_CONFIG,
): Promise<Delegation> {
  try {
    const request = readDelegateRequest(input);
    const { session_id } = request;
    const delegation =
      session_id === undefined
        ? await launchChild(runtime, request, parent, config)
        : await resumeChild(runtime, { ...request, session_id }, parent, config);
    return parent.log?.hasMissed ? await tellMissed(runtime, delegation) : delegation;
  } catch (error) {
    runtime.live.forgetTree(parent.root_id);
    await announceRefusal(error, input, parent);
    throw error;
  }
}

/** Tells a parent by mail how its child ended, because its log could not take the fact: it runs in another process after all. */
export async function tellMissed({ store, live }: Runtime, delegation: Delegation): Promise<Delegation> {
  if (delegation.kind !== 'outcome') return delegation;
  const { outcome } = delegation;
  const turn = turnOf(await store.metadata(outcome.session_id));
  await handBackLater(store, live, outcome.session_id, turn, outcome);
  return delegation;
}
