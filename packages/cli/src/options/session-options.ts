import { isAbsolute, resolve } from 'node:path';
import type { Limits, ModelOptions, SafetyMode } from '@amplifier/host';
import type { Cli } from '../cli.js';
import type { Options } from '../program/bind.js';
import type { OutputForm } from '../terminal/watch-session.js';
import { UsageError } from '../usage-error.js';

/** Files below the working folder may be changed, as the design says of a terminal. */
const DEFAULT_SAFETY: SafetyMode = 'write';

export interface SessionOptions extends ModelOptions {
  bundle: string | undefined;
  offline: boolean;
  /** May another provider take over from the one that was named? */
  fallback: boolean | undefined;
  limits: Partial<Limits>;
  safety_mode: SafetyMode;
  /** Was the mode named, or is it the default? */
  safety_named: boolean;
  /** What of the session may reach the network, where it was said. */
  network: boolean | undefined;
  form: OutputForm;
  /** Files that go along with the prompt. */
  attachments: { path: string }[];
}

/** The options of `addSessionOptions`, read and checked. */
export function readSessionOptions(cli: Cli, options: Options): SessionOptions {
  return {
    bundle: text(options.bundle),
    offline: Boolean(options.offline),
    provider: text(options.provider),
    model: text(options.model),
    role: text(options.role),
    fallback: options.fallback === true ? true : undefined,
    limits: readLimits(options),
    safety_mode: (options.safety as SafetyMode | undefined) ?? DEFAULT_SAFETY,
    safety_named: options.safety !== undefined,
    network: typeof options.network === 'boolean' ? options.network : undefined,
    attachments: (Array.isArray(options.attach) ? options.attach : []).map((path) => ({
      path: fromFolder(cli.cwd, String(path)),
    })),
    form: cli.json ? 'json' : ((options.output as OutputForm | undefined) ?? 'text'),
  };
}

function readLimits({
  maxCost,
  maxTokens,
  maxDepth,
  maxTurns,
  allowUnpriced,
  timeout,
}: Options): Partial<Limits> {
  return {
    ...(maxCost === undefined ? {} : { max_cost_usd: decimal('--max-cost', String(maxCost)) }),
    ...(allowUnpriced === undefined ? {} : { allow_unpriced: Boolean(allowUnpriced) }),
    ...(maxTokens === undefined ? {} : { max_tokens: whole('--max-tokens', maxTokens, 1) }),
    ...(maxDepth === undefined ? {} : { max_depth: whole('--max-depth', maxDepth, 0) }),
    ...(maxTurns === undefined ? {} : { max_turns: whole('--max-turns', maxTurns, 1) }),
    ...(timeout === undefined ? {} : { timeout: seconds('--timeout', timeout) }),
  };
}

export function whole(option: string, value: unknown, least: number): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= least) return number;
  throw new UsageError(`${option} takes a whole number of at least ${least}, not '${value}'.`);
}

/** Null for 0: no limit. */
export function seconds(option: string, value: unknown): number | null {
  const number = Number(value);
  if (Number.isFinite(number) && number >= 0) return number === 0 ? null : number;
  throw new UsageError(`${option} takes seconds, not '${value}'.`);
}

function decimal(option: string, value: string): string {
  if (/^\d+(\.\d+)?$/.test(value)) return value;
  throw new UsageError(`${option} takes an amount such as 1.50, not '${value}'.`);
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function fromFolder(cwd: string, path: string): string {
  return isAbsolute(path) ? path : resolve(cwd, path);
}
