import type { ExecLevel, Grant, NetworkAccess } from './grant.js';
import type { PathScope } from './path-scope.js';

const EXEC: Record<ExecLevel, string> = {
  none: 'not allowed',
  confined: 'only inside the OS sandbox',
  free: 'allowed',
};

const NETWORK: Record<`${NetworkAccess}`, string> = {
  false: 'not allowed',
  tools: 'for tools, not for commands',
  true: 'allowed',
};

interface Explained {
  /** The session works in a tree that is made when it runs. */
  isolated?: boolean | undefined;
  /** It is that of an external agent, which reaches its model over the network: see `confineAgent`. */
  external?: boolean | undefined;
}

/** The grant of a launch in words, one line for each right. */
export function explainGrant(grant: Grant, { isolated = false, external = false }: Explained = {}): string {
  const reached = external && grant.network !== true ? ', but the external agent itself reaches it' : '';
  return [
    `read: ${describeScope(grant.read)}`,
    `write: ${isolated ? 'only an isolated tree; changes are returned as a patch' : describeScope(grant.write)}`,
    `run commands: ${EXEC[grant.exec]}`,
    `network: ${NETWORK[`${grant.network}`]}${reached}`,
    `delegate: ${yes(grant.delegate)}`,
    `spend: ${grant.spend === null ? 'no limit of its own' : `at most ${grant.spend} USD`}`,
  ].join('\n');
}

function describeScope({ allow, deny, deny_globs = [], deny_except = [] }: PathScope): string {
  if (allow.length === 0) return 'nothing';
  const where = allow.map((path) => (path === '/' ? 'everything' : path)).join(', ');
  const denied = [...deny, ...deny_globs];
  const kept = deny_except.length === 0 ? '' : ` (but not ${deny_except.join(', ')})`;
  return denied.length === 0 ? where : `${where}, except ${denied.join(', ')}${kept}`;
}

function yes(allowed: boolean): string {
  return allowed ? 'allowed' : 'not allowed';
}
