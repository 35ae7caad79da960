import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { hostPaths, openStore } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { fromFolder } from '../session-options.js';

export async function sessionImport(cli: Cli, file: string): Promise<number> {
  const input = file === '-' ? process.stdin : createReadStream(fromFolder(cli.cwd, file));
  const opened = new Promise((resolve, reject) => {
    if (input === process.stdin) resolve(null);
    else input.once('open', resolve).once('error', reject);
  });
  await opened;
  const { sessions, cwd } = hostPaths(cli.cwd);
  await using store = await openStore(sessions, cli.report);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const session_id = await store.import(lines, { working_dir: cwd });
  if (cli.json) cli.printJson({ session_id });
  else cli.print(session_id);
  return 0;
}
