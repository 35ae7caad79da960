import { AcpError } from '../acp-error.js';
import type { AgentProcess } from '../process/agent-process.js';
import { describe } from './describe-failure.js';

const WANTS_LOGIN =
  /\b(auth(entication|orization)?[ _-]?(required|failed|needed)|log ?in|sign ?in|unauthori[sz]ed|api[ _-]?key|401)\b/i;
const AUTH_REQUIRED = -32000;

/** Are these the words of somebody who is not let in? */
export function wantsLogin(message: string): boolean {
  return WANTS_LOGIN.test(message);
}

/** Some agents say that nobody has logged in when a session is opened, others only when they are asked something. */
export function loginRequired(process: AgentProcess, cause: unknown): AcpError | null {
  if (cause instanceof AcpError) return null;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  const message = describe(cause);
  if (code !== AUTH_REQUIRED && !wantsLogin(message)) return null;
  const { agent } = process.launch;
  const ways = (process.initialized.authMethods ?? []).map(({ name }) => name).filter(Boolean);
  const hint = agent.login
    ? ` Run: ${agent.login}`
    : ways.length > 0
      ? ` It offers: ${ways.join(', ')}.`
      : '';
  return new AcpError(`${agent.display_name} wants a login first (${message}).${hint}`, {
    code: 'AUTH_REQUIRED',
    origin: agent.id,
    cause,
  });
}
