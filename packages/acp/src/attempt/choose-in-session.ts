import { errorInfo } from '@amplifier/core';
import { AcpError } from '../acp-error.js';
import type { LaunchChoices } from '../process/plan-launch.js';
import type { Lever } from '../roster/descriptor.js';
import type { AgentSession } from '../session/agent-session.js';
import { describe } from '../session/describe-failure.js';
import type { AttemptTarget } from './attempt-context.js';

/** What became of the wishes for a session. */
export interface Chosen {
  model: string | null;
  model_confirmed: boolean;
  effort_applied: string | null;
  warnings: string[];
}

/** Chooses mode, model and effort by whatever the session offers, as far as the launch has not. Throws `AcpError`. */
export async function chooseInSession(
  session: AgentSession,
  { agent, softModel }: Pick<AttemptTarget, 'agent' | 'softModel'>,
  { model, effort, applied }: LaunchChoices,
  { mode }: Lever,
): Promise<Chosen> {
  const warnings: string[] = [];
  const chosen = { model: applied.model, model_confirmed: false, effort_applied: applied.effort };
  if (mode !== undefined) warnings.push(...(await chooseMode(session, mode)));
  if (model !== null) {
    try {
      chosen.model = await session.chooseModel(model);
      chosen.model_confirmed = true;
    } catch (error) {
      const missing = error instanceof AcpError && error.code === 'MODEL_UNAVAILABLE';
      if (!softModel || !missing) throw error;
      warnings.push(errorInfo(error).message);
    }
  }
  chosen.model ??= session.choices.model?.current ?? null;
  if (effort !== null) {
    chosen.effort_applied = await session.chooseEffort(effort);
    if (chosen.effort_applied === null)
      warnings.push(`${agent.display_name} cannot be told how hard to think; 'effort' had no effect.`);
  }
  return { ...chosen, warnings };
}

/** The agent's own mode is a help, and not what the safety mode rests on: without it the turn goes on. */
async function chooseMode(session: AgentSession, mode: string): Promise<string[]> {
  const { display_name } = session.process.launch.agent;
  try {
    return (await session.chooseMode(mode)) ? [] : [`${display_name} has no mode '${mode}'.`];
  } catch (error) {
    if (error instanceof AcpError) throw error;
    return [`${display_name} did not take the mode '${mode}': ${describe(error)}.`];
  }
}
