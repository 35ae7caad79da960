import {
  actingLines,
  hostPaths,
  readTrusted,
  reviewFolder,
  type TrustChange,
  trustFolder,
  untrustFolder,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { fromFolder } from '../../options/session-options.js';
import { askToTrust } from '../../terminal/ask-to-trust.js';
import { UsageError } from '../../usage-error.js';

/** Lets agents change a folder's files and lets its own files act, as they are now. Shows first what they would do. */
export async function trust(cli: Cli, path: string | undefined, yes: boolean): Promise<number> {
  const paths = hostPaths(folderOf(cli, path));
  const seen = await reviewFolder(paths, cli.report);
  const asks = cli.interactive && !yes && seen.parts.length > 0 && seen.state !== 'trusted';
  if (asks && !(await askToTrust(seen))) {
    cli.say(`Not trusted: ${seen.folder}`);
    return 1;
  }
  const change = await trustFolder(paths, seen);
  if (!cli.json && !asks && seen.parts.length > 0)
    cli.say([`${seen.folder} may now do this:`, ...actingLines(seen.parts)].join('\n'));
  return told(cli, change, ['Trusted', 'Trusted already'], { acts: seen.parts });
}

export async function untrust(cli: Cli, path: string | undefined): Promise<number> {
  const change = await untrustFolder(hostPaths(folderOf(cli, path)));
  return told(cli, change, ['No longer trusted', 'Was not trusted']);
}

/** The folders on the list, and how the present one stands. */
export async function trustList(cli: Cli): Promise<number> {
  const paths = hostPaths(cli.cwd);
  const file = paths.settings.user;
  const folders = await readTrusted(file);
  const { state, parts, folder } = await reviewFolder(paths, cli.report);
  const trusted = state === 'trusted';
  if (cli.json) {
    cli.printJson({ file, trusted_workspaces: folders, folder: paths.cwd, trusted, state, acts: parts });
    return 0;
  }
  for (const each of folders) cli.print(each);
  const said = {
    trusted: 'trusted',
    changed: 'trusted, except for what is new in it',
    untrusted: 'not trusted',
  };
  const help = trusted ? '' : ". Run 'amplifier trust' to change that";
  cli.say(`${folder} is ${said[state]}${help}.`);
  if (parts.length > 0)
    cli.say([trusted ? 'It may do this:' : 'It would do this:', ...actingLines(parts)].join('\n'));
  return 0;
}

function told(
  cli: Cli,
  change: TrustChange,
  [done, already]: [string, string],
  more: Record<string, unknown> = {},
): number {
  const file = hostPaths(cli.cwd).settings.user;
  if (cli.json) cli.printJson({ ...change, ...more, file });
  else {
    cli.say(`${change.changed ? done : already}: ${change.folder} (${file})`);
    if (change.warning !== null) cli.say(`warning: ${change.warning}`);
  }
  return 0;
}

/** A shell variable that was not set must not come to mean the present folder. */
function folderOf(cli: Cli, path: string | undefined): string {
  if (path?.trim() === '')
    throw new UsageError('The folder argument is empty. Omit it for the current folder.');
  return fromFolder(cli.cwd, path ?? '.');
}
