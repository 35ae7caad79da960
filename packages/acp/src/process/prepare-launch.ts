import type { LaunchRecord } from '@amplifier/delegation';
import { checkGrant, type Sandbox } from '@amplifier/workspace';
import { AcpError } from '../acp-error.js';
import { HANDSHAKE_MS } from '../defaults.js';
import type { AgentDescriptor, Effort } from '../roster/descriptor.js';
import { findProgram } from '../roster/find-program.js';
import { atMost } from '../session/effort-level.js';
import { agentEnv, DEPTH_VARIABLE } from './agent-env.js';
import type { ProcessLaunch } from './agent-process.js';
import { confineAgent } from './confine-agent.js';

export interface LaunchWishes {
  model: string | null;
  effort: Effort | null;
  /** How deep the agent will be in agents. */
  depth: number;
  env: NodeJS.ProcessEnv;
  sandbox: Sandbox;
  /** Paths a sandboxed agent must see beside its own. */
  visible: readonly string[];
}

export interface PreparedLaunch {
  process: ProcessLaunch;
  /** What is left to be chosen in the session. */
  model: string | null;
  effort: Effort | null;
  /** Already chosen on the command line or in the environment. */
  applied: { model: string | null; effort: string | null };
}

/** How this agent is started for this launch. Starts nothing. Throws `ACP_SPAWN_FAILED` when the program is not there. */
export async function prepareLaunch(
  agent: AgentDescriptor,
  launch: LaunchRecord,
  wishes: LaunchWishes,
): Promise<PreparedLaunch> {
  const { model, effort, flags, env: chosen, applied } = chooseByLaunch(agent, wishes);
  const lever = agent.levers[launch.safety_mode];
  const env = agentEnv(agent, wishes.env, {
    ...lever?.env,
    ...chosen,
    [DEPTH_VARIABLE]: String(wishes.depth),
  });
  const { cwd } = launch.workspace;
  const [name, ...args] = agent.command;
  const program = await findProgram(name, env.PATH ?? '', cwd);
  if (program === null) {
    const hint = agent.install
      ? ` Install it with: ${agent.install}`
      : ' Install it, and see that it is on the PATH.';
    throw new AcpError(`${agent.display_name} is not installed: there is no command '${name}'.${hint}`, {
      code: 'ACP_SPAWN_FAILED',
      origin: agent.id,
    });
  }
  const confinement = await confineAgent(agent, program, env, launch, wishes.sandbox);
  const confined = wishes.sandbox.name !== 'none';
  return {
    process: {
      agent,
      command: [program, ...args, ...flags],
      env,
      cwd,
      sandbox: wishes.sandbox,
      confinement: { ...confinement, visible: [...confinement.visible, ...wishes.visible] },
      terminal: checkGrant(launch.grant, { kind: 'exec', confined }).allowed,
      handshakeMs: agent.handshake_ms ?? HANDSHAKE_MS,
    },
    model,
    effort,
    applied,
  };
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
