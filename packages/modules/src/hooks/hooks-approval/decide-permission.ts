import {
  allowableParts,
  covers,
  type Effort,
  narrowness,
  newEffort,
  type PermissionCall,
  type PermissionRule,
  subjectsOf,
} from './permission-rule.js';

export interface PermissionVerdict {
  action: 'allow' | 'ask' | 'deny';
  rule: PermissionRule;
  because: string;
}

/**
 * What the rules say to a call; null where they leave it to whatever decides without them. A rule that denies goes before all
 * others. Of the rest the narrowest decides, of two as narrow the one that asks. Of several commands or paths each must be allowed.
 * Throws where the rules take too long on the call: whoever asks then denies.
 */
export function decidePermission(
  rules: readonly PermissionRule[],
  call: PermissionCall,
): PermissionVerdict | null {
  if (rules.length === 0) return null;
  const effort = newEffort();
  const whole = subjectsOf(call);
  for (const subject of whole) {
    const denied = rules.find((rule) => rule.action === 'deny' && covers(rule, call, subject, effort));
    if (denied) return verdict(denied, `${said(denied)}, and a rule that denies goes before all others.`);
  }
  const parts = allowableParts(call);
  // What is not understood in full is covered by rules that ask, and by those that allow the tool as a whole.
  const usable =
    parts === null ? rules.filter(({ action, pattern }) => action === 'ask' || pattern === null) : rules;
  const verdicts = (parts ?? whole).map((part) => narrowest(usable, call, part, effort));
  const asking = verdicts.find((each) => each?.action === 'ask');
  if (asking) return asking;
  const [first = null] = verdicts;
  return verdicts.some((each) => each === null) ? null : first;
}

function narrowest(
  rules: readonly PermissionRule[],
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
