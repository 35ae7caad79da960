import type { JsonObject, Outcome } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { counted } from '../terminal/fit.js';

/** A patch as an outcome carries it. */
interface Proposal extends JsonObject {
  target: string;
  changes: readonly unknown[];
  diff: string;
  diff_path: string;
}

/** What a session that may only propose would change: the patch as part of the result, and how to apply it. */
export function showProposals(cli: Cli, { artifacts }: Pick<Outcome, 'artifacts'>): void {
  for (const { changes, diff, diff_path, target, isolation_id } of artifacts.filter(isProposal)) {
    if (changes.length === 0) continue;
    cli.print(`\n${colored(diff.trimEnd(), cli)}`);
    cli.say(
      `This proposal changes ${counted(changes.length, 'file')}; nothing was applied yet. To apply it:`,
    );
    cli.say(
      typeof isolation_id === 'string'
        ? `  amplifier proposals apply ${isolation_id.slice(0, SHORT_ID)}`
        : `  git -C ${quoted(target)} apply ${quoted(diff_path)}`,
    );
  }
}

function isProposal(artifact: JsonObject): artifact is Proposal {
  return artifact.kind === 'patch' && artifact.applied === false;
}

/** Enough of an id to tell a person's proposals apart. */
export const SHORT_ID = 8;

export function colored(diff: string, { color }: Cli): string {
  const paint = (line: string) => {
    if (/^(diff |index |--- |\+\+\+ )/.test(line)) return color.bold(line);
    if (line.startsWith('@@')) return color.cyan(line);
    if (line.startsWith('+')) return color.green(line);
    return line.startsWith('-') ? color.red(line) : line;
  };
  return diff.split('\n').map(paint).join('\n');
}

/** As a shell takes it for one word. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
