import { shownText } from '@amplifier/core';
import { runsOthers } from '../../shell/command-runners.js';
import { allowableParts, newEffort, type PermissionCall } from './permission-rule.js';
import type { SessionPermissions } from './session-permissions.js';

/** What an answer that lasts would allow. */
export interface LastingAnswer {
  /** The answer as it is offered. */
  option: string;
  /** Null allows the same call, with the same input in the same folder, and nothing else. */
  rule: string | null;
  written: boolean;
}

/** Programs whose next use may do something else entirely. Those that run others are in `command-runners.ts`. */
const NEVER_BY_PREFIX =
  /^(?:rm|dd|curl|wget|chmod|chown|mv|kill|killall|pkill|cargo|go|gradle|mvn|pip3?|gem)$/;

/** Subcommands of git that run nothing an argument names. */
const GIT_BY_PREFIX = new Set(
  'add blame branch commit describe diff log ls-files rev-parse show shortlog status'.split(' '),
);

/** Subcommands of the package managers that run no script of a package. */
const PACKAGES_BY_PREFIX = new Set('ls list outdated view why'.split(' '));

const MAX_SHOWN = 60;

/** The ways to say yes for longer, each with what it covers, for how long, and where it is stored. */
export async function lastingAnswers(
  call: PermissionCall,
  { file }: Pick<SessionPermissions, 'file'>,
  memoryFile: string | undefined,
): Promise<LastingAnswer[]> {
  const until = memoryFile === undefined ? 'in this conversation' : `from now on (kept in ${memoryFile})`;
  const exact = {
    option: `Allow always: exactly this ${nounOf(call.tool)}, ${until}`,
    rule: null,
    written: false,
  };
  const rule = await wider(call);
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
  if (tool === 'web_fetch') return 'request';
  return ['write_file', 'edit_file', 'multi_edit'].includes(tool) ? 'change' : 'call';
}

/** The rule for the next wider thing: this prefix, this folder, this host, this tool. Null where wider would be reckless. */
async function wider(call: PermissionCall): Promise<string | null> {
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

async function byPrefix(call: PermissionCall): Promise<string | null> {
  const parts = allowableParts(call, await newEffort(call.tool));
  const [command = ''] = parts ?? [];
  if (parts?.length !== 1) return null;
  const [program = '', next = ''] = command.split(/\s+/);
  if (!/^[\w.+-]+$/.test(program) || NEVER_BY_PREFIX.test(program)) return null;
  const isSubcommand = /^[a-z][\w:-]*$/.test(next);
  if (!(isSubcommand ? mayRepeat(program, next) : !runsOthers(program))) return null;
  return isSubcommand ? `bash: ${program} ${next} *` : `bash: ${program} *`;
}

function mayRepeat(program: string, subcommand: string): boolean {
  if (program === 'git') return GIT_BY_PREFIX.has(subcommand);
  if (['npm', 'pnpm', 'yarn'].includes(program)) return PACKAGES_BY_PREFIX.has(subcommand);
  return !runsOthers(program);
}
