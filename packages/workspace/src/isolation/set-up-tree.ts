import { writeFile } from 'node:fs/promises';
import { errorInfo } from '@amplifier/core';
import { SETUP_TIMEOUT_MS } from '../defaults.js';
import { type Grant, READ_ONLY_GRANT } from '../grant/grant.js';
import { pathScope } from '../grant/path-scope.js';
import { commandEnv } from '../processes/command-env.js';
import { startProcess } from '../processes/start-process.js';
import { detectSandbox } from '../sandbox/detect-sandbox.js';
import type { Isolation } from './isolation.js';

/** How much of a failed command's output goes into the warning. */
const MAX_TOLD = 1000;

/**
 * Runs the command that a person set up for new trees, once for each, before a session works in it. It may write in the tree
 * alone, read what the session may, and reach the network unless the session has none, because installing needs it. What it printed is in the tree's setup
 * log. Resolves with what went wrong, for the outcome's warnings; null when nothing did.
 */
export async function setUpTree(
  isolation: Isolation,
  command: string,
  { read, network }: Pick<Grant, 'read' | 'network'>,
  signal?: AbortSignal,
): Promise<string | null> {
  const log = isolation.setupLog;
  try {
    const write = pathScope([isolation.tree, ...isolation.gitWritable]);
    const running = await startProcess({
      command: ['/bin/sh', '-c', command],
      cwd: isolation.path,
      grant: { ...READ_ONLY_GRANT, read, write, exec: 'confined', network: network !== false },
      sandbox: await detectSandbox(),
      env: { ...commandEnv(), ...isolation.environment },
      visible: [isolation.path, ...isolation.gitVisible],
      timeoutMs: SETUP_TIMEOUT_MS,
      signal,
    });
    const end = await running.done;
    const printed = `${end.stdout.text}${end.stderr.text}`;
    await writeFile(log, `$ ${command}\n${printed}`, { mode: 0o600 });
    if (end.ended === 'exited' && end.exit_code === 0) return null;
    const how =
      end.ended === 'exited' ? `ended with ${end.signal ?? end.exit_code}` : `was ended: ${end.ended}`;
    return `The setup command of the isolated tree ${how}. All it printed is in ${log} while the tree is there; its end:\n${printed.slice(-MAX_TOLD)}`;
  } catch (error) {
    return `The setup command of the isolated tree could not run: ${errorInfo(error).message}`;
  }
}
