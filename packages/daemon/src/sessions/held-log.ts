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
  const close = async () => {
    isOpen = false;
    giveBack();
  };
  const held = new Proxy(log, {
    get(_, name) {
      if (name === 'close' || name === Symbol.asyncDispose) return close;
      const member = Reflect.get(log, name, log);
      if (typeof member !== 'function') return member;
      return (...words: unknown[]) => {
        if (isOpen) return member.apply(log, words);
        // What nobody keeps is dropped.
        if (name === 'say' || name === 'unsay') return;
        const message = `The daemon has taken session ${log.session_id} back; nothing more can be written by this run.`;
        const error = new SessionError(message, { code: 'LOG_CLOSED', origin: log.session_id });
        if (name === 'mail') throw error;
        return Promise.reject(error);
      };
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
