import { type Clock, LLMError, type Provider, QuotaExceededError, RateLimitError } from '@amplifier/core';
import type { Shelf } from '@amplifier/sessions';
import { GATE_DEFAULT_SECONDS } from '../defaults.js';
import { GATES, ProviderGate, type Waiting } from './provider-gate.js';

const known = new WeakMap<Shelf, ProviderGates>();

/** The gates of a record, which all in this process go through. */
export function providerGates(shelf: Shelf, clock: Clock): ProviderGates {
  const gates = known.get(shelf) ?? new ProviderGates(shelf, clock);
  known.set(shelf, gates);
  return gates;
}

/**
 * Who may ask which provider now. Each model has a gate that is shut for everybody when the provider turns one call away, and each
 * account with a configured number of calls at once has one for these.
 */
export class ProviderGates {
  readonly #shelf: Shelf;
  readonly #clock: Clock;
  readonly #gates = new Map<string, ProviderGate>();

  constructor(shelf: Shelf, clock: Clock) {
    this.#shelf = shelf;
    this.#clock = clock;
    // For as long as the record is open.
    shelf.watch(GATES, () => {
      for (const gate of this.#gates.values()) gate.look();
    });
  }

  get now(): number {
    return this.#shelf.now();
  }

  passFor({ name, quota }: Provider, model: string): GatePass {
    const { account, concurrency } = quota ?? { account: name, concurrency: null };
    const ofModel = this.#gate(`${account} ${model}`, null);
    // The one for the model first: whoever waits for that takes nobody's place.
    return new GatePass(concurrency === null ? [ofModel] : [ofModel, this.#gate(account, concurrency)]);
  }

  #gate(key: string, configured: number | null): ProviderGate {
    const name = `${key} ${configured}`;
    const known = this.#gates.get(name);
    if (known) return known;
    const gate = new ProviderGate(key, configured, this.#shelf, this.#clock);
    this.#gates.set(name, gate);
    return gate;
  }
}

/** One call on its way through the gates, as often as it is tried. */
export class GatePass {
  readonly #gates: readonly ProviderGate[];
  readonly #entered: ProviderGate[] = [];
  #isAgain = false;

  constructor(gates: readonly ProviderGate[]) {
    this.#gates = gates;
  }

  /** Goes through at once where nothing is in the way; false where the call has to `enter`. */
  passes(): boolean {
    const [gate] = this.#gates;
    if (this.#gates.length > 1 || !gate?.pass()) return false;
    this.#entered.push(gate);
    this.#isAgain = true;
    return true;
  }

  /** Resolves when the call may be made. Rejects with an `AbortError` when the signal aborts. */
  async enter(waiting: Waiting): Promise<void> {
    try {
      for (const gate of this.#gates) {
        await gate.enter({ ...waiting, isAgain: this.#isAgain });
        this.#entered.push(gate);
      }
      this.#isAgain = true;
    } catch (error) {
      this.leave(error);
      throw error;
    }
  }

  /** The attempt is over, and where it failed, this is why. `delay`: seconds until the next one, if there is any. */
  leave(error: unknown = null, delay = GATE_DEFAULT_SECONDS): void {
    for (const gate of this.#entered.splice(0)) gate.leave(error === null);
    if (error !== null && isTurnedAway(error))
      this.#gates[0]?.shut(error.retry_after ?? delay, error.message);
  }
}

/** Does the provider say that there are too many calls, and that it will take more later? */
function isTurnedAway(error: unknown): error is LLMError {
  if (!(error instanceof LLMError) || error instanceof QuotaExceededError) return false;
  return error instanceof RateLimitError || error.retry_after !== undefined;
}
