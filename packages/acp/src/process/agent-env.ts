import type { AgentDescriptor } from '../roster/descriptor.js';

/** What any program needs, and nothing that could be a secret. */
const COMMON = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'LC_*',
  'TZ',
  'TERM',
  'COLORTERM',
  'NO_COLOR',
  'TMPDIR',
  'XDG_*',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
];

/** How deep agents are in agents, so that a chain of them comes to an end. */
export const DEPTH_VARIABLE = 'AMPLIFIER_DEPTH';

/** The whole environment of an agent: the common names, its own needs, its settings, and nothing else of ours. */
export function agentEnv(
  { env_passthrough, env }: Pick<AgentDescriptor, 'env_passthrough' | 'env'>,
  own: NodeJS.ProcessEnv,
  added: Record<string, string> = {},
): Record<string, string> {
  const patterns = [...COMMON, ...env_passthrough];
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && patterns.some((pattern) => fits(name, pattern))) passed[name] = value;
  }
  return { ...passed, ...env, ...added };
}

function fits(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** How deep this very process is. A value that is no number means that somebody meddled: the deepest there is. */
export function depthFrom(env: NodeJS.ProcessEnv): number {
  const text = env[DEPTH_VARIABLE];
  if (text === undefined || text === '') return 0;
  return /^\d{1,3}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}
