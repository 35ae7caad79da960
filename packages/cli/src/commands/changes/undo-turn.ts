import { relative } from 'node:path';
import { type HostPaths, planUndo, undoChanges } from '@amplifier/host';
import type { Cli } from '../../cli.js';

const NOTHING = 'The last turn changed no files in this folder. Files that git ignores do not count.';

const NOT_KEPT =
  'Files that git ignores, and files outside this folder that commands changed, stay as they are.';

/** What undoing the last turn would do, or did, in words for a person. Throws where a file stands in the way. */
export async function undoLines(
  paths: HostPaths,
  session_id: string,
  { cwd, color }: Pick<Cli, 'cwd' | 'color'>,
  doIt: boolean,
): Promise<string[]> {
  const plan = await planUndo(paths, session_id);
  if (plan.length === 0) return [NOTHING];
  const shown = plan.map(({ path, does, hindered }) => {
    const name = relative(cwd, path);
    const line = `  ${does} ${name.startsWith('..') ? path : name}`;
    return hindered === null ? line : color.red(`${line}: it ${hindered}`);
  });
  if (plan.some(({ hindered }) => hindered !== null))
    return ['Nothing was undone, because of these files:', ...shown];
  if (!doIt) return ['This would undo the last turn:', ...shown];
  await undoChanges(paths, session_id);
  return ['Undone:', ...shown, color.dim(NOT_KEPT)];
}
