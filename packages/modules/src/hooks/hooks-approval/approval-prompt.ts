import { moreCharacters, shorten, shownText } from '@amplifier/core';
import type { PermissionCall } from './permission-rule.js';

export interface Asker {
  agent: string | null;
  id: string;
  parent_id: string | null;
}

/** Longer inputs are cut in the question; the preview has more of them. */
const MAX_SUBJECT = 2_000;

/** The question in words. It names the session that asks, and what the tool would act on, by the tool and not by the members given. */
export function approvalPrompt(asker: Asker, call: PermissionCall): string {
  const { tool } = call;
  const subject = shorten(subjectOf(call), MAX_SUBJECT, moreCharacters);
  const about = subject === '' ? '' : `: ${shownText(subject)}`;
  return `${whoAsks(asker)} wants to use ${tool}${about}`;
}

function whoAsks({ agent, id, parent_id }: Asker): string {
  const name = agent === null ? 'The session' : `Agent '${agent}'`;
  return parent_id === null ? `${name} (${id})` : `${name} (${id}, child of ${parent_id})`;
}

const FILE_TOOLS = new Set([
  'write_file',
  'edit_file',
  'multi_edit',
  'read_file',
  'list_files',
  'grep',
  'glob',
]);

function subjectOf({ tool, input, paths }: PermissionCall): string {
  if (tool === 'bash') {
    const folder = typeof input.cwd === 'string' ? ` (in ${input.cwd})` : '';
    return `${String(input.command ?? '')}${folder}`;
  }
  if (tool === 'web_fetch') return String(input.url ?? '');
  if (FILE_TOOLS.has(tool)) return paths.join(', ');
  return Object.keys(input).length === 0 ? '' : JSON.stringify(input);
}
