import { type Clock, EVENTS } from '@amplifier/core';
import type { LaunchRecord } from '../launch-record.js';
import type { Outcome } from '../outcome.js';
import type { Turn } from '../turn.js';
import { Attempt } from './attempt.js';
import type { AttemptOptions, Equipment } from './attempt-options.js';
import type { Engine } from './engine.js';
import { Candidates, isOutOfService } from './fall-back.js';
import { lineageOf } from './lineage.js';

/** Runs agents in this process, on a model. */
export class InProcessEngine implements Engine {
  readonly #options: AttemptOptions;
  readonly #equipment: Equipment;

  constructor(options: AttemptOptions, equipment: Equipment) {
    this.#options = options;
    this.#equipment = equipment;
  }

  /** Goes down the candidates of the record as long as their providers are out of service and nothing has happened yet. */
  async run(turn: Turn): Promise<Outcome> {
    const { launch, log, cancellation } = turn;
    const candidates = new Candidates(launch.model);
    const deadline = deadlineOf(launch, this.#options.clock);
    const { message_count } = log.metadata;
    for (let current = turn; ; ) {
      const attempt = new Attempt(this.#options, this.#equipment, current, deadline);
      const outcome = await attempt.run();
      const isUntouched = log.metadata.message_count === message_count;
      const mayFallBack = !cancellation.reason && isUntouched && isOutOfService(attempt.thrown);
      const next = mayFallBack ? candidates.next(current.plan, attempt.thrown) : null;
      const fallbacks = [...candidates.taken, ...attempt.failovers];
      if (!next) return fallbacks.length > 0 ? { ...outcome, fallbacks } : outcome;
      await log.appendEvents([{ name: EVENTS.PROVIDER_FALLBACK, data: { ...next.fallback } }]);
      const { session_id } = launch;
      turn.observe?.(EVENTS.PROVIDER_FALLBACK, { ...next.fallback, session_id, lineage: lineageOf(launch) });
      current = { ...turn, plan: next.plan, carried: outcome.usage };
    }
  }
}

/** When the turn must be over, whatever it is tried on. */
function deadlineOf({ limits: { timeout } }: LaunchRecord, clock: Clock): number | null {
  return timeout === null ? null : clock.now() + timeout * 1000;
}
