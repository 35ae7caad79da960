import {
  type AgentConnection,
  type ConnectedAgent,
  connectAgents,
  errorInfo,
  externalAgents,
  shownText,
} from '@amplifier/host';
import type { Options } from '../bind.js';
import type { Cli } from '../cli.js';
import { openCliProject } from '../open-project.js';
import { seconds } from '../session-options.js';
import { UsageError } from '../usage-error.js';

export interface Check {
  name: string;
  /** `missing` is a pity; `broken` is a fault. */
  state: 'ok' | 'missing' | 'broken';
  detail: string;
  /** The command that fixes it. */
  fix?: string;
  /** What an external agent said of itself. */
  connection?: AgentConnection;
}

/** What an agent that starts slowly needs; the others have a limit of their own that is tighter. */
const CONNECT_SECONDS = 30;

/** Connects to the external agents that are installed, side by side, and says how each is. Asks them nothing. */
export async function codingAgents(cli: Cli, options: Options): Promise<Check[]> {
  const limit = options.timeout === undefined ? null : seconds('--timeout', options.timeout);
  const timeout_ms = (limit ?? CONNECT_SECONDS) * 1000;
  const wanted = typeof options.agent === 'string' ? options.agent.replace(/^acp:/, '') : null;
  const all = await openCliProject(cli)
    .then(externalAgents)
    .catch((error: unknown) => errorInfo(error).message);
  if (typeof all === 'string')
    return [{ name: 'coding agents', state: 'broken', detail: all, fix: 'amplifier config edit' }];
  const named = all.filter(({ agent: { id } }) => wanted === null || id === wanted);
  if (named.length === 0)
    throw new UsageError(`No external agent is called '${wanted}'. List them with: amplifier agent list`);
  const installed = wanted === null ? named.filter(({ program }) => program !== null) : named;
  if (installed.length === 0)
    return [
      { name: 'coding agents', state: 'missing', detail: 'none installed', fix: 'amplifier agent list' },
    ];
  if (options.connect === false)
    return installed.map(({ agent: { id }, program }) => ({
      name: `coding agent ${id}`,
      state: program === null ? 'missing' : 'ok',
      detail: program === null ? 'not installed' : `${program} (not started)`,
    }));
  const waiting = new Set(installed.filter(({ program }) => program !== null).map(({ agent }) => agent.id));
  cli.say(`Connecting to ${[...waiting].join(', ')} …`);
  const connected = await connectAgents(installed, {
    environment: process.env,
    timeout_ms,
    onStep: ({ agent: { id } }, step) => {
      if (step !== 'done') return cli.verbose ? cli.say(`${id}: ${step}`) : undefined;
      waiting.delete(id);
      if (waiting.size > 0) cli.say(`${id} is done; waiting for ${[...waiting].join(', ')} …`);
    },
  });
  return connected.map(checkOf);
}

function checkOf({ agent, connection }: ConnectedAgent): Check {
  const name = `coding agent ${agent.id}`;
  if (connection === null)
    return {
      name,
      state: 'missing',
      detail: 'not installed',
      ...(agent.install ? { fix: agent.install } : {}),
    };
  const facts = { connection };
  if (connection.status === 'ready')
    return { name, state: 'ok', detail: shownText(readyWords(connection)), ...facts };
  const detail = shownText(connection.detail);
  if (connection.status === 'login_required' && agent.login)
    return { name, state: 'missing', detail, fix: agent.login, ...facts };
  return { name, state: 'missing', detail, ...facts };
}

const MODELS_TOLD = 5;

function readyWords({ name, version, model, models, efforts, duration_ms }: AgentConnection): string {
  const told = models.slice(0, MODELS_TOLD).join(', ');
  const more = models.length > MODELS_TOLD ? ` and ${models.length - MODELS_TOLD} more` : '';
  return [
    `connected in ${(duration_ms / 1000).toFixed(1)} s`,
    [name, version].filter(Boolean).join(' '),
    'no login asked for',
    model ? `model ${model}` : '',
    models.length > 0 ? `offers ${told}${more}` : '',
    efforts.length > 0 ? `effort ${efforts.join(', ')}` : '',
  ]
    .filter((part) => part !== '')
    .join('; ');
}
