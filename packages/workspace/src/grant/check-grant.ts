import { compareDecimals } from '@amplifier/core';
import type { Grant } from './grant.js';
import { scopeRefusal } from './path-scope.js';

/** Something a session is about to do. Paths must be absolute and real: resolve them with `resolveInside` first. */
export type Action =
  | { kind: 'read' | 'write'; path: string }
  /** `confined`: the command will run inside an OS sandbox built from this grant. */
  | { kind: 'exec'; confined: boolean }
  | { kind: 'network'; host?: string }
  | { kind: 'delegate'; agent?: string }
  /** `amount`: what would have been spent in total, in US dollars, as a decimal string. */
  | { kind: 'spend'; amount: string };

export interface GrantDecision {
  allowed: boolean;
  /** One sentence for a person or a model: what decided. */
  because: string;
}

/** Decides by the grant alone. Looks at nothing on disk. */
export function checkGrant(grant: Grant, action: Action): GrantDecision {
  switch (action.kind) {
    case 'read':
    case 'write': {
      const refusal = scopeRefusal(grant[action.kind], action.path);
      const subject = `${action.kind === 'read' ? 'Reading' : 'Writing'} ${printable(action.path)}`;
      return refusal === null
        ? allowed(`${subject} is inside the session's ${action.kind} scope.`)
        : refused(`${subject} is not allowed: ${refusal}.`);
    }
    case 'exec':
      return checkExec(grant, action.confined);
    case 'network':
      return grant.network !== false
        ? allowed('The session may use the network.')
        : refused(
            `Reaching ${action.host ?? 'the network'} is not allowed: the session has no network. It can be given one when it is started, with network (--network).`,
          );
    case 'delegate':
      return grant.delegate
        ? allowed('The session may delegate.')
        : refused(`Delegating${action.agent ? ` to ${action.agent}` : ''} is not allowed in this session.`);
    case 'spend':
      return checkSpend(grant, action.amount);
  }
}

function checkExec({ exec, network }: Grant, confined: boolean): GrantDecision {
  if (exec === 'none') return refused('Running commands is not allowed in this session.');
  if (!confined && exec === 'free' && network !== true)
    return refused(
      'Running this command is not allowed: the commands of this session have no network, and without an OS sandbox nothing keeps them off it. Install bubblewrap, or start the session with network (--network).',
    );
  if (exec === 'free') return allowed('The session may run commands.');
  return confined
    ? allowed('The session may run commands inside the sandbox.')
    : refused(
        'Running this command is not allowed: the session may run commands only inside an OS sandbox, and none is in use. Install bubblewrap, or start the session with free exec.',
      );
}

function checkSpend({ spend }: Grant, amount: string): GrantDecision {
  if (spend === null) return allowed('The session has no spending limit of its own.');
  return compareDecimals(amount, spend) <= 0
    ? allowed(`${amount} USD is within the limit of ${spend} USD.`)
    : refused(`Spending ${amount} USD is not allowed: the session's limit is ${spend} USD.`);
}

/** A path as it may be shown: control characters would let a file name rewrite the message around it. */
function printable(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\u0000-\u001f\u007f]/.test(path) ? JSON.stringify(path) : path;
}

const allowed = (because: string): GrantDecision => ({ allowed: true, because });
const refused = (because: string): GrantDecision => ({ allowed: false, because });
