import type { JsonObject } from '../../data/json.js';
import { KernelError } from '../errors/kernel-error.js';

/** How a session asks a person. Supplied by the app; without one every question is answered with no. */
export interface ApprovalSystem {
  /**
   * Resolves to one of `options`. Must reject with `ApprovalTimeoutError` when nobody answers within `timeout` seconds.
   * Must stop asking when the signal aborts.
   */
  requestApproval(request: ApprovalRequest): Promise<string>;
}

export interface ApprovalRequest {
  prompt: string;
  /** The tool call it is about, if it is about one: `tool_call_id`, `tool_name`, `tool_input`, and `digest`, which names the call. */
  subject?: JsonObject | null;
  options: string[];
  /** Seconds. */
  timeout: number;
  default: 'allow' | 'deny';
  /** Who asks, so that a person can tell one child from another. */
  session_id: string;
  hook_name: string;
  event: string;
  signal: AbortSignal;
}

export class ApprovalTimeoutError extends KernelError {
  constructor(seconds: number) {
    super(`Nobody answered the approval request within ${seconds} s.`, { code: 'APPROVAL_TIMEOUT' });
  }
}

/** `Allow always: …` says what is allowed for good; it is one of the options of whoever asks. */
const ACCEPTING = /^allow(?: once| always(?:: .+)?)?$/is;

/** Only these words are a yes. Anything else, an option of the asker's own included, is a no. */
export function isAcceptance(answer: string): boolean {
  return ACCEPTING.test(answer.trim());
}
