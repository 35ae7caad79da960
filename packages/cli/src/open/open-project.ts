import { stat } from 'node:fs/promises';
import { openProject, type Project, type ProjectOptions } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { UsageError } from '../usage-error.js';

/** The folder the command works in, with everything files say about it. */
export async function openCliProject(
  cli: Cli,
  bundle?: string,
  askTrust?: ProjectOptions['askTrust'],
): Promise<Project> {
  const folder = await stat(cli.cwd).catch(() => null);
  if (!folder?.isDirectory()) throw new UsageError(`${cli.cwd} is not a folder. Check --cwd.`);
  return openProject({ cwd: cli.cwd, report: cli.report, askTrust, bundle });
}
