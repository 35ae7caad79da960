import type { EventEmitter } from 'node:events';

/**
 * Whoever read our output went away. Not the signal SIGPIPE: a process that listens to that one is sent it for every pipe that
 * breaks, so that a server or hook that dies would end the work of everybody. Told through the process, because the program is
 * bundled into parts that share no module.
 */
const READER_GONE = 'amplifier:reader-gone';
const events: EventEmitter = process;

/** Returns what takes the listener away again. */
export function onReaderGone(listener: () => void): () => void {
  events.on(READER_GONE, listener);
  return () => {
    events.off(READER_GONE, listener);
  };
}

export function tellReaderGone(): void {
  events.emit(READER_GONE);
}

/** The reader of our output is there and does not read, while the process shall end. */
const OUTPUT_UNREAD = 'amplifier:output-unread';

/** Replaces the listener of an earlier command line of this process. */
export function onOutputUnread(listener: () => void): void {
  events.removeAllListeners(OUTPUT_UNREAD).on(OUTPUT_UNREAD, listener);
}

export function tellOutputUnread(): void {
  events.emit(OUTPUT_UNREAD);
}
