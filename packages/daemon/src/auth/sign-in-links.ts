import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@amplifier/core';
import type { SqlShelf } from '@amplifier/sessions';
import { SIGN_IN_LINK_MS } from '../defaults.js';
import type { Scope } from './scope.js';

/** What whoever opens the link becomes. */
export interface SignIn {
  scope: Scope;
  /** The token that the link was made with; null for the daemon's own. */
  made_by: string | null;
  /** Whose token that was. */
  tenant?: string | undefined;
}

const KIND = 'sign-in link';

/** Links that sign a browser in, each once and within a minute, at whichever daemon of the record. */
export class SignInLinks {
  readonly #clock: Clock;
  readonly #shelf: SqlShelf;

  constructor(shelf: SqlShelf, clock: Clock) {
    this.#shelf = shelf;
    this.#clock = clock;
  }

  /** A code to be used once, and when it ends. */
  async create(signIn: SignIn): Promise<{ code: string; until: number }> {
    const code = randomBytes(32).toString('base64url');
    const until = this.#clock.now() + SIGN_IN_LINK_MS;
    await this.#shelf.put(KIND, digestOf(code), signIn, until);
    return { code, until };
  }

  /** What the link would make of a browser, without using it up. Null as with `take`. */
  peek(code: string): Promise<SignIn | null> {
    return this.#shelf.get<SignIn>(KIND, digestOf(code));
  }

  /** Null where the code was used, is over or was never made. */
  take(code: string): Promise<SignIn | null> {
    return this.#shelf.take<SignIn>(KIND, digestOf(code));
  }
}

/** Looked up by their digest, so that how long a look takes says nothing of a code. */
function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
