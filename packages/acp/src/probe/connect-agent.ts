import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, errorInfo, redactDiagnostics, systemClock } from '@amplifier/core';
import { grantForSafetyMode, type Sandbox } from '@amplifier/workspace';
import { AcpError } from '../acp-error.js';
import { HANDSHAKE_MS } from '../defaults.js';
import { AgentProcess } from '../process/agent-process.js';
import { planLaunch } from '../process/plan-launch.js';
import type { AgentDescriptor } from '../roster/descriptor.js';
import type { AgentSession } from '../session/agent-session.js';
import { openSession } from '../session/open-session.js';

/** How an external agent is, as far as that shows without asking it anything. */
export interface AgentConnection {
  /** `ready`: it took a session. `login_required`: it runs, and nobody has logged in. */
  status: 'ready' | 'login_required' | 'failed' | 'timed_out';
  /** As it names itself. */
  name: string | null;
  version: string | null;
  protocol_version: number | null;
  /** The model it starts with, and all it offers. */
  model: string | null;
  models: string[];
  modes: string[];
  efforts: string[];
  /** The ways to log in that it offers. */
  login_methods: string[];
  /** A sentence for a person: what is wrong, and what to do about it. */
  detail: string;
  duration_ms: number;
}

/** What a connection is doing, for whoever watches. */
export type ConnectStep = 'starting' | 'shaking hands' | 'opening a session' | 'done';

export interface ConnectOptions {
  env: NodeJS.ProcessEnv;
  sandbox: Sandbox;
  /** For all of it, from the start to the open session; the tighter of this and the agent's own limit counts. */
  timeout_ms: number;
  depth: number;
  clock?: Clock;
  signal?: AbortSignal;
  onStep?: (step: ConnectStep) => void;
}

/**
 * Starts the agent in an empty folder where it can change nothing, shakes hands and opens a session; asks it nothing and so costs
 * nothing. Never throws for what the agent does, and leaves nothing running.
 */
export async function connectAgent(
  agent: AgentDescriptor,
  options: ConnectOptions,
): Promise<AgentConnection> {
  const { clock = systemClock, onStep = () => {} } = options;
  const timeout_ms = Math.min(options.timeout_ms, agent.handshake_ms ?? HANDSHAKE_MS);
  const began = clock.now();
  const stop = new AbortController();
  const cancel = clock.after(timeout_ms, () => stop.abort());
  const giveUp = () => stop.abort();
  options.signal?.addEventListener('abort', giveUp, { once: true });
  if (options.signal?.aborted) giveUp();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'amplifier-connect-')));
  let at: ConnectStep = 'starting';
  const step = (next: ConnectStep) => {
    at = next;
    onStep(next);
  };
  const seen = blank();
  try {
    step('starting');
    await connect(agent, folder, seen, { ...options, clock, signal: stop.signal, onStep: step });
    seen.status = 'ready';
    seen.detail = 'It took a session.';
  } catch (error) {
    Object.assign(seen, explain(agent, error, stop.signal.aborted ? { at, timeout_ms } : null));
  } finally {
    cancel();
    options.signal?.removeEventListener('abort', giveUp);
    step('done');
    await rm(folder, { recursive: true, force: true });
  }
  return { ...seen, duration_ms: Math.round(clock.now() - began) };
}

async function connect(
  agent: AgentDescriptor,
  cwd: string,
  seen: AgentConnection,
  {
    env,
    sandbox,
    depth,
    clock,
    signal,
    onStep,
  }: ConnectOptions & { clock: Clock; signal: AbortSignal; onStep: (step: ConnectStep) => void },
): Promise<void> {
  const place = {
    safety_mode: 'read_only',
    grant: grantForSafetyMode('read_only', { cwd, trusted: false }),
    workspace: { cwd },
  } as const;
  const wishes = { model: null, effort: null, depth, env, sandbox, isolation: null };
  const launch = await planLaunch(agent, place, wishes).prepare();
  onStep('shaking hands');
  const process = await AgentProcess.start(launch, clock, signal);
  try {
    const { agentInfo, protocolVersion, authMethods } = process.initialized;
    seen.name = shown(agentInfo?.title ?? agentInfo?.name);
    seen.version = shown(agentInfo?.version);
    seen.protocol_version = protocolVersion;
    seen.login_methods = (authMethods ?? []).flatMap(({ name }) => shown(name) ?? []);
    onStep('opening a session');
    const opening = { cwd: launch.view.cwd, mcp_servers: [], earlier: null, clock, signal, updates: () => 0 };
    const { session } = await openSession(process, opening);
    take(seen, session);
    await session.close();
  } finally {
    if (signal.aborted) await process.kill();
    else await process.close();
  }
}

function take(seen: AgentConnection, { choices }: AgentSession): void {
  const all = (values: readonly string[] = []) =>
    values.flatMap((value) => shown(value) ?? []).slice(0, MOST);
  seen.model = shown(choices.model?.current);
  seen.models = all(choices.model?.values);
  seen.modes = all(choices.mode?.values);
  seen.efforts = all(choices.effort?.values);
}

/** More names than this are no choice for anybody. */
const MOST = 500;

/** What an agent says of itself, at a length that fits a line. */
function shown(text: unknown): string | null {
  return typeof text === 'string' && text !== '' ? redactDiagnostics(text).slice(0, 200) : null;
}

function explain(
  { display_name, underlying, install }: AgentDescriptor,
  error: unknown,
  gaveUp: { at: ConnectStep; timeout_ms: number } | null,
): Pick<AgentConnection, 'status' | 'detail'> {
  const code = error instanceof AcpError ? error.code : undefined;
  if (code === 'AUTH_REQUIRED') return { status: 'login_required', detail: errorInfo(error).message };
  if (!gaveUp) return { status: 'failed', detail: errorInfo(error).message };
  const why = underlying
    ? ` The adapter may not fit the installed '${underlying}'; bring both up to date${install ? `: ${install}` : '.'}`
    : ' Run it by hand to see what it waits for, or allow it more time.';
  return {
    status: 'timed_out',
    detail: `${display_name} was still ${gaveUp.at} after ${gaveUp.timeout_ms / 1000} s.${why}`,
  };
}

function blank(): AgentConnection {
  return {
    status: 'failed',
    name: null,
    version: null,
    protocol_version: null,
    model: null,
    models: [],
    modes: [],
    efforts: [],
    login_methods: [],
    detail: '',
    duration_ms: 0,
  };
}
