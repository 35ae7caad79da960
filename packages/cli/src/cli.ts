import type { Report } from '@amplifier/host';
import pc from 'picocolors';
import type { LogFile } from './log-file.js';
import { type Colors, colors, writeError, writeJson, writeOut } from './terminal/screen.js';

/** The options every command takes. */
export interface GlobalOptions {
  cwd: string;
  json: boolean;
  quiet: boolean;
  verbose: boolean;
  debug: boolean;
}

/** What a command speaks through. Results go to standard output and nothing else does. */
export interface Cli extends GlobalOptions {
  color: Colors;
  /** Columns to write within. */
  width: number;
  /** Is a person there who can answer? */
  interactive: boolean;
  log: LogFile;
  /** Receives what is amiss and stops nothing: the log always, the screen when it is grave or asked for. */
  report: Report;
  /** A result, with a line end. */
  print(text: string): void;
  /** A result for programs, as one JSON document. */
  printJson(value: unknown): void;
  /** A word beside the result. Silent with `--quiet`. */
  say(text: string): void;
}

/** Columns of a terminal that does not say, and of a pipe. */
const DEFAULT_WIDTH = 80;

export function makeCli(options: GlobalOptions, log: LogFile): Cli {
  const { stdin, stdout } = process;
  const said = new Set<string>();
  const say = (text: string) => {
    if (!options.quiet) writeError(`${text}\n`);
  };
  return {
    ...options,
    color: colors(pc.isColorSupported && stdout.isTTY === true),
    width: stdout.columns || DEFAULT_WIDTH,
    interactive: stdin.isTTY === true && stdout.isTTY === true && !options.json,
    log,
    report(diagnostic) {
      log.write(diagnostic);
      const { level, code, message } = diagnostic;
      const isGrave = level === 'error' || code === 'FOLDER_NOT_TRUSTED';
      if ((!isGrave && !options.verbose) || said.has(message)) return;
      said.add(message);
      say(`${level}: ${message}`);
    },
    print: (text) => {
      writeOut(text.endsWith('\n') ? text : `${text}\n`);
    },
    printJson: (value) => writeJson(value, 2),
    say,
  };
}
