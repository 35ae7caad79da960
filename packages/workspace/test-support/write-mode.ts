import { realpath } from 'node:fs/promises';
import { sessionGrant } from '../src/grant/safety-mode.js';
import { startProcess } from '../src/processes/start-process.js';
import { Bubblewrap } from '../src/sandbox/bubblewrap.js';
import { detectSandbox } from '../src/sandbox/detect-sandbox.js';

export const sandbox = await detectSandbox();
/** Without bubblewrap there is nothing to test. */
export const works = sandbox instanceof Bubblewrap;

/** Starts a line of bash in the mode `write`. */
export async function start(
  folder: string,
  line: string,
  { home, staysOn }: { home?: string; staysOn?: true } = {},
) {
  const cwd = await realpath(folder);
  const grant = await sessionGrant('write', { cwd, trusted: true, homes: [], ...(home ? { home } : {}) });
  return startProcess({
    command: ['bash', '-c', line],
    cwd,
    grant,
    sandbox,
    ...(staysOn ? { staysOn } : {}),
  });
}

/** Runs a line of bash in the mode `write`. */
export async function run(folder: string, line: string, home?: string) {
  const end = await (await start(folder, line, home ? { home } : {})).done;
  return { out: end.stdout.text.trim(), err: end.stderr.text.trim(), held_back: end.held_back };
}
