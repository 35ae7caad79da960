import type { Grant } from './grant.js';
import type { Sandbox } from './sandbox.js';

/** What a command may do when it is run, in one sentence for whoever decides about it. */
export function sandboxWords(sandbox: Sandbox | null, grant: Grant | null): string {
  if (sandbox === null || !sandbox.guarantees.writes_confined)
    return 'No sandbox holds it: it can do all that you can.';
  if (grant === null) return 'Held by the sandbox.';
  const { allow } = grant.write;
  const writes =
    allow.length === 0 ? 'nowhere' : allow.includes('/') ? 'everywhere' : `in ${allow.join(', ')}`;
  const network =
    grant.network === true
      ? 'reaches the network'
      : sandbox.guarantees.network_confined
        ? 'does not reach the network'
        : 'is not kept from the network';
  return `The sandbox lets it write ${writes}; it ${network}.`;
}
