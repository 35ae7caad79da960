import type { ToolContext } from '@amplifier/core';
import { type Action, checkGrant, type Grant, READ_ONLY_GRANT } from '@amplifier/workspace';
import { ToolError } from './tool-error.js';

/** What the session of this call may do. Nobody said: it may look and nothing else. */
export function grantOf({ coordinator }: Pick<ToolContext, 'coordinator'>): Grant {
  return coordinator.getCapability('session.grant') ?? READ_ONLY_GRANT;
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
