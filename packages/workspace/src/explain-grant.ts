import type { ExecLevel, Grant } from './grant.js';
import type { PathScope } from './path-scope.js';

const EXEC: Record<ExecLevel, string> = {
  none: 'not allowed',
  confined: 'only inside the OS sandbox',
  free: 'allowed',
};

/** The grant of a launch in words, one line for each right. `isolated`: the session works in a tree that is made when it runs. */
export function explainGrant(grant: Grant, { isolated = false }: { isolated?: boolean } = {}): string {
  return [
    `read: ${describeScope(grant.read)}`,
    `write: ${isolated ? 'only an isolated tree; changes are returned as a patch' : describeScope(grant.write)}`,
    `run commands: ${EXEC[grant.exec]}`,
    `network: ${yes(grant.network)}`,
    `delegate: ${yes(grant.delegate)}`,
    `spend: ${grant.spend === null ? 'no limit of its own' : `at most ${grant.spend} USD`}`,
  ].join('\n');
}

function describeScope({ allow, deny }: PathScope): string {
  if (allow.length === 0) return 'nothing';
  const where = allow.map((path) => (path === '/' ? 'everything' : path)).join(', ');
  return deny.length === 0 ? where : `${where}, except ${deny.join(', ')}`;
}

function yes(allowed: boolean): string {
  return allowed ? 'allowed' : 'not allowed';
}
