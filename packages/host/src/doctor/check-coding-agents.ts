import type { AgentConnection } from '@amplifier/acp';
import { errorInfo, shownText } from '@amplifier/core';
import {
  type ConnectAgentsOptions,
  type ConnectedAgent,
  connectAgents,
} from '../external-agents/connect-agents.js';
import { type ExternalAgent, externalAgents } from '../external-agents/list-external-agents.js';
import type { Project } from '../project/project.js';
import type { Check } from './run-checks.js';

export interface CodingAgentOptions {
  /** Check only this one, installed or not. */
  agent?: string | undefined;
  /** Null: do not start them. */
  connect: ((agents: readonly ExternalAgent[]) => ConnectAgentsOptions) | null;
}

/** Checks the installed external agents. They are started in parallel and get no prompt. Empty if there is no agent of the given name. */
export async function checkCodingAgents(
  openProject: () => Promise<Project>,
  { agent: wanted, connect }: CodingAgentOptions,
): Promise<Check[]> {
  const name = 'coding agents';
  let all: ExternalAgent[];
  try {
    all = await externalAgents(await openProject());
  } catch (error) {
    return [{ name, state: 'broken', detail: errorInfo(error).message, fix: 'amplifier config edit' }];
  }
  const named = all.filter(({ agent: { id } }) => wanted === undefined || id === wanted);
  if (wanted !== undefined && named.length === 0) return [];
  const found = wanted === undefined ? named.filter(({ program }) => program !== null) : named;
  if (found.length === 0)
    return [{ name, state: 'missing', detail: 'none installed', fix: 'amplifier agent list' }];
  if (connect === null) return found.map(unstartedCheck);
  const installed = found.filter(({ program }) => program !== null);
  return (await connectAgents(found, connect(installed))).map(connectedCheck);
}

function unstartedCheck({ agent: { id }, program }: ExternalAgent): Check {
  const name = `coding agent ${id}`;
  if (program === null) return { name, state: 'missing', detail: 'not installed' };
  return { name, state: 'ok', detail: `${program} (not started)` };
}

function connectedCheck({ agent, connection }: ConnectedAgent): Check {
  const name = `coding agent ${agent.id}`;
  if (connection === null)
    return { name, state: 'missing', detail: 'not installed', fix: agent.install ?? undefined };
  if (connection.status === 'ready')
    return { name, state: 'ok', detail: shownText(describeConnection(connection)), connection };
  const fix = connection.status === 'login_required' ? (agent.login ?? undefined) : undefined;
  return { name, state: 'missing', detail: shownText(connection.detail), fix, connection };
}

const SHOWN_MODELS = 5;

function describeConnection({ name, version, model, models, efforts, duration_ms }: AgentConnection): string {
  const shown = models.slice(0, SHOWN_MODELS).join(', ');
  const more = models.length > SHOWN_MODELS ? ` and ${models.length - SHOWN_MODELS} more` : '';
  return [
    `connected in ${(duration_ms / 1000).toFixed(1)} s`,
    [name, version].filter(Boolean).join(' '),
    'no login asked for',
    model ? `model ${model}` : '',
    models.length > 0 ? `offers ${shown}${more}` : '',
    efforts.length > 0 ? `effort ${efforts.join(', ')}` : '',
  ]
    .filter((part) => part !== '')
    .join('; ');
}
