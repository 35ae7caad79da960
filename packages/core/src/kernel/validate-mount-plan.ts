import { isPlainObject } from '../data/json.js';
import { closestNames } from '../text/closest-names.js';
import { KNOWN_SECTIONS } from './mount-plan.js';
import { MountPlanSchema } from './mount-plan-schema.js';

export interface PlanIssue {
  severity: 'error' | 'warning';
  /** Where in the plan, such as `tools[2].module`. The plan itself is `(plan)`. */
  path: string;
  /** What is wrong and what to write instead. */
  message: string;
}

export interface PlanValidation {
  valid: boolean;
  /** Errors and warnings in plan order. */
  issues: PlanIssue[];
}

const MAX_NESTING = 100;

/** Checks a plan without mounting anything. Never throws, whatever it is given. */
export function validateMountPlan(plan: unknown): PlanValidation {
  const nesting = findBadNesting(plan, [], []);
  const issues = nesting ? [nesting] : [...schemaIssues(plan), ...unknownSections(plan)];
  return { valid: issues.every((issue) => issue.severity !== 'error'), issues };
}

/** The issues as a numbered list for people. */
export function formatPlanIssues(issues: readonly PlanIssue[]): string {
  return issues
    .map(
      ({ severity, path, message }, index) =>
        `${index + 1}. ${severity === 'warning' ? 'warning: ' : ''}${path} ${message}`,
    )
    .join('\n');
}

function schemaIssues(plan: unknown): PlanIssue[] {
  const parsed = MountPlanSchema.safeParse(plan);
  if (parsed.success) return [];
  return parsed.error.issues.map(({ path, message }) => errorAt(path, message));
}

function unknownSections(plan: unknown): PlanIssue[] {
  if (!isPlainObject(plan)) return [];
  return Object.keys(plan)
    .filter((section) => !(KNOWN_SECTIONS as readonly string[]).includes(section))
    .map((section) => {
      const [guess] = closestNames(section, KNOWN_SECTIONS);
      const hint = guess ? `did you mean '${guess}'?` : `the kernel knows ${KNOWN_SECTIONS.join(', ')}`;
      return { severity: 'warning', path: section, message: `is not a section the kernel reads; ${hint}` };
    });
}

/** A plan must be a tree: aliases in YAML can tie it into a loop, which no copy and no log could hold. */
function findBadNesting(value: unknown, path: PropertyKey[], ancestors: unknown[]): PlanIssue | null {
  if (typeof value !== 'object' || value === null) return null;
  if (ancestors.includes(value))
    return errorAt(path, 'contains itself; write the value out instead of referring back');
  if (path.length > MAX_NESTING)
    return errorAt(path.slice(0, 3), `is nested deeper than ${MAX_NESTING} levels; flatten it`);
  ancestors.push(value);
  for (const key of Object.keys(value)) {
    path.push(Array.isArray(value) ? Number(key) : key);
    const issue = findBadNesting((value as Record<string, unknown>)[key], path, ancestors);
    if (issue) return issue;
    path.pop();
  }
  ancestors.pop();
  return null;
}

function errorAt(path: readonly PropertyKey[], message: string): PlanIssue {
  return { severity: 'error', path: formatPath(path), message };
}

function formatPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '(plan)';
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}
