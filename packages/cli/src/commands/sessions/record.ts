import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  AmplifierError,
  copyRecord,
  hasCode,
  hostPaths,
  openDatabase,
  openRecordAt,
  placeDatabase,
  projectCopies,
  rebuildRecord,
  verifyRecord,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { fromFolder } from '../../options/session-options.js';
import { counted } from '../../terminal/fit.js';
import { UsageError } from '../../usage-error.js';

/** Is the record whole, and does each session add up? */
export async function recordVerify(cli: Cli): Promise<number> {
  const { record } = hostPaths(cli.cwd);
  await placeDatabase(record);
  const report = await verifyRecord(record);
  if (cli.json) cli.printJson({ record, ...report });
  else {
    for (const problem of report.problems) cli.print(problem);
    cli.say(
      report.problems.length === 0
        ? `${record}: ${counted(report.sessions, 'session')}, nothing wrong.`
        : `${record}: ${counted(report.problems.length, 'problem')}. Restore a backup, or run 'amplifier record rebuild' to rebuild it from the readable copies.`,
    );
  }
  return report.problems.length === 0 ? 0 : 1;
}

/** A copy of the whole record while others go on writing. */
export async function recordBackup(cli: Cli, to: string): Promise<number> {
  const { record } = hostPaths(cli.cwd);
  const file = fromFolder(cli.cwd, to);
  if (existsSync(file))
    throw new UsageError(`${file} exists already. Nothing was copied; name a file that does not exist.`);
  if (!existsSync(dirname(file)))
    throw new UsageError(`There is no folder ${dirname(file)}. Create it, or name another file.`);
  await placeDatabase(record);
  await using database = await openDatabase(record);
  await database.backup(file).catch((error: unknown) => {
    if (!hasCode(error, 'SESSION_CORRUPT')) throw error;
    const message = `The record ${record} is damaged, so there is no backup of it. See what is wrong with: amplifier record verify`;
    throw new AmplifierError(message, { code: 'SESSION_CORRUPT', origin: record, cause: error });
  });
  if (cli.json) cli.printJson({ record, backup: file });
  else
    cli.say(
      `Copied ${record} to ${file}. To restore it, stop everything, delete ${record}-wal and ${record}-shm if they are there, and replace the record with it.`,
    );
  return 0;
}

/** The whole record somewhere else: from a file to a server, or back. */
export async function recordCopy(cli: Cli, from: string, to: string): Promise<number> {
  await using source = await openRecordAt(from, cli.cwd, true);
  await using target = await openRecordAt(to, cli.cwd, false);
  const onTable = (name: string) => cli.say(`copying ${name}`);
  const { rows, resumed } = await copyRecord(source, target, { onTable });
  if (cli.json) cli.printJson({ from: source.name, to: target.name, rows, resumed });
  else
    cli.say(
      `${target.name} has all of ${source.name}: ${rows.sessions} sessions, ${rows.messages} messages, ${rows.events} events; both were compared and are equal.`,
    );
  return 0;
}

/** Gives back the room of what was deleted. */
export async function recordCompact(cli: Cli): Promise<number> {
  const { record } = hostPaths(cli.cwd);
  await placeDatabase(record);
  await using database = await openDatabase(record);
  await database.compact();
  if (cli.json) cli.printJson({ record });
  else cli.say(`Freed the space of deleted sessions in ${record}.`);
  return 0;
}

/** Sets a damaged record aside and brings the sessions back from their readable copies. */
export async function recordRebuild(cli: Cli): Promise<number> {
  const { record, projects } = hostPaths(cli.cwd);
  const rebuilt = await rebuildRecord(record, projectCopies(projects), cli.report);
  if (cli.json) cli.printJson({ record, ...rebuilt });
  else
    cli.say(
      `Sessions restored from their readable copies: ${rebuilt.sessions}.${rebuilt.set_aside === null ? '' : ` The previous record was moved to ${rebuilt.set_aside}. If sessions are missing, restore a backup.`}`,
    );
  return 0;
}
