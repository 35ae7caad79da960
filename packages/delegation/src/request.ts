import { boundsFault, isPlainObject, type JsonObject, setOwn } from '@amplifier/core';
import { ProviderPreference } from '@amplifier/foundation';
import { NetworkAccess, SafetyMode } from '@amplifier/workspace';
import { z } from 'zod';
import { ContextScope } from './context/in-scope.js';
import { ContextDepth } from './context/inherit-context.js';
import { MIN_RESULT } from './defaults.js';
import { DelegationError } from './delegation-error.js';
import { HandBack } from './hand-back-form.js';
import { LimitWishes } from './limits/limits.js';
import { Attachment } from './read-attachments.js';

const text = z.string().trim();

/** What a caller may ask for. Only the instruction is always needed; `agent` or `session_id` says who gets it. */
export const DelegateRequest = z.object({
  agent: text.optional(),
  instruction: text,
  /** Continue this session instead of making a new one. */
  session_id: text.optional(),
  context_depth: ContextDepth.optional(),
  context_turns: z.number().int().optional(),
  context_scope: ContextScope.optional(),
  provider_preferences: z.array(ProviderPreference).optional(),
  model_role: text.optional(),
  /** Fail when none of the preferences can be honoured, instead of running on something else. */
  strict_preferences: z.boolean().optional(),
  /** Return at once; the outcome is delivered later. */
  background: z.boolean().optional(),
  /** Seconds; null for no limit of its own. */
  timeout: z.number().positive().nullable().optional(),
  /** JSON Schema the answer must fit. */
  output_schema: z.record(z.string(), z.unknown()).optional(),
  safety_mode: SafetyMode.optional(),
  /** What of the child may reach the network, at most what its parent may. */
  network: NetworkAccess.optional(),
  isolation: z.enum(['none', 'worktree', 'copy']).optional(),
  /** Only these tools, by module id or tool name, and what the agent declares itself. */
  inherit_tools: z.array(z.string()).optional(),
  exclude_tools: z.array(z.string()).optional(),
  exclude_hooks: z.array(z.string()).optional(),
  limits: LimitWishes.optional(),
  /** Characters of the answer that are handed back at most. The whole stays in the child's session. */
  max_result: z.number().int().min(MIN_RESULT).optional(),
  hand_back: HandBack.optional(),
  /** Skills whose text the child is given from the start. */
  skills: z.array(text).optional(),
  /** Files that go along with the instruction. */
  attachments: z.array(Attachment).optional(),
  tool_call_id: z.string().optional(),
  parallel_group_id: z.string().nullable().optional(),
  /** Travels on the child's session events. */
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type DelegateRequest = z.infer<typeof DelegateRequest>;

/** Made once: a schema compiles itself on its first use. */
const StrictRequest = DelegateRequest.strict();

/** Reads a request from outside. Unknown members are refused by name, so that a typo is not silently ignored. */
export function readDelegateRequest(input: unknown): DelegateRequest {
  const fault = boundsFault(input);
  if (fault !== null)
    throw new DelegationError(`The delegation was rejected: ${fault}. Send something smaller and flatter.`, {
      code: 'INVALID_REQUEST',
    });
  const parsed = StrictRequest.safeParse(dropNulls(input));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.') || 'the request';
    throw new DelegationError(`The delegation is invalid: ${field}: ${issue?.message}`, {
      code: 'INVALID_REQUEST',
    });
  }
  if (parsed.data.instruction === '') {
    throw new DelegationError('The instruction is empty. Describe the task.', {
      code: 'INSTRUCTION_REQUIRED',
    });
  }
  return parsed.data;
}

/** Models write null for what they leave out; only for the timeout does it mean something. */
function dropNulls(input: unknown): unknown {
  if (!isPlainObject(input)) return input;
  const kept: JsonObject = {};
  for (const key of Object.keys(input)) {
    if (input[key] !== null || key === 'timeout') setOwn(kept, key, input[key]);
  }
  return kept;
}
