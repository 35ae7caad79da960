import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  AmplifierError,
  exportLines,
  findSession,
  hasCode,
  hostPaths,
  importHome,
  openStore,
  readExport,
  shownJson,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { fromFolder, text } from '../../options/session-options.js';
import type { Options } from '../../program/bind.js';
import { counted } from '../../terminal/fit.js';
import { UsageError } from '../../usage-error.js';

/** The whole session as text. It goes out line by line, whatever its length. */
export async function sessionExport(cli: Cli, id: string, options: Options): Promise<number> {
  const { session_id, place } = await findSession(id, hostPaths(cli.cwd));
  await using store = await openStore(place.sessions, cli.report);
  const to = text(options.to);
  const lines = Readable.from(exportLines(await store.export(session_id)));
  if (to === undefined) await pipeline(lines.map(shownJson), process.stdout, { end: false });
  else {
    await pipeline(lines, createWriteStream(fromFolder(cli.cwd, to), { flags: 'wx', mode: 0o600 }));
    cli.say(`Exported ${session_id} to ${to}`);
  }
  return 0;
}

export async function sessionImport(cli: Cli, file: string): Promise<number> {
  const place = fromFolder(cli.cwd, file);
  if (file !== '-' && statSync(place, { throwIfNoEntry: false })?.isDirectory()) {
    if (!existsSync(join(place, 'state')))
      throw new UsageError(
        `${place} is no home of an amplifierd: it has no folder 'state'. Name that home, or an exported file.`,
      );
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
  const session_id = await store
    .import(await readExport(lines), { working_dir: cwd })
    .catch((error: unknown) => {
      throw inWordsOfImport(error);
    });
  if (cli.json) cli.printJson({ session_id });
  else cli.print(session_id);
  return 0;
}

/** An exported session keeps its id, so it cannot be here twice. */
function inWordsOfImport(error: unknown): unknown {
  if (!hasCode(error, 'SESSION_EXISTS')) return error;
  const { origin = 'This session' } = error as AmplifierError;
  const message = `${origin} is here already, perhaps in the trash; nothing was imported. Look with 'amplifier session show' or 'amplifier session list --deleted'.`;
  return new AmplifierError(message, { code: 'SESSION_EXISTS', origin, cause: error });
}
