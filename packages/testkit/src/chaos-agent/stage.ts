import type { ChaosSession } from './sessions.js';
import type { Params, Wire } from './wire.js';

/** One prompt being worked on. */
export interface Stage {
  wire: Wire;
  session: ChaosSession;
  /** Replaces the session id in its requests. */
  named?: string | undefined;
  /** Aborts when the client cancels. */
  cancelled: AbortSignal;
  /** What was said so far. */
  said: string;
  response: Params;
  calls: number;
  prompt: string;
  /** The images of the prompt, each with its type and data. */
  images: string[];
  /** What it does when the prompt has its answer. */
  afterwards: (() => void)[];
}

export type Act = (stage: Stage, rest: string) => void | Promise<void>;
