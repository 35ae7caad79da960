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

export function copyFolder(layout: CopyLayout, project: string | null, session_id: string): string {
  return join(layout.folderOf(project), checkSessionId(session_id));
}
