import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkSessionId } from '../session-ids.js';

/** Where the readable copies of sessions go, and what they are called there. */
export interface CopyLayout {
  /** The folder that holds one folder for each session of a project. */
  folderOf(project: string | null): string;
  metadata: 'metadata.json' | 'session.json';
  /** A list of all sessions, where one is wanted. */
  index: string | null;
}

/** `projects/<slug>/sessions/<id>/`; sessions of no project are under `-`. */
export function projectCopies(projects: string): CopyLayout {
  return {
    folderOf: (project) => join(projects, project ?? '-', 'sessions'),
    metadata: 'metadata.json',
    index: null,
  };
}

/** `<folder>/<id>/`, and `<folder>/index.json`. */
export function flatCopies(folder: string): CopyLayout {
  return { folderOf: () => folder, metadata: 'session.json', index: join(folder, 'index.json') };
}

/** Lies in every folder of copies, so that nobody takes one for a session of another program. */
export const COPY_MARK = '.copy';

/** Where the copies of a session go. A folder that somebody else made, or an earlier version of us, is left alone. */
export function copyFolder(layout: CopyLayout, project: string | null, session_id: string): string {
  const folder = join(layout.folderOf(project), checkSessionId(session_id));
  return existsSync(folder) && !existsSync(join(folder, COPY_MARK)) ? `${folder}.continued` : folder;
}
