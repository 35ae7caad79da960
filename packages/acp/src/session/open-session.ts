import type { McpServer } from '@agentclientprotocol/sdk';
import { type Clock, errorInfo, isPlainObject, type JsonObject, sleep, within } from '@amplifier/core';
import { AcpError } from '../acp-error.js';
import { REPLAY_MOST_MS, REPLAY_PAUSE_MS, REPLAY_QUIET_MS } from '../defaults.js';
import type { AgentProcess } from '../process/agent-process.js';
import { AgentSession } from './agent-session.js';
import { describe } from './describe-failure.js';
import { loginRequired } from './login-required.js';

export interface OpenWishes {
  cwd: string;
  mcp_servers: readonly McpServer[];
  /** The agent's own id of an earlier session, to continue with. */
  earlier: string | null;
  clock: Clock;
  signal: AbortSignal;
  /** How many updates have come so far, to see whether the agent is still replaying. */
  updates: () => number;
}

export interface OpenedSession {
  session: AgentSession;
  /** `resumed` and `loaded`: the agent knows the conversation. `new`: it does not. */
  how: 'new' | 'resumed' | 'loaded';
  /** Why an earlier session could not be had. */
  lost: string | null;
}

/** Opens a conversation: the earlier one where the agent still has it, else a new one. Throws `AcpError`. */
export async function openSession(process: AgentProcess, wishes: OpenWishes): Promise<OpenedSession> {
  const { earlier, cwd, mcp_servers } = wishes;
  const params = { cwd, mcpServers: forwardable(process, mcp_servers) };
  let lost: string | null = null;
  if (earlier !== null) {
    const found = await reopen(process, earlier, params, wishes);
    if ('session' in found) return found;
    lost = found.lost;
  }
  const spare = params.mcpServers.length === 0 ? await takeSpare(process, wishes) : null;
  const response = spare ?? (await ask(process, 'session/new', params, wishes));
  const id = isPlainObject(response) && typeof response.sessionId === 'string' ? response.sessionId : '';
  if (id === '') throw failed(process, 'it opened a session without an id');
  return { session: new AgentSession(process, id, response, wishes), how: 'new', lost };
}

/** A session that a waiting agent has opened already. One that is late counts as none. */
async function takeSpare(process: AgentProcess, { cwd, clock }: OpenWishes): Promise<unknown> {
  const taken = await within(process.takeSpare(cwd), process.launch.handshakeMs, clock);
  return taken.done ? taken.value : null;
}

async function reopen(
  process: AgentProcess,
  sessionId: string,
  params: JsonObject,
  wishes: OpenWishes,
): Promise<OpenedSession | { lost: string }> {
  const { loadSession, sessionCapabilities } = process.initialized.agentCapabilities ?? {};
  const name = process.launch.agent.display_name;
  const ways: ReopenWay[] = [];
  if (sessionCapabilities?.resume) ways.push('resumed');
  if (loadSession === true || ways.length > 0) ways.push('loaded');
  if (ways.length === 0) return { lost: `${name} does not keep its sessions.` };
  const problems: string[] = [];
  // An agent may offer what it does not have: then the next way is tried.
  for (const how of ways) {
    const opened = await reopenBy(how, process, { ...params, sessionId }, wishes);
    if (typeof opened !== 'string')
      return { session: new AgentSession(process, sessionId, opened.response, wishes), how, lost: null };
    problems.push(opened);
  }
  return { lost: `${name} could not continue its session: ${problems.join('; ')}.` };
}

type ReopenWay = 'resumed' | 'loaded';

/** What the agent answered, or why it did not. */
async function reopenBy(
  how: ReopenWay,
  process: AgentProcess,
  params: JsonObject,
  wishes: OpenWishes,
): Promise<{ response: unknown } | string> {
  const method = how === 'resumed' ? 'session/resume' : 'session/load';
  try {
    const response = await ask(process, method, params, wishes);
    if (how === 'loaded') await replayed(wishes);
    return { response };
  } catch (error) {
    // A login, a death or a request to stop has nothing to do with this one session.
    if (wishes.signal.aborted || (error instanceof AcpError && error.code !== 'RESUME_FAILED')) throw error;
    return `${method}: ${errorInfo(error).message}`;
  }
}

/** History must not be taken for an answer. Some agents send it only after they said that they are done. */
async function replayed({ clock, updates, signal }: OpenWishes): Promise<void> {
  const most = clock.now() + REPLAY_MOST_MS;
  let pause = REPLAY_QUIET_MS;
  for (let seen = updates(); clock.now() < most; seen = updates()) {
    await sleep(clock, pause, signal);
    if (updates() === seen) return;
    pause = REPLAY_PAUSE_MS;
  }
}

async function ask(
  process: AgentProcess,
  method: string,
  params: JsonObject,
  { clock, signal }: OpenWishes,
): Promise<unknown> {
  const { handshakeMs } = process.launch;
  let answer: Awaited<ReturnType<typeof within<unknown>>>;
  try {
    answer = await within(process.request<unknown>(method, params, signal), handshakeMs, clock);
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw explain(process, method, cause);
  }
  if (!answer.done)
    throw failed(process, `it did not answer ${method} for ${handshakeMs / 1000} s${unfit(process)}`);
  return answer.value;
}

/** An adapter that starts and then waits does not understand the program it wraps. */
function unfit({ launch: { agent } }: AgentProcess): string {
  if (agent.underlying === null) return '';
  const how = agent.install ? `: ${agent.install}` : '';
  return `. The adapter may not fit the installed '${agent.underlying}'; bring both up to date${how}`;
}

function explain(process: AgentProcess, method: string, cause: unknown): AcpError {
  const { agent } = process.launch;
  const message = describe(cause);
  if (cause instanceof AcpError) return failed(process, cause.message, cause);
  const login = loginRequired(process, cause);
  if (login) return login;
  if (method !== 'session/new')
    return new AcpError(message, { code: 'RESUME_FAILED', origin: agent.id, cause });
  return failed(process, `it refused to open a session: ${message}`, cause);
}

function failed(process: AgentProcess, why: string, cause?: unknown): AcpError {
  const { agent } = process.launch;
  return new AcpError(`${agent.display_name} did not get ready: ${why}.${process.stderr.told}`, {
    code: 'ACP_HANDSHAKE_FAILED',
    origin: agent.id,
    cause,
  });
}

/** Servers on standard input and output always; those on the network only where the agent can reach such. */
function forwardable(process: AgentProcess, servers: readonly McpServer[]): McpServer[] {
  const { mcpCapabilities } = process.initialized.agentCapabilities ?? {};
  return servers.filter((server) => {
    const type = 'type' in server ? server.type : 'stdio';
    return type === 'http'
      ? mcpCapabilities?.http === true
      : type === 'sse'
        ? mcpCapabilities?.sse === true
        : true;
  });
}
