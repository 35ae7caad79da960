import { shorten } from '@amplifier/core';
import { SUMMARY_CHARACTERS } from '../defaults.js';
import type { DelegateConfig } from '../request/delegate-config.js';
import { DelegationError } from '../request/delegation-error.js';
import { type Delegation, outcomeText } from '../request/outcome.js';
import { DelegateRequest } from '../request/request.js';
import type { Parent } from '../turn/parent.js';
import { isMachineMade } from './in-scope.js';

/** By parent: of which of its turns, and what was made of it. */
const MADE = new WeakMap<Parent, { turn: number; text: Promise<string> }>();

/**
 * The parent's conversation in brief, written by a copy of it that has no tools. Made once for a turn, however many children ask;
 * it is a child like any other, so that it is in the record and in the budget.
 */
export async function summarize(
  parent: Parent,
  config: DelegateConfig,
  spawn: (request: DelegateRequest, config: DelegateConfig) => Promise<Delegation>,
): Promise<string> {
  const history = await parent.history();
  const turn = history.filter((message) => message.role === 'user' && !isMachineMade(message)).length;
  const before = MADE.get(parent);
  if (before?.turn === turn) return before.text;
  const text = write(config, spawn);
  MADE.set(parent, { turn, text });
  // A failure is nobody's summary: the next who asks tries again.
  text.catch(() => MADE.delete(parent));
  return text;
}

async function write(
  config: DelegateConfig,
  spawn: (request: DelegateRequest, config: DelegateConfig) => Promise<Delegation>,
): Promise<string> {
  const request = DelegateRequest.parse({
    agent: 'self',
    instruction: `Sum up this conversation for agents who are about to work on parts of it: what is wanted, what was decided and why, what was found, with files and lines, and what is open. At most ${SUMMARY_CHARACTERS} characters. Do nothing else.`,
    context_depth: 'all',
    context_scope: 'full',
    inherit_tools: [],
    max_result: SUMMARY_CHARACTERS,
    metadata: { purpose: 'context_summary' },
  });
  const made = await spawn(request, config);
  if (made.kind === 'outcome' && made.outcome.status === 'completed')
    return shorten(outcomeText(made.outcome), SUMMARY_CHARACTERS, '');
  const why = made.kind === 'outcome' ? outcomeText(made.outcome) : 'it runs in the background';
  throw new DelegationError(
    `The conversation could not be summarized: ${why} Delegate with context_depth 'recent' instead.`,
    { code: 'SUMMARY_FAILED' },
  );
}
