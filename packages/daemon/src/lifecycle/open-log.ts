import { join } from 'node:path';
import { shownJson } from '@amplifier/core';
import { type Logger, pino } from 'pino';
import type { DaemonHome } from '../config.js';
import { LogWriter } from './log-writer.js';

/** As the library numbers its levels. */
const WARNING = 40;

/** The daemon's log, and why it cannot be written when it cannot. */
export interface DaemonLog {
  logger: Logger;
  failure(): string | null;
  close(): Promise<void>;
}

export function openLog({ log }: DaemonHome, level: string): DaemonLog {
  const writer = new LogWriter(join(log, 'amplifierd.log'));
  const logger = pino(
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
    writer,
  );
  return { logger, failure: () => writer.failure, close: () => writer.close() };
}
