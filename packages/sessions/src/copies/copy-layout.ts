import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@amplifier/core';
import { checkSessionId } from '../session-ids.js';

/** Where the readable copies of sessions go, and what they are called there. */
export interface CopyLayout {
  /** The folder that holds one folder for each session of a project. */
  folderOf(project: string | null): string;
  /** Every project that has such a folder. */
  projects(): Promise<(string | null)[]>;
  metadata: 'metadata.json' | 'session.json';
  /** A list of all sessions, where one is wanted. */
  index: string | null;
  /** What `mount_plan.json` says of a session, where that is more than its document; null for one that has no plan. */
  planOf?(session_id: string): Promise<JsonObject | null>;
  /** How long closing the record may go on writing. What is left is written by the next process that opens it. Default: `COPY_CLOSE_MS`. */
  closeMs?: number;
  /** Nothing is written there; what was written before can still bring sessions back. */
  isOff?: boolean;
}

/** `projects/<slug>/sessions/<id>/`; sessions of no project are under `-`. */
export function projectCopies(projects: string): CopyLayout {
  return {
    folderOf: (project) => join(projects, project ?? '-', 'sessions'),
    projects: () => readdir(projects).catch(() => []),
    metadata: 'metadata.json',
    index: null,
  };
}

/** `<folder>/<id>/`, and `<folder>/index.json`. */
export function flatCopies(folder: string): CopyLayout {
  const index = join(folder, 'index.json');
  return { folderOf: () => folder, projects: async () => [null], metadata: 'session.json', index };
}

/** Lies in every folder of copies, so that nobody takes one for a session of another program. */
export const COPY_MARK = '.copy';

/** Copies of a session whose own folder belongs to another program, or to an earlier version of us, are beside that. */
export const CONTINUED = '.continued';

/** What a folder of copies is called while it is removed: whoever dies meanwhile leaves nothing that looks like a session. */
export const REMOVED = '.removed';

/** Removes a folder of copies, all of it at once for whoever looks for sessions. */
export async function removeFolder(folder: string): Promise<void> {
  const going = folder + REMOVED;
  await rm(going, { recursive: true, force: true });
  await rename(folder, going).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rm(going, { recursive: true, force: true });
}

export function copyFolder(layout: CopyLayout, project: string | null, session_id: string): string {
  const folder = join(layout.folderOf(project), checkSessionId(session_id));
  return existsSync(folder) && !existsSync(join(folder, COPY_MARK)) ? `${folder}${CONTINUED}` : folder;
}
