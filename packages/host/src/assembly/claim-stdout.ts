import { Writable } from 'node:stream';

/** A client that has read nothing of what is left for this long after the end was requested is not waited for. */
const UNREAD_GRACE_MS = 1_000;

export interface ClaimOptions {
  /** Aborts when the process shall end. */
  signal?: AbortSignal;
  /** Called when the client has not read its output by then. What is left keeps the process alive: end it when the work is closed. */
  onUnread?: () => void;
}

/**
 * Takes standard output for the protocol alone. Whatever else writes there from now on, such as a module that logs to the
 * console, is sent to standard error.
 */
export function claimStdout({ signal, onUnread }: ClaimOptions = {}): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  const claimed = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => {
      write(chunk, encoding, (error) => done(error));
    },
  });
  stdout.on('error', (error) => claimed.destroy(error));
  // Writers get the error themselves.
  claimed.on('error', () => {});
  const giveUp = () => {
    if (claimed.writableLength === 0 && stdout.writableLength === 0) return;
    claimed.destroy(new Error('The client does not read the output.'));
    onUnread?.();
  };
  signal?.addEventListener('abort', () => setTimeout(giveUp, UNREAD_GRACE_MS).unref(), { once: true });
  return claimed;
}
