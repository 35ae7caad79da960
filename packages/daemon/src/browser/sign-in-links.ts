import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@amplifier/core';
import { MAX_SIGN_IN_LINKS, SIGN_IN_LINK_MS } from '../defaults.js';
import type { Scope } from '../http/scope.js';

/** What whoever opens the link becomes. */
export interface SignIn {
  scope: Scope;
  /** The token that the link was made with; null for the daemon's own. */
  made_by: string | null;
}

interface OpenLink extends SignIn {
  until: number;
}

/** Links that sign a browser in, each once and within a minute. They are kept in memory alone: a restart makes them void. */
export class SignInLinks {
  readonly #clock: Clock;
  readonly #open = new Map<string, OpenLink>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A code to be used once, and when it ends. */
  create(signIn: SignIn): { code: string; until: number } {
    const now = this.#clock.now();
    for (const [digest, { until }] of this.#open) if (until <= now) this.#open.delete(digest);
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_SIGN_IN_LINKS && oldest !== undefined) this.#open.delete(oldest);
    const code = randomBytes(32).toString('base64url');
    const until = now + SIGN_IN_LINK_MS;
    this.#open.set(digestOf(code), { ...signIn, until });
    return { code, until };
  }

  /** Null where the code was used, is over or was never made. */
  take(code: string): SignIn | null {
    const digest = digestOf(code);
    const link = this.#open.get(digest);
    this.#open.delete(digest);
    return link && link.until > this.#clock.now() ? link : null;
  }
}

/** Looked up by their digest, so that how long a look takes says nothing of a code. */
function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
