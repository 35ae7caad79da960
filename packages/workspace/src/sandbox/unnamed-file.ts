import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface UnnamedFile {
  /** Where processes of this user can open it for reading until it is closed. */
  path: string;
  /** May be called again. */
  close(): void;
}

/**
 * A file for a process that we start and that may be started by another program on our behalf, so that it inherits no descriptor from
 * us. It has no name, so that no session can replace or read it.
 */
export function unnamedFile(content: Uint8Array): UnnamedFile {
  const name = join(tmpdir(), `amplifier-${randomUUID()}`);
  const writing = openSync(name, 'wx+', 0o600);
  try {
    unlinkSync(name);
    for (let at = 0; at < content.length; ) at += writeSync(writing, content, at);
    const reading = openSync(`/proc/self/fd/${writing}`, 'r');
    let isOpen = true;
    const close = () => {
      if (isOpen) closeSync(reading);
      isOpen = false;
    };
    return { path: `/proc/${process.pid}/fd/${reading}`, close };
  } finally {
    closeSync(writing);
  }
}
