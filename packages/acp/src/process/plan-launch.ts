import { homedir } from 'node:os';
import { findProgram, keepSecrets, programPath } from '@amplifier/core';
import type { LaunchRecord } from '@amplifier/delegation';
import { checkGrant, type Isolation, realGrant, type Sandbox } from '@amplifier/workspace';
import { AcpError } from '../acp-error.js';
import { HANDSHAKE_MS } from '../defaults.js';
import { type AgentDescriptor, type Effort, leverFor } from '../roster/descriptor.js';
import { atMost } from '../session/effort-level.js';
import { agentEnv, DEPTH_VARIABLE } from './agent-env.js';
import type { ProcessLaunch } from './agent-process.js';
import { agentView } from './agent-view.js';
import { confineAgent } from './confine-agent.js';

export interface LaunchWishes {
  model: string | null;
  effort: Effort | null;
  /** How deep the agent will be in agents. */
  depth: number;
  env: NodeJS.ProcessEnv;
  sandbox: Sandbox;
  /** The tree of its own that the agent works in, if it has one. */
  isolation: Isolation | null;
}

/** What of the wishes is settled by the launch, and what is left to be chosen in the session. */
export interface LaunchChoices {
  model: string | null;
  effort: Effort | null;
  /** Already chosen on the command line or in the environment. */
  applied: { model: string | null; effort: string | null };
}

/** How an agent is started. Two plans with the same key may share a process, one after the other. */
export interface LaunchPlan {
  key: string;
  choices: LaunchChoices;
  /** Looks everything up that a new process needs. Throws `ACP_SPAWN_FAILED` when the program is not there. */
  prepare(): Promise<ProcessLaunch>;
}

/** What of a launch decides how the agent is started. */
export type LaunchPlace = Pick<LaunchRecord, 'safety_mode' | 'grant'> & {
  workspace: Pick<LaunchRecord['workspace'], 'cwd'>;
};

/** How this agent is started for this launch. Looks at nothing and starts nothing yet. */
export function planLaunch(agent: AgentDescriptor, launch: LaunchPlace, wishes: LaunchWishes): LaunchPlan {
  const { flags, env, ...choices } = chooseByLaunch(agent, wishes);
  const { safety_mode, grant, workspace } = launch;
  const { depth, sandbox } = wishes;
  const shared = [agent, flags, env, safety_mode, grant, workspace.cwd, depth, sandbox.name];
  return {
    key: JSON.stringify(shared),
    choices,
    prepare: () => prepareLaunch(agent, launch, wishes, { flags, env }),
  };
}

async function prepareLaunch(
  agent: AgentDescriptor,
  launch: LaunchPlace,
  wishes: LaunchWishes,
  chosen: { flags: string[]; env: Record<string, string> },
): Promise<ProcessLaunch> {
  const { sandbox } = wishes;
  const { cwd } = launch.workspace;
  const env = agentEnv(agent, wishes.env, {
    ...leverFor(agent, launch.safety_mode, sandbox).env,
    ...chosen.env,
    [DEPTH_VARIABLE]: String(wishes.depth),
  });
  // Whatever the agent is given it may say again.
  keepSecrets(env);
  const [name, ...args] = agent.command;
  const program = await findProgram(name, programPath(env.PATH, cwd), cwd);
  if (program === null) throw notInstalled(agent);
  const [confinement, grant] = await Promise.all([
    confineAgent(agent, program, env, launch, sandbox),
    realGrant(launch.grant),
  ]);
  const { isolation } = wishes;
  const needed = [env.HOME ?? homedir(), ...confinement.needed];
  return {
    agent,
    command: [program, ...args, ...chosen.flags],
    env: { ...env, ...isolation?.environment },
    view: await agentView({ cwd, isolation, sandbox, needed }),
    sandbox,
    grant,
    confinement: {
      ...confinement,
      visible: [...confinement.visible, ...(isolation?.gitVisible ?? [])],
    },
    terminal: checkGrant(launch.grant, { kind: 'exec', confined: sandbox.name !== 'none' }).allowed,
    handshakeMs: agent.handshake_ms ?? HANDSHAKE_MS,
  };
}

function notInstalled({ id, display_name, command: [name], install }: AgentDescriptor): AcpError {
  const hint = install ? ` Install it with: ${install}` : ' Install it, and see that it is on the PATH.';
  return new AcpError(`${display_name} is not installed: there is no command '${name}'.${hint}`, {
    code: 'ACP_SPAWN_FAILED',
    origin: id,
  });
}

/** What has to be said before the agent starts; the rest is chosen in its session. */
function chooseByLaunch(agent: AgentDescriptor, { model: wantedModel, effort: wantedEffort }: LaunchWishes) {
  const flags: string[] = [];
  const env: Record<string, string> = {};
  const applied = { model: null as string | null, effort: null as string | null };
  let model = wantedModel;
  let effort = wantedEffort;
  const { model_channel, effort_channel } = agent;
  if (effort !== null && effort_channel) {
    if (effort_channel.channel === 'flag') flags.push(effort_channel.flag, effort);
    if (effort_channel.channel === 'env') env[effort_channel.name] = effort;
    if (effort_channel.channel !== 'model') {
      applied.effort = effort;
    } else if (model !== null) {
      applied.effort = atMost(effort, effort_channel.most);
      model = effort_channel.form.replace('{model}', model).replace('{effort}', applied.effort);
    }
    effort = null;
  }
  if (model !== null && model_channel) {
    if (model_channel.channel === 'flag') flags.push(model_channel.flag, model);
    else env[model_channel.name] = model;
    applied.model = model;
    model = null;
  }
  return { model, effort, flags, env, applied };
}
