import { actingLines, type FolderTrust } from '@amplifier/host';
import { askYesNo } from './ask-yes-no.js';
import { writeError } from './screen.js';

/** Shows what would act in a folder and asks whether it may. Anything but a clear yes is a no. */
export async function askToTrust({ folder, state, parts, added }: FolderTrust): Promise<boolean> {
  const shown = state === 'changed' && added.length > 0 ? added : parts;
  const what =
    state === 'changed'
      ? `The configuration of ${folder} has changed since you trusted it. New or changed:`
      : `${folder} contains files that would do this, with your permissions and outside the sandbox:`;
  writeError(`\n${[what, ...actingLines(shown)].join('\n')}\n`);
  writeError(
    'Answer yes only if you know who wrote them. Otherwise they are read as text and have no effect.\n',
  );
  return askYesNo('Trust this folder? [y/N] ');
}
