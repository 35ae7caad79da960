import { type Command, Option } from 'commander';
import type { Bind } from './bind.js';
import { addAttachOption, addSessionOptions } from './run-commands.js';

export function addSessionCommands(program: Command, bind: Bind): void {
  const continued = program
    .command('continue')
    .argument('[id]', 'a session; default: the newest of this folder that was interrupted')
    .description('continue an interrupted session and everything below it')
    .option('--offline', 'run on fixed rules instead of a model: no key, no network')
    .addOption(
      new Option(
        '--output <form>',
        'text, json (one result) or jsonl (every event, then the result)',
      ).choices(['text', 'json', 'jsonl']),
    );
  bind(continued, async (cli, [id], options) =>
    (await import('../commands/sessions/continue.js')).continueSession(cli, id, options),
  );
  const session = program.command('session').description('manage past sessions');
  const list = session
    .command('list')
    .alias('ls')
    .description('list sessions, newest first')
    .option('-n, --limit <n>', 'show at most this many', '20')
    .option('--page <cursor>', 'show the next page, by the cursor of the last')
    .option('--all-projects', 'include every folder, not only this one')
    .option('--children', 'include child sessions')
    .option('--agent <name>', 'only sessions of this agent')
    .option('--deleted', 'show the trash instead');
  bind(list, async (cli, _, options) =>
    (await import('../commands/sessions/session-list.js')).sessionList(cli, options),
  );
  const show = session
    .command('show')
    .argument('<id>')
    .description('show a session and its last messages')
    .option('-n, --messages <n>', 'show at most this many messages', '10');
  bind(show, async (cli, [id], options) =>
    (await import('../commands/sessions/session-show.js')).sessionShow(cli, id ?? '', options),
  );
  const tree = session
    .command('tree')
    .argument('<id>')
    .description('show a session and everything below it, with costs');
  bind(tree, async (cli, [id]) =>
    (await import('../commands/sessions/session-tree.js')).sessionTree(cli, id ?? ''),
  );
  const resume = session
    .command('resume')
    .argument('[id]', 'a session, by the first characters of its id; default: choose from a list')
    .argument('[instruction...]', 'what to do next; - at the end adds standard input; default: talk')
    .description('resume a session');
  bind(addAttachOption(addSessionOptions(resume)), async (cli, [id, instruction], options) =>
    (await import('../commands/sessions/session-resume.js')).sessionResume(
      cli,
      id,
      [instruction ?? []].flat(),
      options,
    ),
  );
  const fork = session
    .command('fork')
    .argument('<id>')
    .description('start a new session from the conversation of another')
    .option('--turn <n>', 'keep the conversation up to the end of this turn');
  bind(fork, async (cli, [id], options) =>
    (await import('../commands/sessions/session-fork.js')).sessionFork(cli, id ?? '', options),
  );
  const exported = session
    .command('export')
    .argument('<id>')
    .description('export a session as JSON lines')
    .option('-o, --to <file>', 'write to this file instead of standard output');
  bind(exported, async (cli, [id], options) =>
    (await import('../commands/sessions/session-transfer.js')).sessionExport(cli, id ?? '', options),
  );
  const imported = session
    .command('import')
    .argument(
      '<file>',
      'an exported file, - for standard input, or the home of an amplifierd with all its sessions',
    )
    .description('import an exported session');
  bind(imported, async (cli, [file]) =>
    (await import('../commands/sessions/session-transfer.js')).sessionImport(cli, file ?? ''),
  );
  const remove = session
    .command('delete')
    .argument('<id>')
    .description('move a session to the trash')
    .option('--children', 'also delete everything below it')
    .option('--force', 'delete it even if it is active');
  bind(remove, async (cli, [id], options) =>
    (await import('../commands/sessions/session-delete.js')).sessionDelete(cli, id ?? '', options),
  );
  const restore = session.command('restore').argument('<id>').description('restore a session from the trash');
  bind(restore, async (cli, [id]) =>
    (await import('../commands/sessions/session-delete.js')).sessionRestore(cli, id ?? ''),
  );
  const cleanup = session
    .command('cleanup')
    .description('move old sessions to the trash')
    .option('--days <n>', 'only those older than this', '30')
    .option('--keep <n>', 'keep at least this many', '20')
    .option('--dry-run', 'only print which');
  bind(cleanup, async (cli, _, options) =>
    (await import('../commands/sessions/session-delete.js')).sessionCleanup(cli, options),
  );
  addRecordCommands(program, bind);
}

function addRecordCommands(program: Command, bind: Bind): void {
  const record = program
    .command('record')
    .description('verify, back up, copy, compact or rebuild the session record');
  const verify = record.command('verify').description('check the record and every session in it');
  bind(verify, async (cli) => (await import('../commands/sessions/record.js')).recordVerify(cli));
  const backup = record
    .command('backup')
    .argument('<file>', 'a new file')
    .description('copy the record while sessions run');
  bind(backup, async (cli, [file]) =>
    (await import('../commands/sessions/record.js')).recordBackup(cli, file ?? ''),
  );
  const copy = record
    .command('copy')
    .description('copy a whole record to an empty one and compare both; after an interruption, run it again')
    .requiredOption('--from <record>', 'sqlite:FILE or postgres://user:password@host/database')
    .requiredOption('--to <record>', 'same forms; must be empty, or an interrupted copy');
  bind(copy, async (cli, _, { from, to }) =>
    (await import('../commands/sessions/record.js')).recordCopy(cli, String(from), String(to)),
  );
  const compact = record.command('compact').description('free the space of deleted sessions');
  bind(compact, async (cli) => (await import('../commands/sessions/record.js')).recordCompact(cli));
  const rebuild = record
    .command('rebuild')
    .description('set a damaged record aside and restore its sessions from their readable copies');
  bind(rebuild, async (cli) => (await import('../commands/sessions/record.js')).recordRebuild(cli));
}
