import { stat } from 'node:fs/promises';
import type { Report } from '@amplifier/core';
import { recordCount, summarize } from '../fold-metadata.js';
import type { SessionSummary } from '../records.js';
import { hasCode, SessionError } from '../session-error.js';
import { type Layout, type SessionPaths, sessionPaths } from './layout.js';
import { summarizePythonSession } from './python-session.js';
import { warn } from './store-context.js';
import { loadSession } from './stored-session.js';

/** What the index should say of a session, read from the session itself; null when there is none. */
export async function readSummary(
  root: string,
  layout: Layout,
  session_id: string,
  report: Report,
): Promise<{ summary: SessionSummary; rev: number } | null> {
  const paths = sessionPaths(root, layout, session_id);
  try {
    const { metadata } = await loadSession(session_id, paths);
    return { summary: summarize(metadata), rev: recordCount(metadata) };
  } catch (error) {
    if (hasCode(error, 'SESSION_NOT_FOUND')) return null;
    if (hasCode(error, 'SESSION_FOREIGN')) {
      const summary = await summarizePythonSession(paths.folder, session_id);
      return summary && { summary, rev: 0 };
    }
    if (!(error instanceof SessionError)) throw error;
    // One damaged session must not hide the others; it is listed, and says what is wrong when it is opened.
    warn(report, error.code, error.message, error);
    return { summary: await damagedSummary(paths, session_id), rev: 0 };
  }
}

async function damagedSummary({ folder }: SessionPaths, session_id: string): Promise<SessionSummary> {
  const { birthtime } = await stat(folder);
  const created = birthtime.toISOString();
  return {
    session_id,
    parent_id: null,
    root_id: session_id,
    agent_name: null,
    tool_call_id: null,
    profile_name: null,
    name: null,
    status: 'failed',
    interrupted: true,
    created,
    updated: created,
    ended: null,
    message_count: 0,
    turn_count: 0,
    forked_from: null,
    imported_from: null,
    foreign: false,
  };
}
