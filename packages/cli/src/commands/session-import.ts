import { createReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { hostPaths, importHome, openStore, readExport } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { fromFolder } from '../session-options.js';
import { counted } from '../terminal/fit.js';

export async function sessionImport(cli: Cli, file: string): Promise<number> {
  const place = fromFolder(cli.cwd, file);
  if (file !== '-' && statSync(place, { throwIfNoEntry: false })?.isDirectory()) {
    const imported = await importHome(place, hostPaths(cli.cwd), cli.report);
    if (cli.json) cli.printJson({ imported });
    else cli.print(`Imported ${counted(imported, 'session')} of ${place}`);
    return 0;
  }
  const input = file === '-' ? process.stdin : createReadStream(place);
  const opened = new Promise((resolve, reject) => {
    if (input === process.stdin) resolve(null);
    else input.once('open', resolve).once('error', reject);
  });
  await opened;
  const { sessions, cwd } = hostPaths(cli.cwd);
  await using store = await openStore(sessions, cli.report);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const session_id = await store.import(await readExport(lines), { working_dir: cwd });
  if (cli.json) cli.printJson({ session_id });
  else cli.print(session_id);
  return 0;
}
