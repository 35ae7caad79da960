import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Diagnostic, redactText } from '@amplifier/host';

/** A log that grows past this is put aside once, so that it never fills a disk. */
const MAX_BYTES = 5 * 1024 * 1024;

export interface LogFile {
  readonly path: string;
  write(entry: Pick<Diagnostic, 'level' | 'message'> & { code?: string; error?: unknown }): void;
}

/** One line of JSON for each thing worth knowing later. A log that cannot be written never stops the work. */
export function logFile(path: string): LogFile {
  return {
    path,
    write({ level, message, code, error }) {
      const stack = error instanceof Error ? error.stack : undefined;
      const line = JSON.stringify({ time: new Date().toISOString(), level, code, message, stack });
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        makeRoom(path);
        appendFileSync(path, `${redactText(line)}\n`, { mode: 0o600 });
      } catch {
        // A full disk or a read-only home is reported by whatever the user asked for.
      }
    },
  };
}

function makeRoom(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_BYTES) renameSync(path, `${path}.old`);
}
