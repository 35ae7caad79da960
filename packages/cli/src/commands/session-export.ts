import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportLines, findSession, hostPaths, openStore, shownJson } from '@amplifier/host';
import type { Options } from '../bind.js';
import type { Cli } from '../cli.js';
import { fromFolder, text } from '../session-options.js';

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
