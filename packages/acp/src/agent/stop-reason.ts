import type { StopReason } from '@agentclientprotocol/sdk';
import type { Outcome } from '@amplifier/delegation';

/** How an outcome looks to an editor: a stop reason with words to show, or an error. */
export type TurnEnd = { stopReason: StopReason; text: string } | { error: string; code: string };

export function turnEnd(outcome: Outcome): TurnEnd {
  switch (outcome.status) {
    case 'completed':
      return { stopReason: 'end_turn', text: outcome.text };
    case 'needs_input':
      return { stopReason: 'end_turn', text: outcome.question };
    case 'cancelled':
      return { stopReason: 'cancelled', text: '' };
    case 'refused':
      return { stopReason: 'refusal', text: outcome.partial_text };
    case 'limit':
      if (outcome.limit.kind === 'output') return { stopReason: 'max_tokens', text: outcome.partial_text };
      if (outcome.limit.kind === 'turns')
        return { stopReason: 'max_turn_requests', text: outcome.partial_text };
      return { error: outcome.error.message, code: outcome.error.code };
    default:
      return { error: outcome.error.message, code: outcome.error.code };
  }
}
