import { hostPaths, openStore, retainSessions } from '@amplifier/host';
import type { Options } from '../bind.js';
import type { Cli } from '../cli.js';
import { whole } from '../session-options.js';

/** What the trash still holds after so long is removed for good. */
const TRASH_DAYS = 30;

export async function sessionCleanup(cli: Cli, options: Options): Promise<number> {
  await using store = await openStore(hostPaths(cli.cwd).sessions, cli.report);
  const report = await retainSessions(store, {
    older_than_days: whole('--days', options.days, 0),
    keep_last: whole('--keep', options.keep, 0),
    dry_run: Boolean(options.dryRun),
  });
  const emptied = options.dryRun ? [] : await store.emptyTrash(TRASH_DAYS);
  if (cli.json) {
    cli.printJson({ ...report, removed_for_good: emptied });
    return 0;
  }
  for (const session_id of report.session_ids) cli.print(session_id);
  const verb = report.dry_run ? 'would be moved to the trash' : 'moved to the trash';
  cli.say(
    `${report.session_ids.length} sessions ${verb}, ${Math.round(report.bytes / 1024)} KB; ${emptied.length} removed for good.`,
  );
  return 0;
}
