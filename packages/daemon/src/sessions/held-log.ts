import { refusingLog } from '@amplifier/delegation';
import { SessionError, type SessionLog } from '@amplifier/sessions';

/** A session's log in the hands of whoever runs its turn. */
export interface HeldLog {
  /** Closing it gives the session back to the pool, which may keep the log itself open. */
  log: SessionLog;
  /** From now on nothing more gets through: to the record it looks as if the process had died here. */
  cutOff(): void;
  readonly isCutOff: boolean;
}

export function holdLog(log: SessionLog, giveBack: () => void): HeldLog {
  let isOpen = true;
  let isCutOff = false;
  const held = refusingLog(log, {
    refusal: () => (isOpen ? null : takenBack(log.session_id)),
    async close() {
      isOpen = false;
      giveBack();
    },
  });
  return {
    log: held,
    cutOff() {
      isOpen = false;
      isCutOff = true;
    },
    get isCutOff() {
      return isCutOff;
    },
  };
}

function takenBack(session_id: string): SessionError {
  const message = `The daemon has taken session ${session_id} back; nothing more can be written by this run.`;
  return new SessionError(message, { code: 'LOG_CLOSED', origin: session_id });
}
