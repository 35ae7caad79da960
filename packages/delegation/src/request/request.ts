import { boundsFault, isPlainObject, type JsonObject, setOwn } from '@amplifier/core';
import { ProviderPreference } from '@amplifier/foundation';
import { NetworkAccess, SafetyMode } from '@amplifier/workspace';
import { z } from 'zod';
import { HAND_BACKS, ISOLATIONS, MEMBER_TEXTS, MIN_RESULT } from '../choices.js';
import { DEFAULT_CONTEXT_TURNS, SUMMARY_CHARACTERS } from '../defaults.js';
import { LimitOptions } from '../metering/limits.js';
import { ContextScope } from '../plan/in-scope.js';
import { ContextDepth } from '../plan/inherit-context.js';
import { DelegationError } from './delegation-error.js';
import { Attachment } from './read-attachments.js';

export const HandBack = z.enum(HAND_BACKS);
export type HandBack = z.infer<typeof HandBack>;

const text = z.string().trim();

/**
 * What a caller may ask for. Only the instruction is always needed; `agent` or `session_id` says who gets it. The schemas of the
 * tools, of REST and of MCP are made of this one; the command line shares its choices and texts.
 */
export const DelegateRequest = z.object({
  agent: text.optional().describe('Name of the agent. Needed unless session_id is given.'),
  instruction: text.describe('What the agent is to do, complete in itself.'),
  session_id: text.optional().describe(MEMBER_TEXTS.session_id),
  context_depth: ContextDepth.default('recent').describe(MEMBER_TEXTS.context_depth),
  context_turns: z.number().int().default(DEFAULT_CONTEXT_TURNS).describe(MEMBER_TEXTS.context_turns),
  context_scope: ContextScope.default('conversation').describe(MEMBER_TEXTS.context_scope),
  provider_preferences: z.array(ProviderPreference).optional().describe(MEMBER_TEXTS.provider_preferences),
  model_role: text.optional().describe('What kind of model the task needs.'),
  strict_preferences: z.boolean().default(false).describe(MEMBER_TEXTS.strict_preferences),
  background: z.boolean().default(false).describe(MEMBER_TEXTS.background),
  timeout: z
    .number()
    .positive()
    .nullable()
    .optional()
    .describe('Time limit in seconds; null for none. Default: the setting of the delegate tool.'),
  output_schema: z.record(z.string(), z.unknown()).optional().describe(MEMBER_TEXTS.output_schema),
  safety_mode: SafetyMode.optional().describe(
    'What the agent may change; at most what its parent may. Default: as the agent or its parent has it.',
  ),
  network: NetworkAccess.optional().describe(
    'What of the agent may reach the network: false, tools (all but commands) or true; at most what its parent may.',
  ),
  isolation: z.enum(ISOLATIONS).optional().describe(MEMBER_TEXTS.isolation),
  inherit_tools: z.array(z.string()).optional().describe(MEMBER_TEXTS.inherit_tools),
  exclude_tools: z.array(z.string()).optional().describe(MEMBER_TEXTS.exclude_tools),
  exclude_hooks: z.array(z.string()).optional().describe('Hooks of the parent that are not inherited.'),
  limits: LimitOptions.optional().describe('Limits of the agent and of all it delegates; they only tighten.'),
  max_result: z.number().int().min(MIN_RESULT).optional().describe(MEMBER_TEXTS.max_result),
  hand_back: HandBack.optional().describe(MEMBER_TEXTS.hand_back),
  skills: z.array(text.min(1)).optional().describe(MEMBER_TEXTS.skills),
  attachments: z.array(Attachment).optional().describe('Images and small text files to show with the task.'),
  tool_call_id: z.string().optional(),
  parallel_group_id: z.string().nullable().optional(),
  metadata: z.record(z.string(), z.unknown()).optional().describe('Travels on the events of the session.'),
});
/** A request as it was read: with its defaults. */
export type DelegateRequest = z.output<typeof DelegateRequest>;
/** A request as a caller writes it. */
export type DelegateInput = z.input<typeof DelegateRequest>;

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

/** Without what is left out. Models write null for that; only for the timeout does it mean something. */
function dropNulls(input: unknown): unknown {
  if (!isPlainObject(input)) return input;
  const kept: JsonObject = {};
  for (const key of Object.keys(input)) {
    const value = input[key];
    if (value !== undefined && (value !== null || key === 'timeout')) setOwn(kept, key, value);
  }
  return kept;
}

interface ResultOptions {
  max_result?: number | null | undefined;
  hand_back?: HandBack | null | undefined;
}

/** The most characters of the answer that the caller gets; undefined for the general limit. */
export function resultLimit({ max_result, hand_back }: ResultOptions): number | undefined {
  return max_result ?? (hand_back === 'summary' ? SUMMARY_CHARACTERS : undefined);
}

/** Added to the task of a child that is to write a summary; empty for any other. */
export function summaryRequest(options: ResultOptions): string {
  if (options.hand_back !== 'summary') return '';
  return `[HAND BACK A SUMMARY]\nYour last message is handed back. Write it in at most ${resultLimit(options)} characters: what you found or did, what it rests on, what is open. Everything else stays readable in your session.`;
}
