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
  /** Is a module that cannot be loaded a reason to stop? */
  strict: boolean;
}

/** What a command speaks through. Results go to standard output and nothing else does. */
export interface Cli extends GlobalOptions {
  color: Colors;
  /** Columns to write within. */
  width: number;
  /** Is a person there who can answer? */
  interactive: boolean;
  log: LogFile;
  /** Receives what is amiss and stops nothing: the log always, the screen when it is grave, asked for, or a module that is missing. */
  report: Report;
  /** What was reported of modules, MCP servers and hooks that could not be loaded. */
  readonly missing: readonly string[];
  /** Called at the first of them, with `--strict`. */
  onMissing(listener: () => void): void;
  /** A result, with a line end. */
  print(text: string): void;
  /** A result for programs, as one JSON document. */
  printJson(value: unknown): void;
  /** A word beside the result. Silent with `--quiet`. */
  say(text: string): void;
}

/** Public bundles name a dozen modules that guard nothing and exist in Python alone: one line is enough for all of them. */
const IN_PYTHON = / is left out: .*: it is written in Python and has no counterpart here\./;
const LEFT_OUT_TOGETHER =
  "The bundle's Python modules are left out. 'amplifier bundle check' lists them and the effect.";

/** Warnings that are shown without `--verbose`: about what a session lacks, or what is trusted. */
const TOLD = new Set([
  'BUNDLE_DEPENDENCY',
  'FOLDER_NOT_TRUSTED',
  'MODULE_FIRST_USE',
  'SESSION_NOT_ADOPTED',
  'SOURCE_FIRST_USE',
  'SOURCE_HELD',
]);

/** Columns of a terminal that does not say. */
const DEFAULT_WIDTH = 80;

export function makeCli(options: GlobalOptions, log: LogFile): Cli {
  const { stdin, stdout } = process;
  const said = new Set<string>();
  const missing: string[] = [];
  let listener = () => {};
  const say = (text: string) => {
    if (!options.quiet) writeError(`${text}\n`);
  };
  return {
    ...options,
    color: colors(pc.isColorSupported && stdout.isTTY === true),
    // A pipe has no edge: whoever reads it gets whole lines.
    width: stdout.isTTY ? stdout.columns || DEFAULT_WIDTH : Number.POSITIVE_INFINITY,
    interactive: stdin.isTTY === true && stdout.isTTY === true && !options.json,
    log,
    report(diagnostic) {
      log.write(diagnostic);
      const { level, code, message, module_id } = diagnostic;
      if (said.has(message)) return;
      const isGrave = level === 'error' || TOLD.has(code ?? '') || module_id !== undefined;
      if (!isGrave && !options.verbose) return;
      said.add(message);
      const isInPython = IN_PYTHON.test(message) && !options.verbose;
      const words = isInPython ? LEFT_OUT_TOGETHER : message;
      if (!isInPython || !said.has(words)) say(`${level}: ${words}`);
      said.add(words);
      if (module_id === undefined) return;
      missing.push(message);
      if (options.strict) listener();
    },
    missing,
    onMissing(told) {
      listener = told;
      if (options.strict && missing.length > 0) told();
    },
    print: (text) => {
      writeOut(text.endsWith('\n') ? text : `${text}\n`);
    },
    printJson: (value) => writeJson(value, 2),
    say,
  };
}
