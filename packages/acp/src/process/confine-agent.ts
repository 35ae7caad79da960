import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  exceptFromDenied,
  type Grant,
  isWithin,
  type PathScope,
  realGrant,
  type SafetyMode,
  type Sandbox,
  scopeRefusal,
  widenScope,
} from '@amplifier/workspace';
import { AcpError } from '../acp-error.js';
import type { AgentDescriptor } from '../roster/descriptor.js';
import { makeStateFolders, statePaths } from './state-paths.js';

/** How the operating system holds an agent, and what it does not hold. */
export interface AgentConfinement {
  grant: Grant;
  visible: string[];
  /** Where its program and its own files are. */
  needed: string[];
  /** What was asked for and is not enforced, one sentence each. */
  missing: string[];
}

/**
 * The rights of the agent's process. Like those of the session, but for three things: it may write its own settings and
 * sessions, it may reach the network (its model is there), and it is started also where no sandbox is to be had.
 */
export async function confineAgent(
  agent: AgentDescriptor,
  program: string,
  env: Record<string, string>,
  session: { grant: Grant; safety_mode: SafetyMode },
  sandbox: Sandbox,
): Promise<AgentConfinement> {
  const { grant, safety_mode } = session;
  const states = statePaths(agent.state_paths, env);
  const isReadable = (path: string) => scopeRefusal(grant.read, path) === null;
  // Where a session is kept to some folders, so is the agent: its own files elsewhere are those of the user of this process.
  const isBounded = !grant.read.allow.includes('/');
  if (isBounded) await requireBounded(agent, program, grant, sandbox);
  const own = await makeStateFolders(isBounded ? states.filter(isReadable) : states);
  const isOwn = (path: string) => own.some((folder) => isWithin(folder, path));
  const withOwn = ({ deny, ...scope }: PathScope) =>
    exceptFromDenied(widenScope({ ...scope, deny: deny.filter((path) => !isOwn(path)) }, own), own);
  const missing: string[] = [];
  if (!sandbox.guarantees.writes_confined && safety_mode !== 'yolo') {
    missing.push(
      `Nothing but ${agent.display_name}'s own manners keeps it from writing elsewhere: ${sandbox.because}`,
    );
  }
  if (!sandbox.guarantees.processes_contained)
    missing.push('A process that the agent hides well enough can outlive it.');
  if (isBounded && own.length < states.length)
    missing.push(
      `${agent.display_name} starts without its own settings and login: the session may not read where they are.`,
    );
  // Said where someone asked for none. What commands get by default is in the words of the grant.
  if (grant.network === false)
    missing.push(
      `${agent.display_name} and the commands it runs itself reach the network, because its model is there.`,
    );
  const programs = [...(await programFolders(program)), ...agent.visible.map((path) => resolve(path))];
  return {
    needed: [...own, ...programs],
    grant: await realGrant({
      ...grant,
      write: withOwn(grant.write),
      read: withOwn(grant.read),
      network: true,
      exec: sandbox.name === 'none' ? 'free' : grant.exec === 'free' ? 'free' : 'confined',
    }),
    visible: programs,
    missing,
  };
}

/** Throws where nothing would keep the agent to what its session may read, or where it could not be started there. */
async function requireBounded(
  { id, display_name }: AgentDescriptor,
  program: string,
  { read }: Grant,
  sandbox: Sandbox,
): Promise<void> {
  if (!sandbox.guarantees.reads_confined)
    throw new AcpError(
      `${display_name} cannot be started: its session may read only some folders, and no sandbox keeps the agent to them. ${sandbox.because}`,
      { code: 'ACP_SPAWN_FAILED', origin: id },
    );
  const place = await realpath(program);
  const refusal = scopeRefusal(read, place);
  if (refusal !== null)
    throw new AcpError(
      `${display_name} cannot be started: ${place} is not readable for this session (${refusal}). Install it in a system folder such as /opt, or name its folder in \`readable\` of the tenant.`,
      { code: 'ACP_SPAWN_FAILED', origin: id },
    );
}

/** A program that lies in a temporary folder needs its package and its neighbours there. */
async function programFolders(program: string): Promise<string[]> {
  const real = await realpath(program);
  return [program, real].map((file) => {
    const at = file.indexOf('/node_modules/');
    return at === -1 ? dirname(file) : file.slice(0, at);
  });
}
