import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  type Grant,
  isWithin,
  pathScope,
  realGrant,
  type SafetyMode,
  type Sandbox,
} from '@amplifier/workspace';
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
  const own = await makeStateFolders(statePaths(agent.state_paths, env));
  const isOwn = (path: string) => own.some((folder) => isWithin(path, folder) || isWithin(folder, path));
  const write = pathScope(
    [...grant.write.allow, ...own],
    grant.write.deny.filter((path) => !isOwn(path)),
  );
  const denied = grant.read.deny.filter((path) => !isOwn(path));
  const missing: string[] = [];
  if (!sandbox.guarantees.writes_confined && safety_mode !== 'yolo') {
    missing.push(
      `Nothing but ${agent.display_name}'s own manners keeps it from writing elsewhere: ${sandbox.because}`,
    );
  }
  if (!sandbox.guarantees.processes_contained)
    missing.push('A process that the agent hides well enough can outlive it.');
  if (!grant.network) missing.push('The agent reaches the network all the same, because its model is there.');
  const programs = [...(await programFolders(program)), ...agent.visible.map((path) => resolve(path))];
  return {
    needed: [...own, ...programs],
    grant: await realGrant({
      ...grant,
      write,
      read: pathScope([...grant.read.allow, ...own], denied),
      network: true,
      exec: sandbox.name === 'none' ? 'free' : grant.exec === 'free' ? 'free' : 'confined',
    }),
    visible: programs,
    missing,
  };
}

/** A program that lies in a temporary folder needs its package and its neighbours there. */
async function programFolders(program: string): Promise<string[]> {
  const real = await realpath(program);
  return [program, real].map((file) => {
    const at = file.indexOf('/node_modules/');
    return at === -1 ? dirname(file) : file.slice(0, at);
  });
}
