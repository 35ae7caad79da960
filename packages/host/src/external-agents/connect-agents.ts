import type { AgentConnection, ConnectStep } from '@amplifier/acp';
import { detectSandbox } from '@amplifier/workspace';
import type { Environment } from '../environment.js';
import type { ExternalAgent } from './list-external-agents.js';

export interface ConnectedAgent extends ExternalAgent {
  /** Null for one that is not installed. */
  connection: AgentConnection | null;
}

export interface ConnectAgentsOptions {
  environment: Environment;
  /** For each of them. */
  timeout_ms: number;
  signal?: AbortSignal | undefined;
  onStep?: (agent: ExternalAgent, step: ConnectStep) => void;
}

/** Connects to every agent that is installed, all at once, and asks none of them anything. */
export async function connectAgents(
  agents: readonly ExternalAgent[],
  { environment, timeout_ms, signal, onStep }: ConnectAgentsOptions,
): Promise<ConnectedAgent[]> {
  const { connectAgent, depthFrom } = await import('@amplifier/acp');
  const sandbox = await detectSandbox();
  const depth = depthFrom(environment) + 1;
  return Promise.all(
    agents.map(async (external) => {
      if (external.program === null) return { ...external, connection: null };
      const connection = await connectAgent(external.agent, {
        env: environment,
        sandbox,
        timeout_ms,
        depth,
        ...(signal ? { signal } : {}),
        ...(onStep ? { onStep: (step) => onStep(external, step) } : {}),
      });
      return { ...external, connection };
    }),
  );
}
