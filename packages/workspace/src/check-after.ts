import { join, relative } from 'node:path';
import { errorInfo } from '@amplifier/core';
import { decodeName } from './byte-path.js';
import { type Looked, leftNotes, noteLooked } from './command-notes.js';
import { type EmptyPlace, emptyPlaces, holdBack } from './hold-back.js';
import { nestedRepositories } from './nested-repositories.js';
import type { PathScope } from './path-scope.js';
import { OF_GIT } from './protected-paths.js';

/** Looked at before and after every command, so it is not much: an editor that looks for repositories goes no deeper. */
const NEAR = { depth: 2, folders: 1000 };

/**
 * Looks at what is not there yet and must not come to be, and gives the function that looks again when the command has ended. What
 * came to be while a server ran may be anybody's; only what nobody makes by hand is taken for the server's. It is noted meanwhile
 * for `checkLeft`.
 */
export async function checkAfter(
  { allow, deny }: PathScope,
  absent: readonly string[],
  staysOn: boolean,
): Promise<() => Promise<string[]>> {
  const places = await emptyPlaces(allow, staysOn ? absent.filter(isMadeByNobody) : absent);
  const looked = await Promise.all(
    allow.map(async (root): Promise<Looked> => {
      const isWatched = !staysOn && deny.includes(join(root, '.git/config'));
      const repositories = isWatched ? await nestedRepositories(root, NEAR) : null;
      return { root, places: places.filter((place) => place.root === root), repositories };
    }),
  );
  const worthIt = looked.filter((one) => one.places.length > 0 || one.repositories !== null);
  // Where there is no home to write to, a command runs all the same: the note only helps after a sudden death.
  const forget = await noteLooked(worthIt).catch(() => async () => {});
  return async () => {
    try {
      return await holdBack((await Promise.all(worthIt.map(placesNow))).flat());
    } catch (error) {
      return [
        `It could not be checked whether this left something that acts later: ${errorInfo(error).message}`,
      ];
    } finally {
      await forget().catch(() => {});
    }
  };
}

/**
 * Does for commands whose process was killed what is done when one ends: what they put into these folders where it would act later
 * gets another name. Says what it did, one sentence each. Folders must be real.
 */
export async function checkLeft(roots: readonly string[]): Promise<string[]> {
  const said: string[] = [];
  for (const root of roots) {
    for (const { looked, remove } of await leftNotes(root).catch(() => [])) {
      said.push(...(await holdBack(await placesNow(looked))));
      await remove();
    }
  }
  return said.map((line) => `The process that ran a command in this folder was killed. ${line}`);
}

async function placesNow({ root, places, repositories }: Looked): Promise<EmptyPlace[]> {
  if (repositories === null) return places;
  const made = (await nestedRepositories(root, NEAR)).filter((folder) => !repositories.includes(folder));
  return [...places, ...made.flatMap((folder) => placesOf(root, folder))];
}

const isMadeByNobody = (path: string) => path.endsWith('/.git/commondir');

function placesOf(root: string, folder: string): EmptyPlace[] {
  const git = decodeName(relative(root, join(folder, '.git')));
  return OF_GIT.map((name) => ({ root, path: `${git}/${name}`, missing: git }));
}
