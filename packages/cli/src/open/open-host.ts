import { existsSync } from 'node:fs';
import { type FoundSession, Host, type HostOptions, type WorkerCommand } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { askToTrust } from '../terminal/ask-to-trust.js';
import { openCliProject } from './open-project.js';

/** How this program starts itself as a worker. */
const worker = (): WorkerCommand => ({ program: process.execPath, args: [process.argv[1] ?? ''] });

export interface CliHostOptions extends HostOptions {
  bundle?: string | undefined;
}

export async function openCliHost(cli: Cli, { bundle, ...options }: CliHostOptions = {}): Promise<Host> {
  const askTrust = cli.interactive ? askToTrust : undefined;
  return Host.open(await openCliProject(cli, bundle, askTrust), { worker: worker(), ...options });
}

/** A session goes on in the folder it was started in, as long as that is there. */
export function inFolderOf({ working_dir }: FoundSession, cli: Cli): Cli {
  return working_dir !== null && existsSync(working_dir) ? { ...cli, cwd: working_dir } : cli;
}
