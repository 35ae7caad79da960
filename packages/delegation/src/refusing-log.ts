import type { SessionLog } from '@amplifier/sessions';

interface Refusing {
  /** Why nothing more may be written; null while it may. */
  refusal(): Error | null;
  close(): Promise<void>;
}

/** A session's log that can be cut off: from then on it looks to the record as if the process had died here. */
export function refusingLog(log: SessionLog, { refusal, close }: Refusing): SessionLog {
  return new Proxy(log, {
    get(_, name) {
      if (name === 'close' || name === Symbol.asyncDispose) return close;
      const member = Reflect.get(log, name, log);
      if (typeof member !== 'function') return member;
      return (...words: unknown[]) => {
        const error = refusal();
        if (error === null) return member.apply(log, words);
        // What nobody keeps is dropped.
        if (name === 'say' || name === 'unsay') return;
        if (name === 'mail') throw error;
        return Promise.reject(error);
      };
    },
  });
}
