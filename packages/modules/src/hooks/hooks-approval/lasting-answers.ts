import { shownText } from '@amplifier/core';
import { allowableParts, type PermissionCall } from './permission-rule.js';
import type { SessionPermissions } from './session-permissions.js';

/** What an answer that lasts would allow. */
export interface LastingAnswer {
  /** The answer as it is offered. */
  option: string;
  /** Null allows this very thing and nothing else. */
  rule: string | null;
  written: boolean;
}

/** Programs that run whatever they are given, or whose next use may do something else entirely. */
const NEVER_BY_PREFIX =
  /^(?:(?:ba|da|z|k|fi)?sh|python[\d.]*|node|deno|bun|perl|ruby|php|sudo|doas|su|env|xargs|eval|exec|find|rm|dd|ssh|scp|curl|wget|docker|npx|make)$/;
const MAX_SHOWN = 60;

/** The ways to say yes for longer, each with what it covers, for how long, and where it is stored. */
export function lastingAnswers(
  call: PermissionCall,
  { file }: Pick<SessionPermissions, 'file'>,
  memoryFile: string | undefined,
): LastingAnswer[] {
  const until = memoryFile === undefined ? 'in this conversation' : `from now on (kept in ${memoryFile})`;
  const exact = {
    option: `Allow always: just this ${nounOf(call.tool)}, ${until}`,
    rule: null,
    written: false,
  };
  const rule = wider(call);
  if (rule === null || rule.length > MAX_SHOWN) return [exact];
  const shown = shownText(rule);
  return [
    exact,
    { option: `Allow always: ${shown}, in this conversation`, rule, written: false },
    ...(file === null
      ? []
      : [{ option: `Allow always: ${shown}, as a rule in ${file}`, rule, written: true }]),
  ];
}

function nounOf(tool: string): string {
  if (tool === 'bash') return 'command';
  if (tool === 'web_fetch') return 'address';
  return ['write_file', 'edit_file', 'multi_edit', 'read_file'].includes(tool) ? 'file' : 'use';
}

/** The rule for the next wider thing: this prefix, this folder, this host, this tool. Null where wider would be reckless. */
function wider(call: PermissionCall): string | null {
  const { tool, input, paths } = call;
  if (tool === 'bash') return byPrefix(call);
  if (tool === 'web_fetch') {
    const url = String(input.url);
    return URL.canParse(url) ? `web_fetch: ${new URL(url).hostname}` : null;
  }
  if (tool === 'delegate' || tool === 'task')
    return typeof input.agent === 'string' && /^[\w:.-]+$/.test(input.agent)
      ? `delegate: ${input.agent}`
      : null;
  if (paths.length === 0) return /^[\w-]+$/.test(tool) ? tool : null;
  const [path = ''] = paths;
  if (paths.length > 1 || path.startsWith('/') || /[*?[\]{}\\!]/.test(path)) return null;
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  return `${tool.endsWith('file') && tool !== 'read_file' ? 'write' : tool}: ${folder === '' ? '**' : `${folder}/**`}`;
}

function byPrefix(call: PermissionCall): string | null {
  const parts = allowableParts(call);
  const [command = ''] = parts ?? [];
  if (parts?.length !== 1) return null;
  const words = command.split(/\s+/);
  const [program = ''] = words;
  if (!/^[\w.+-]+$/.test(program) || NEVER_BY_PREFIX.test(program)) return null;
  const [, next = ''] = words;
  return /^[a-z][\w:-]*$/.test(next) ? `bash: ${program} ${next} *` : `bash: ${program} *`;
}
