import { shorten } from '@amplifier/core';
import { FoundationError } from '../errors.js';

/** `explorer`, or `foundation:explorer` where the bundle is named. A name may hold folders: `review/security`. */
export interface AgentName {
  namespace: string | null;
  name: string;
}

const SEGMENT = /^[\p{L}\p{N}_][\p{L}\p{N}_. +@-]*$/u;
const MAX_NAME_LENGTH = 200;

/** Takes a name apart. What could lead out of a search path is refused here, before it touches the disk. */
export function parseAgentName(text: string): AgentName {
  const [first = '', ...rest] = text.split(':');
  const namespace = rest.length > 0 ? first : null;
  const name = rest.length > 0 ? rest.join(':') : first;
  const segments = [...(namespace === null ? [] : [namespace]), ...name.split('/')];
  if (text.length <= MAX_NAME_LENGTH && segments.every((segment) => SEGMENT.test(segment)))
    return { namespace, name };
  throw new FoundationError(
    `'${shorten(text, MAX_NAME_LENGTH)}' cannot be the name of an agent. Write a name such as explorer, or bundle:agent to name its bundle.`,
    { code: 'INVALID_AGENT_NAME' },
  );
}

export const AGENT_VARIABLE = 'AMPLIFIER_AGENT_';

/** The environment variable that overrides an agent: upper case, everything but letters and digits as `_`. */
export function agentVariable(name: string): string {
  return `${AGENT_VARIABLE}${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}
