import type { ServerResponse } from 'node:http';
import type { Caller } from '../auth/scope.js';
import { DaemonError } from '../daemon-error.js';
import { MAX_LARGE_ANSWERS, MAX_WAITING_ANSWERS } from '../defaults.js';

interface Counted {
  open: number;
  waiting: { go: () => void; refuse: (error: DaemonError) => void }[];
}

/**
 * How many large requests each account has in progress. An answer that is not read stays in memory until its reader is disconnected;
 * further requests of the same account wait, and those of others do not.
 */
export class LargeAnswers {
  readonly #callers = new Map<string, Counted>();

  /** Resolves when it is this answer's turn. It counts until the response is closed. */
  async enter(
    caller: Pick<Caller, 'account'>,
    kind: true | 'alone',
    response: ServerResponse,
  ): Promise<void> {
    const id = kind === 'alone' ? `${caller.account} alone` : caller.account;
    const own = this.#callers.get(id) ?? { open: 0, waiting: [] };
    this.#callers.set(id, own);
    if (own.waiting.length >= MAX_WAITING_ANSWERS)
      throw new DaemonError(
        'RATE_LIMITED',
        `${own.open} large requests of this token are in progress, and ${own.waiting.length} more wait. Read or cancel their answers, then ask again.`,
        { members: { retry_after: 1 } },
      );
    if (own.open < (kind === 'alone' ? 1 : MAX_LARGE_ANSWERS)) own.open++;
    else await new Promise<void>((go, refuse) => own.waiting.push({ go, refuse }));
    if (response.closed) {
      this.#leave(id, own);
      throw new DaemonError('CLIENT_CLOSED', 'The client closed the connection before its turn came.');
    }
    response.once('close', () => this.#leave(id, own));
  }

  /** Refuses what still waits: the daemon stops. */
  close(): void {
    for (const { waiting } of this.#callers.values())
      for (const { refuse } of waiting.splice(0))
        refuse(new DaemonError('NOT_READY', 'The daemon is stopping. Ask again when it is back.'));
  }

  /** The next request that waits takes the place of the one that ended. */
  #leave(id: string, own: Counted): void {
    const next = own.waiting.shift();
    if (next) next.go();
    else if (--own.open === 0) this.#callers.delete(id);
  }
}
