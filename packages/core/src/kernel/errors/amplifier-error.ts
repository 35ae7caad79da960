import { redactText } from '../../secrets/redact-secrets.js';

const MARKER = Symbol.for('amplifier.error');

export interface ErrorDetails {
  /** Stable, for programs. */
  code: string;
  /** May the same call succeed when simply made again? */
  retryable?: boolean | undefined;
  /** Who failed: a module id, a provider name, a file. */
  origin?: string | undefined;
  cause?: unknown;
}

/**
 * The base of every error this project throws on purpose. `AmplifierError.is` works across two copies of this
 * package in one process, where `instanceof` would not.
 */
export class AmplifierError extends Error {
  readonly [MARKER] = true;
  readonly code: string;
  readonly retryable: boolean;
  readonly origin: string | undefined;

  constructor(message: string, { code, retryable = false, origin, cause }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.retryable = retryable;
    this.origin = origin;
  }

  static is(value: unknown): value is AmplifierError {
    return typeof value === 'object' && value !== null && MARKER in value;
  }
}

/** What is known of a failure, as data: this is the form that travels in events, logs and outcomes. */
export interface ErrorInfo {
  type: string;
  message: string;
  code?: string | undefined;
  retryable?: boolean | undefined;
  origin?: string | undefined;
}

/** Describes anything that was thrown, without secrets: a message often quotes what was sent. Never throws itself. */
export function errorInfo(thrown: unknown): ErrorInfo {
  const info = describeThrown(thrown);
  return { ...info, message: redactText(info.message) };
}

function describeThrown(thrown: unknown): ErrorInfo {
  if (AmplifierError.is(thrown)) {
    const { name, message, code, retryable, origin } = thrown;
    return { type: name, message, code, retryable, origin };
  }
  if (thrown instanceof Error) return { type: thrown.name, message: thrown.message };
  return { type: typeof thrown, message: describe(thrown) };
}

function describe(thrown: unknown): string {
  try {
    return typeof thrown === 'string' ? thrown : (JSON.stringify(thrown) ?? String(thrown));
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}
