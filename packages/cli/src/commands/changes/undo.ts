import { findSession, hostPaths, planUndo } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { newestSession } from '../../open/newest-session.js';
import type { Options } from '../../program/bind.js';
import { askYesNo } from '../../terminal/ask-yes-no.js';
import { undoLines } from './undo-turn.js';

/** Takes back what the last turn of a session changed in files. Shows it first, and asks where somebody is there. */
export async function undo(cli: Cli, id: string | undefined, { yes, dryRun }: Options): Promise<number> {
  const paths = hostPaths(cli.cwd);
  const { session_id } = id === undefined ? await newestSession(cli) : await findSession(id, paths);
  const plan = await planUndo(paths, session_id);
  const possible = plan.length > 0 && plan.every(({ hindered }) => hindered === null);
  if (cli.json && (dryRun || !yes || !possible)) {
    cli.printJson({ session_id, undone: false, files: plan });
    return possible ? 0 : 1;
  }
  const say = (lines: readonly string[]) => cli.say(lines.join('\n'));
  if (!possible || dryRun || !yes) say(await undoLines(paths, session_id, cli, false));
  if (!possible) return 1;
  if (dryRun) return 0;
  if (!yes && !cli.interactive) {
    cli.say('Nothing was undone. Confirm with --yes.');
    return 1;
  }
  if (!yes && !(await askYesNo('Undo this? [y/N] '))) {
    cli.say('Nothing was undone.');
    return 1;
  }
  const done = await undoLines(paths, session_id, cli, true);
  if (cli.json) cli.printJson({ session_id, undone: true, files: plan });
  else say(done);
  return 0;
}
