import {
  hostPaths,
  isTrusted,
  loadSettings,
  readTrusted,
  trustedWorkspaces,
  trustWorkspace,
  untrustWorkspace,
} from '@amplifier/host';
import type { Cli } from '../cli.js';
import { fromFolder } from '../session-options.js';
import { UsageError } from '../usage-error.js';

/** Puts a folder on the list of those that agents may change, in the user's own settings. */
export async function trust(cli: Cli, path: string | undefined): Promise<number> {
  return change(cli, trustWorkspace, folderOf(cli, path), ['Trusted', 'Trusted already']);
}

export async function untrust(cli: Cli, path: string | undefined): Promise<number> {
  return change(cli, untrustWorkspace, folderOf(cli, path), ['Not trusted any more', 'Was not trusted']);
}

/** The folders on the list, and whether the present one counts among them. */
export async function trustList(cli: Cli): Promise<number> {
  const { settings: files, cwd } = hostPaths(cli.cwd);
  const folders = await readTrusted(files.user);
  const here = await isTrusted(cwd, trustedWorkspaces(await loadSettings(files)));
  if (cli.json) cli.printJson({ file: files.user, trusted_workspaces: folders, folder: cwd, trusted: here });
  else for (const folder of folders) cli.print(folder);
  if (!cli.json)
    cli.say(`${cwd} is ${here ? 'trusted' : "not trusted. Run 'amplifier trust' to change that"}.`);
  return 0;
}

async function change(
  cli: Cli,
  edit: typeof trustWorkspace,
  folder: string,
  [done, already]: [string, string],
): Promise<number> {
  const file = hostPaths(cli.cwd).settings.user;
  const result = await edit(file, folder);
  if (cli.json) cli.printJson({ ...result, file });
  else {
    cli.say(`${result.changed ? done : already}: ${result.folder} (${file})`);
    if (result.warning !== null) cli.say(`warning: ${result.warning}`);
  }
  return 0;
}

/** A shell variable that was not set must not come to mean the present folder. */
function folderOf(cli: Cli, path: string | undefined): string {
  if (path?.trim() === '') throw new UsageError('The folder is empty. Leave it out to mean the present one.');
  return fromFolder(cli.cwd, path ?? '.');
}
