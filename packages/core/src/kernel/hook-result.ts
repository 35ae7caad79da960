import { z } from 'zod';
import { boundsFault, MAX_DATA_DEPTH } from '../data/bounds.js';
import type { JsonObject } from '../data/json.js';

/** What a hook handler answers. Every member but the ones it means to set may be left out. */
export const HookResult = z.object({
  action: z.enum(['continue', 'deny', 'modify', 'inject_context', 'ask_user']).default('continue'),
  data: z.record(z.string(), z.unknown()).nullish(),
  reason: z.string().nullish(),
  context_injection: z.string().nullish(),
  context_injection_role: z.enum(['system', 'user', 'assistant']).default('system'),
  /** Only for the next request: the text never enters the stored conversation. */
  ephemeral: z.boolean().default(false),
  append_to_last_tool_result: z.boolean().default(false),
  approval_prompt: z.string().nullish(),
  /** What the question is about, for entry points that can show more than words. */
  approval_subject: z.record(z.string(), z.unknown()).nullish(),
  approval_options: z.array(z.string()).nullish(),
  /** Seconds. */
  approval_timeout: z.number().positive().default(300),
  approval_default: z.enum(['allow', 'deny']).default('deny'),
  suppress_output: z.boolean().default(false),
  user_message: z.string().nullish(),
  user_message_level: z.enum(['info', 'warning', 'error']).default('info'),
  user_message_source: z.string().nullish(),
});
export type HookResult = z.infer<typeof HookResult> & {
  /** Of other guards of the same event. All have to be answered with yes. Set by the kernel, never by a handler. */
  further_questions?: HookResult[];
};

/** What a handler may return: a partial result, or nothing to let the event pass. */
export type HookReply = z.input<typeof HookResult> | null | undefined | void;

export const DEFAULT_APPROVAL_OPTIONS = ['Allow', 'Deny'];

/** A complete result from the members that matter. */
export function hookResult(members: z.input<typeof HookResult> = {}): HookResult {
  return HookResult.parse(members);
}

const CONTINUE = hookResult({ data: {} });

/** Let the event pass with this data. */
export function continueWith(data: JsonObject): HookResult {
  return { ...CONTINUE, data };
}

/** Reads a handler's answer. One that cannot be read is a denial: an unreadable guard must not let things through. */
export function readHookReply(reply: unknown, hookName: string): HookResult | null {
  if (reply === null || reply === undefined) return null;
  const parsed = HookResult.safeParse(reply);
  // An event may hold arguments that are themselves as deep as arguments may be.
  const fault = parsed.success
    ? boundsFault(parsed.data.data, {
        depth: 2 * MAX_DATA_DEPTH,
        size: Number.POSITIVE_INFINITY,
        members: Number.POSITIVE_INFINITY,
      })
    : z.prettifyError(parsed.error);
  if (parsed.success && fault === null) return parsed.data;
  return hookResult({
    action: 'deny',
    reason: `Hook '${hookName}' returned a result that cannot be read: ${fault}`,
  });
}
