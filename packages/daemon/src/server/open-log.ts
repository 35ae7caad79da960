import { join } from 'node:path';
import { shownJson } from '@amplifier/core';
import { type Logger, pino } from 'pino';
import type { DaemonHome } from '../config.js';
import { FILE_MODE, LOG_BUFFER_BYTES, LOG_FLUSH_MS } from '../defaults.js';

/** As the library numbers its levels. */
const WARNING = 40;

/** The daemon's log file. Lines are written in blocks, and what is left when the process exits is written then. */
export function openLog({ log }: DaemonHome, level: string): Logger {
  const destination = pino.destination({
    dest: join(log, 'amplifierd.log'),
    sync: false,
    minLength: LOG_BUFFER_BYTES,
    periodicFlush: LOG_FLUSH_MS,
    mode: FILE_MODE,
  });
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        streamWrite: shownJson,
        // What somebody may have to look into does not wait: the process may not live until the next block.
        logMethod(line, write, line_level) {
          write.apply(this, line);
          if (line_level >= WARNING) this.flush();
        },
      },
    },
    destination,
  );
}
