import { type GlobOptions, glob, type JsonObject } from '@amplifier/core';
import { z } from 'zod';
import { APPROVAL_TIMEOUT_S, DECISION_STEPS, MAX_RULES } from '../defaults.js';

const Action = z.enum(['allow', 'ask', 'deny']);
type Action = z.infer<typeof Action>;

const Patterns = z.union([z.string(), z.array(z.string())]).transform((given) => [given].flat());

const Rule = z.object({
  /** Globs over tool names. */
  tool: Patterns.default(['*']),
  /** Globs over the paths a call touches, relative to the working folder, absolute outside of it. */
  path: Patterns.optional(),
  /** Globs over a shell command. An allowing rule never covers a command that is made of several. */
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
 * Each path is judged on its own, and the strictest verdict counts: one forbidden file among ten is a no. Throws where the rules
 * take too long on the call, which denies it.
 */
export function decide(policy: ApprovalPolicy, call: PolicyCall): Verdict {
  const effort = { steps: DECISION_STEPS };
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
  const index = rules.findIndex((rule) => fits(rule, call, path, effort));
  const rule = rules[index];
  const subject = path === null ? call.tool : `${call.tool} on '${path}'`;
  if (rule)
    return {
      action: rule.action,
      because: `Rule ${index + 1} of hooks-approval says ${rule.action} to ${subject}.`,
    };
  return {
    action: default_action,
    because: `No rule of hooks-approval covers ${subject}; the default is ${default_action}.`,
  };
}

type Effort = NonNullable<GlobOptions['effort']>;

function fits(rule: Rule, { tool, input }: PolicyCall, path: string | null, effort: Effort): boolean {
  if (!glob(rule.tool, { effort })(tool)) return false;
  if (rule.path && (path === null || !glob(rule.path, { dot: true, effort })(path))) return false;
  return !rule.command || commandFits(rule, rule.command, input.command, effort);
}

const SEVERAL_COMMANDS = /[;&|`\n<>]|\$\(/;

function commandFits(rule: Rule, patterns: string[], command: unknown, effort: Effort): boolean {
  if (typeof command !== 'string') return false;
  if (rule.action === 'allow' && SEVERAL_COMMANDS.test(command)) return false;
  return glob(patterns, { anywhere: true, dot: true, effort })(command.trim());
}
