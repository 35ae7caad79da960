import { shownText } from '@amplifier/core';

export interface Asker {
  agent: string | null;
  id: string;
  parent_id: string | null;
}

/** The question a person reads. It names who asks, so that one child among many can be told apart. */
export function approvalPrompt(asker: Asker, tool: string, subject: string): string {
  const about = subject === '' ? '' : `: ${shownText(subject)}`;
  return `${whoAsks(asker)} wants to use ${tool}${about}`;
}

function whoAsks({ agent, id, parent_id }: Asker): string {
  const name = agent === null ? 'The session' : `Agent '${agent}'`;
  return parent_id === null ? `${name} (${id})` : `${name} (${id}, child of ${parent_id})`;
}
