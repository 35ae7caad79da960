import { compareDecimals, isDecimal } from '@amplifier/core';
import type { Grant } from '@amplifier/workspace';
import { z } from 'zod';
import { DEFAULT_LIMITS } from '../defaults.js';

const count = z.number().int().nonnegative();
const seconds = z.number().positive().nullable();

const limits = z.object({
  max_depth: count,
  max_children: count,
  max_concurrency: z.number().int().positive(),
  max_turns: z.number().int().positive(),
  max_tokens: count.nullable(),
  max_cost_usd: z.string().refine(isDecimal, 'write the cost as a decimal string such as "1.50"').nullable(),
  /** With `max_cost_usd`: may models be used whose price nobody knows? The limit is not kept by these. */
  allow_unpriced: z.boolean(),
  timeout: seconds,
  stall: seconds,
});
const { shape } = limits;

/** How far a tree may go. Set at the root; below it, only ever tightened. Null means no limit. */
export const Limits = limits.extend({
  max_depth: shape.max_depth.default(DEFAULT_LIMITS.max_depth),
  max_children: shape.max_children.default(DEFAULT_LIMITS.max_children),
  max_concurrency: shape.max_concurrency.default(DEFAULT_LIMITS.max_concurrency),
  max_turns: shape.max_turns.default(DEFAULT_LIMITS.max_turns),
  max_tokens: shape.max_tokens.default(null),
  max_cost_usd: shape.max_cost_usd.default(null),
  allow_unpriced: shape.allow_unpriced.default(false),
  timeout: shape.timeout.default(DEFAULT_LIMITS.timeout),
  stall: shape.stall.default(DEFAULT_LIMITS.stall),
});
export type Limits = z.infer<typeof Limits>;

/** Tighter limits to ask for. What is left out stays as it is, so nothing here has a default. */
export const LimitOptions = limits.partial();
export type LimitOptions = z.infer<typeof LimitOptions>;

/** Limits that one turn and all it delegates have for themselves, and what counted before the turn began. */
export interface TurnLimits {
  limits: Limits;
  children_before: number;
}

/** The limits a child works under: for each, the tighter of what its parent has and what the call asks for. */
export function tightenLimits(parent: Limits, wanted: LimitOptions | undefined): Limits {
  if (wanted === undefined) return parent;
  return {
    max_depth: lesser(parent.max_depth, wanted.max_depth),
    max_children: lesser(parent.max_children, wanted.max_children),
    max_concurrency: lesser(parent.max_concurrency, wanted.max_concurrency),
    max_turns: lesser(parent.max_turns, wanted.max_turns),
    max_tokens: lesser(parent.max_tokens, wanted.max_tokens),
    max_cost_usd: lesserCost(parent.max_cost_usd, wanted.max_cost_usd),
    allow_unpriced: lesserFreedom(parent, wanted),
    timeout: lesser(parent.timeout, wanted.timeout),
    stall: lesser(parent.stall, wanted.stall),
  };
}

/** The limits of a session, with the money its grant allows. */
export function capsOf({ limits, grant }: { limits: Limits; grant: Grant }): Limits {
  return grant.spend === null ? limits : tightenLimits(limits, { max_cost_usd: grant.spend });
}

/** Who sets the first limit on money says how it is meant; below it, nobody can allow more. */
function lesserFreedom(parent: Limits, wanted: LimitOptions): boolean {
  if (parent.max_cost_usd === null) return wanted.allow_unpriced ?? parent.allow_unpriced;
  return parent.allow_unpriced && (wanted.allow_unpriced ?? true);
}

function lesser<T extends number | null>(parent: T, wanted: number | null | undefined): T {
  if (wanted === undefined || wanted === null) return parent;
  return (parent === null ? wanted : Math.min(parent, wanted)) as T;
}

function lesserCost(parent: string | null, wanted: string | null | undefined): string | null {
  if (wanted === undefined || wanted === null) return parent;
  return parent === null || compareDecimals(wanted, parent) < 0 ? wanted : parent;
}
