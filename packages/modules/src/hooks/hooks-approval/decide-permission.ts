import {
  allowableParts,
  covers,
  type Effort,
  mayCoverCommand,
  namesTool,
  narrowness,
  newEffort,
  type PermissionCall,
  type PermissionRule,
  type PlacedRule,
  placeRule,
  subjectsOf,
} from './permission-rule.js';

export interface PermissionVerdict {
  action: 'allow' | 'ask' | 'deny';
  rule: PermissionRule;
  because: string;
}

/**
 * What the rules say about a call; null where they leave it to the policy. A rule that denies precedes all others. Of the rest the
 * narrowest decides, of two as narrow the one that asks. Of several commands or paths each must be allowed. A line in which a rule
 * may deny or ask for a command that cannot be read before it runs is asked about. Rejects if the rules take too long on the call,
 * which denies it.
 */
export async function decidePermission(
  rules: readonly PermissionRule[],
  call: PermissionCall,
): Promise<PermissionVerdict | null> {
  const effort = await newEffort(call.tool);
  const naming = rules.filter((rule) => namesTool(rule, call.tool, effort));
  const own = await Promise.all(naming.map(placeRule));
  for (const subject of subjectsOf(call)) {
    const denied = own.find((rule) => rule.action === 'deny' && covers(rule, call, subject, effort));
    if (denied) return verdict(denied, `${said(denied)}, and a rule that denies precedes all others.`);
  }
  const decided = byParts(own, call, effort);
  return decided?.action === 'ask' ? decided : (inDoubt(own, call, effort) ?? decided);
}

function byParts(
  rules: readonly PlacedRule[],
  call: PermissionCall,
  effort: Effort,
): PermissionVerdict | null {
  const parts = rules.some(({ pattern }) => pattern !== null) ? allowableParts(call, effort) : null;
  // What is not understood in full is covered by rules that ask, and by those that allow the tool as a whole.
  const usable =
    parts === null ? rules.filter(({ action, pattern }) => action === 'ask' || pattern === null) : rules;
  const verdicts = (parts ?? subjectsOf(call)).map((part) => narrowest(usable, call, part, effort));
  const asking = verdicts.find((each) => each?.action === 'ask');
  if (asking) return asking;
  const [first = null] = verdicts;
  return verdicts.some((each) => each === null) ? null : first;
}

function inDoubt(
  rules: readonly PermissionRule[],
  call: PermissionCall,
  effort: Effort,
): PermissionVerdict | null {
  if (call.tool !== 'bash') return null;
  for (const action of ['deny', 'ask'] as const) {
    for (const rule of rules.filter((each) => each.action === action)) {
      const why = rule.pattern === null ? null : mayCoverCommand(rule.pattern, call.input.command, effort);
      if (why === null) continue;
      const because = `${said(rule)} may cover this command, of which not everything can be read before it runs: ${why}. Write the command out in full.`;
      return { action: 'ask', rule, because };
    }
  }
  return null;
}

function narrowest(
  rules: readonly PlacedRule[],
  call: PermissionCall,
  part: string,
  effort: Effort,
): PermissionVerdict | null {
  const fitting = rules
    .filter((rule) => rule.action !== 'deny' && covers(rule, call, part, effort))
    .sort(byNarrowness);
  const [rule, next] = fitting;
  if (!rule) return null;
  const over = fitting.find(({ action }) => action !== rule.action) ?? next;
  const also = over ? ` It is narrower than the ${named(over)}, or as narrow and more careful.` : '';
  return verdict(rule, `${said(rule)} covers '${part}'.${also}`);
}

function byNarrowness(a: PermissionRule, b: PermissionRule): number {
  const [patternA, toolA] = narrowness(a);
  const [patternB, toolB] = narrowness(b);
  return patternB - patternA || toolB - toolA || Number(b.action === 'ask') - Number(a.action === 'ask');
}

const named = ({ action, text, from }: PermissionRule) => `rule ${action} '${text}' (${from})`;
const said = (rule: PermissionRule) => `The ${named(rule)}`;

function verdict(rule: PermissionRule, because: string): PermissionVerdict {
  return { action: rule.action, rule, because };
}
