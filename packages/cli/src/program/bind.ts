import type { Command } from 'commander';
import type { Cli } from '../cli.js';

/** Options as the command line gave them, by their long name in camel case. */
export type Options = Record<string, unknown>;

/** What a command does. Returns the exit code; nothing means that all went well. */
type Handler = (cli: Cli, args: (string | undefined)[], options: Options) => Promise<number | void>;

/** Ties what a command does to its place in the program. The code behind it is loaded when it is called. */
export type Bind = (command: Command, handler: Handler) => Command;
