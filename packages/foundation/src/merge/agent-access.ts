import { cloneJson, isPlainObject, type JsonObject } from '@amplifier/core';

/**
 * The part of a roster an agent may delegate to: `none` leaves nothing, a list leaves the names in it (unknown ones mean
 * nothing), anything else leaves all. Always a copy, so that what a child writes into its roster stays there.
 */
export function filterAgents(roster: unknown, access: unknown): JsonObject {
  if (!isPlainObject(roster) || access === 'none') return {};
  if (!Array.isArray(access)) return cloneJson(roster);
  return cloneJson(Object.fromEntries(Object.entries(roster).filter(([name]) => access.includes(name))));
}

/** The agents of a plan with those added while the session ran. The plan's own entry wins over one added later. */
export function joinRosters(planned: unknown, live: unknown): JsonObject {
  return { ...filterAgents(live, 'all'), ...filterAgents(planned, 'all') };
}
