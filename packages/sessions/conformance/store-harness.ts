import type { SessionStore } from '@amplifier/sessions';

/** A place for sessions that several processes share. */
export interface StoreHarness extends AsyncDisposable {
  /** The place as the process called `process` sees it. Each name is another process. */
  open(process?: string): Promise<SessionStore>;
  /** The process is gone, without having closed anything. */
  kill(process: string): Promise<void>;
}
