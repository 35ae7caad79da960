import { CancellationToken } from '@amplifier/core';
import { SessionError, type SessionLog } from '@amplifier/sessions';

/**
 * A claim of the queue that this process holds while it runs the claimed turn. When it is lost, the logs of that turn and of all that
 * runs below it are revoked and the turns stop: nothing more of them is written, not even that they were stopped. A background child is
 * run under another claim and does not depend on this one.
 */
export class HeldClaim {
  /** Stops the turn when the claim is lost. */
  readonly cancellation = new CancellationToken();
  readonly #logs = new Set<SessionLog>();
  #isLost = false;

  /** The log is revoked with the claim: at once if the claim is lost already. */
  add(log: SessionLog): void {
    this.#logs.add(log);
    if (this.#isLost) this.#revoke();
  }

  /** The log is closed. */
  delete(log: SessionLog): void {
    this.#logs.delete(log);
  }

  /** Another process has the claim. */
  lose(): void {
    this.#isLost = true;
    this.#revoke();
    this.cancellation.request('immediate');
  }

  #revoke(): void {
    for (const log of this.#logs) log.revoke(claimLost(log.session_id));
    this.#logs.clear();
  }
}

function claimLost(session_id: string): SessionError {
  const message = `Another process has claimed session ${session_id}; nothing more can be written by this one.`;
  return new SessionError(message, { code: 'FENCED', origin: session_id });
}
