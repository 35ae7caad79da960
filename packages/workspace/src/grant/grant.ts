import { addDecimals, compareDecimals, isDecimal } from '@amplifier/core';
import { z } from 'zod';
import { denyOnlyIn, intersectScopes, NOWHERE, PathScope, pathScope } from './path-scope.js';

/**
 * How commands may be run, from least to most:
 * `none`, `confined` (only inside an OS sandbox that enforces the path scopes and the network), `free` (with the sandbox
 * where there is one; without it the path scopes do not bind the command).
 */
export const ExecLevel = z.enum(['none', 'confined', 'free']);
export type ExecLevel = z.infer<typeof ExecLevel>;

/**
 * What of a session may reach the network, from least to most: nothing; the tools of the host and the programs that its user
 * configured, such as MCP servers and hooks; commands too.
 */
export const NetworkAccess = z.union([z.literal(false), z.literal('tools'), z.literal(true)]);
export type NetworkAccess = z.infer<typeof NetworkAccess>;

/** The one that allows less. What is not said allows everything. */
export function tighterNetwork(...all: readonly (NetworkAccess | undefined)[]): NetworkAccess {
  return all.includes(false) ? false : all.includes('tools') ? 'tools' : true;
}

/** The grant with at most this access to the network; the same object if that changes nothing. */
export function limitNetwork(grant: Grant, ...limits: readonly (NetworkAccess | undefined)[]): Grant {
  const network = tighterNetwork(grant.network, ...limits);
  return network === grant.network ? grant : { ...grant, network };
}

/** What a session may do. Stored in the launch record; computed once and only ever made smaller. */
export const Grant = z.object({
  version: z.literal(1),
  read: PathScope,
  write: PathScope,
  exec: ExecLevel,
  /** What of it may reach the network. Model calls are made by the host and are not meant here. */
  network: NetworkAccess,
  /** May it hand tasks to other agents? */
  delegate: z.boolean(),
  /** The most it may spend in US dollars, as a decimal string; null when it has no limit of its own. */
  spend: z.string().refine(isDecimal, 'Write an amount like "0.50".').nullable(),
});
export type Grant = z.infer<typeof Grant>;

declare module '@amplifier/core' {
  interface Capabilities {
    /** What the session may do. When it is absent, tools must act as under `READ_ONLY_GRANT`. */
    'session.grant': Grant;
  }
}

/** What a session may do when nobody said: look at files, and nothing else. */
export const READ_ONLY_GRANT: Grant = Object.freeze({
  version: 1,
  read: pathScope(['/']),
  write: NOWHERE,
  exec: 'none',
  network: false,
  delegate: false,
  spend: null,
});

/** Everything: the neutral element of `intersectGrants`. */
export const FULL_GRANT: Grant = Object.freeze({
  version: 1,
  read: pathScope(['/']),
  write: pathScope(['/']),
  exec: 'free',
  network: true,
  delegate: true,
  spend: null,
});

/** Allows exactly what every one of them allows. Never adds. */
export function intersectGrants(first: Grant, ...others: readonly Grant[]): Grant {
  return others.reduce(intersectTwo, intersectTwo(first, first));
}

function intersectTwo(a: Grant, b: Grant): Grant {
  // One that many sessions share is as it should be already.
  if (a === b && Object.isFrozen(a)) return a;
  return withoutForeignPaths({
    version: 1,
    read: intersectScopes(a.read, b.read),
    write: intersectScopes(a.write, b.write),
    exec: EXEC_ORDER[a.exec] <= EXEC_ORDER[b.exec] ? a.exec : b.exec,
    network: tighterNetwork(a.network, b.network),
    delegate: a.delegate && b.delegate,
    spend: lesserSpend(a.spend, b.spend),
  });
}

/**
 * The same grant for a session that is kept to some folders, without denied paths outside of them: such a session is a tenant's, who reads its
 * launch record, and they name folders of other tenants and of the daemon.
 */
export function withoutForeignPaths(grant: Grant): Grant {
  const { read, write } = grant;
  if (read.allow.includes('/')) return grant;
  const folders = [...read.allow, ...write.allow];
  return { ...grant, read: denyOnlyIn(read, folders), write: denyOnlyIn(write, folders) };
}

/**
 * Another grant for a session that has one: what keeps that session to some folders holds for the new grant too, whatever its mode.
 * Commands that no sandbox confines would read everywhere.
 */
export function withinReach(grant: Grant, { read: { allow } }: Pick<Grant, 'read'>): Grant {
  if (allow.includes('/')) return grant;
  const reach = { allow, deny: [] };
  return withoutForeignPaths({
    ...grant,
    read: intersectScopes(grant.read, reach),
    write: intersectScopes(grant.write, reach),
    exec: grant.exec === 'free' ? 'confined' : grant.exec,
  });
}

const EXEC_ORDER: Record<ExecLevel, number> = { none: 0, confined: 1, free: 2 };

function lesserSpend(a: string | null, b: string | null): string | null {
  const least = a === null ? b : b === null || compareDecimals(a, b) <= 0 ? a : b;
  return least === null ? null : addDecimals(least, '0');
}
