import { SessionError, type SessionLog } from '@amplifier/sessions';
import { refusingLog } from './refusing-log.js';

interface Held {
  /** The token of its claim; undefined for what only runs below a claimed turn. */
  lease: number | undefined;
  above: Held | undefined;
  isCutOff: boolean;
}

/** The logs of turns that run under a claim, and of all that runs below them in this process: who loses the claim writes nothing more. */
export class ClaimedLogs {
  readonly #held = new Map<string, Held>();

  /** The log as its turn gets it. What has a claim of its own does not depend on the one above. */
  hold(log: SessionLog, lease?: number): SessionLog {
    const { session_id, metadata } = log;
    const above = lease === undefined ? this.#held.get(metadata.parent_id ?? '') : undefined;
    this.#held.delete(session_id);
    if (lease === undefined && !above) return log;
    const held: Held = { lease, above, isCutOff: false };
    this.#held.set(session_id, held);
    return refusingLog(log, {
      refusal: () => (isCutOff(held) ? lost(session_id) : null),
      close: () => {
        // One that is cut off stays known: a child that it was just creating is cut off, too.
        if (this.#held.get(session_id) === held && !isCutOff(held)) this.#held.delete(session_id);
        return log.close();
      },
    });
  }

  /** Nothing more of the turn under this claim, and of all below it, gets into the record. */
  cutOff(session_id: string, lease: number): void {
    const held = this.#held.get(session_id);
    if (held?.lease === lease) held.isCutOff = true;
  }

  isCutOff(session_id: string): boolean {
    const held = this.#held.get(session_id);
    return held !== undefined && isCutOff(held);
  }
}

function isCutOff({ isCutOff: isSelf, above }: Held): boolean {
  return isSelf || (above !== undefined && isCutOff(above));
}

function lost(session_id: string): SessionError {
  const message = `Another process has claimed session ${session_id}; nothing more can be written by this one.`;
  return new SessionError(message, { code: 'FENCED', origin: session_id });
}
