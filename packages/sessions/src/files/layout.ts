import { join, sep } from 'node:path';
import type { DocumentName } from '../records.js';
import { checkSessionId } from '../session-ids.js';

/** The CLI and the daemon keep the same files; only the name of the metadata differs. */
export type Layout = 'cli' | 'daemon';

export const DOCUMENT_FILES: Record<DocumentName, string> = {
  launch: 'launch.json',
  mount_plan: 'mount_plan.json',
  bundle: 'bundle.md',
};

/** The metadata of either layout: a cache, and flushed by nobody. */
export const METADATA_FILES: readonly string[] = ['metadata.json', 'session.json'];

export interface SessionPaths {
  folder: string;
  metadata: string;
  transcript: string;
  events: string;
  mailbox: string;
}

/** Where the files of a session are. The id is checked here, so no path is ever made from an unchecked one. */
export function sessionPaths(root: string, layout: Layout, session_id: string): SessionPaths {
  return pathsIn(join(root, checkSessionId(session_id)), layout);
}

/** The folder's path must be in its shortest form. */
export function pathsIn(folder: string, layout: Layout): SessionPaths {
  return {
    folder,
    metadata: `${folder}${sep}${layout === 'cli' ? 'metadata.json' : 'session.json'}`,
    transcript: `${folder}${sep}transcript.jsonl`,
    events: `${folder}${sep}events.jsonl`,
    mailbox: `${folder}${sep}mailbox.jsonl`,
  };
}
