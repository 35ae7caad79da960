import { glob, type JsonObject } from '@amplifier/core';
import { z } from 'zod';
import { APPROVAL_TIMEOUT_S, MAX_RULES } from '../defaults.js';
import {
  coversCommand,
  type Effort,
  isNegated,
  mayCoverCommand,
  NO_NEGATION,
  newEffort,
} from './permission-rule.js';

const Action = z.enum(['allow', 'ask', 'deny']);
type Action = z.infer<typeof Action>;

const Pattern = z.string().refine((pattern) => !isNegated(pattern), { error: `The pattern ${NO_NEGATION}` });
const Patterns = z.union([Pattern, z.array(Pattern)]).transform((given) => [given].flat());

const Rule = z.object({
  /** Globs over tool names. */
  tool: Patterns.default(['*']),
  /** Globs over the paths a call touches, relative to the working folder, absolute outside of it. */
  path: Patterns.optional(),
  /** Globs over the command of `bash`. One that allows covers a single plain command; the others any command in the line. */
  command: Patterns.optional(),
  action: Action,
});
type Rule = z.infer<typeof Rule>;

/** Asked for without a rule of their own: what changes files, runs programs or leaves the machine. */
const DEFAULT_RULES: z.input<typeof Rule>[] = [
  { tool: ['write_file', 'edit_file', 'multi_edit', 'bash', 'web_fetch', 'mcp_*'], action: 'ask' },
];

export const ApprovalPolicy = z.object({
  /** The first rule that fits a path or command decides about it. */
  rules: z.array(Rule).max(MAX_RULES).prefault(DEFAULT_RULES),
  default_action: Action.default('allow'),
  /** Seconds. */
  timeout: z.number().positive().default(APPROVAL_TIMEOUT_S),
  default_on_timeout: z.enum(['allow', 'deny']).default('deny'),
  /** Where "allow always" is kept for later sessions. Without it, it holds for this session. */
  memory_file: z.string().optional(),
  /** `{allow, ask, deny}` lists of rules by tool and pattern, as in settings. They go before `rules`, but for a denial. */
  permissions: z.record(z.string(), z.unknown()).optional(),
  /** Decides by what stands here alone: a project's own guard beside the user's. */
  standalone: z.boolean().default(false),
});
export type ApprovalPolicy = z.output<typeof ApprovalPolicy>;

export interface PolicyCall {
  tool: string;
  input: JsonObject;
  paths: readonly string[];
}

export interface Verdict {
  action: Action;
  because: string;
}

const STRICTNESS: Record<Action, number> = { allow: 0, ask: 1, deny: 2 };

/**
 * Each path is judged on its own, and the strictest verdict counts: one forbidden file among ten is a no. Rejects if the rules take
 * too long on the call, which denies it.
 */
export async function decide(policy: ApprovalPolicy, call: PolicyCall): Promise<Verdict> {
  const effort = await newEffort(call.tool);
  const paths = call.paths.length > 0 ? call.paths : [null];
  const verdicts = paths.map((path) => decidePath(policy, call, path, effort));
  return verdicts.reduce((strictest, verdict) =>
    STRICTNESS[verdict.action] > STRICTNESS[strictest.action] ? verdict : strictest,
  );
}

function decidePath(
  { rules, default_action }: ApprovalPolicy,
  call: PolicyCall,
  path: string | null,
  effort: Effort,
): Verdict {
  const subject = path === null ? call.tool : `${call.tool} on '${path}'`;
  for (const [index, rule] of rules.entries()) {
    if (!namesCall(rule, call, path, effort)) continue;
    const { action, command } = rule;
    if (command === undefined || command.some((pattern) => fits(action, pattern, call, effort)))
      return { action, because: `Rule ${index + 1} of hooks-approval says ${action} to ${subject}.` };
    const doubt = action === 'allow' ? null : doubtOf(command, call, effort);
    if (doubt !== null)
      return {
        action: 'ask',
        because: `Rule ${index + 1} of hooks-approval may ${action} this command, of which not everything can be read before it runs: ${doubt}.`,
      };
  }
  return {
    action: default_action,
    because: `No rule of hooks-approval covers ${subject}; the default is ${default_action}.`,
  };
}

function namesCall(rule: Rule, { tool }: PolicyCall, path: string | null, effort: Effort): boolean {
  if (!glob(rule.tool, { effort })(tool)) return false;
  if (rule.command !== undefined && tool !== 'bash') return false;
  return !rule.path || (path !== null && glob(rule.path, { dot: true, effort })(path));
}

function fits(action: Action, pattern: string, { input }: PolicyCall, effort: Effort): boolean {
  if (typeof input.command !== 'string') return false;
  const command = input.command.trim();
  if (action !== 'allow') return coversCommand(action, pattern, command, effort);
  const { plain } = effort.read(command);
  return plain?.length === 1 && coversCommand(action, pattern, plain[0] ?? '', effort);
}

function doubtOf(patterns: readonly string[], { input }: PolicyCall, effort: Effort): string | null {
  for (const pattern of patterns) {
    const doubt = mayCoverCommand(pattern, input.command, effort);
    if (doubt !== null) return doubt;
  }
  return null;
}
