import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ToolContext } from '@amplifier/core';
import { type Action, checkGrant, type Grant, READ_ONLY_GRANT } from '@amplifier/workspace';
import { ToolError } from './tool-error.js';

/** What the session of this call may do. Nobody said: it may look and nothing else. */
export function grantOf({ coordinator }: Pick<ToolContext, 'coordinator'>): Grant {
  return coordinator.getCapability('session.grant') ?? READ_ONLY_GRANT;
}

/** What a program may do that the user configured, such as an MCP server or a hook: no model chose its command. */
export function configuredGrant(grant: Grant): Grant {
  return { ...grant, network: grant.network !== false };
}

/** Throws when the session may not do this. */
export function requireGrant(context: Pick<ToolContext, 'coordinator'>, action: Action): void {
  const { allowed, because } = checkGrant(grantOf(context), action);
  if (!allowed) throw new ToolError('NOT_PERMITTED', because);
}

/** Throws for what changes things nobody can name beforehand, when the session may change nothing at all. */
export function requireSomeWriting(context: Pick<ToolContext, 'coordinator'>, what: string): void {
  if (grantOf(context).write.allow.length === 0)
    throw new ToolError('NOT_PERMITTED', `${what} may change things, and this session may only read.`);
}

/** The folder relative paths are meant from. */
export function workingDirOf({ coordinator }: Pick<ToolContext, 'coordinator'>): string {
  return coordinator.getCapability('session.working_dir') ?? process.cwd();
}

/**
 * Where a path leads: one of the user's own folder into the tree that the session has instead of it. What is only in the user's
 * folder, such as files that git ignores, can be read there.
 */
export function placeNamed(
  context: Pick<ToolContext, 'coordinator'>,
  access: 'read' | 'write',
  path: string,
): string {
  const isolation = context.coordinator.getCapability('session.isolation');
  if (!isolation) return path;
  const named = resolve(workingDirOf(context), path);
  const meant = isolation.counterpart(named);
  return access === 'write' || existsSync(meant) ? meant : named;
}
