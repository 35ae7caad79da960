import { cloneJson, isPlainObject, type JsonObject } from '@amplifier/core';

/**
 * The part of a roster an agent may delegate to: all of it when nothing or `all` is said, the names in a list (unknown ones mean
 * nothing), and nothing for `none` and for whatever cannot be understood. Always a copy, so that what a child writes into its
 * roster stays there.
 */
export function filterAgents(roster: unknown, access: unknown): JsonObject {
  if (!isPlainObject(roster)) return {};
  if (access === undefined || access === 'all') return cloneJson(roster);
  if (!Array.isArray(access)) return {};
  return cloneJson(Object.fromEntries(Object.entries(roster).filter(([name]) => access.includes(name))));
}

/** The agents of a plan with those added while the session ran. The plan's own entry wins over one added later. */
export function joinRosters(planned: unknown, live: unknown): JsonObject {
  return { ...filterAgents(live, 'all'), ...filterAgents(planned, 'all') };
}
