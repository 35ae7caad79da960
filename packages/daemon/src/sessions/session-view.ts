import { isPlainObject, type JsonObject } from '@amplifier/core';
import type { SessionMetadata, SessionOutline } from '@amplifier/sessions';
import { allowedFrom } from './lifecycle.js';
import { entryOf, type SessionView, versionOf } from './session-schema.js';

/** What the daemon keeps of its own in a session's `extra`, beside the app's metadata. */
export interface DaemonRecord extends JsonObject {
  /** How it was created: only an untouched `plan` can be deleted as a plan. */
  origin: 'plan' | 'session' | 'sub-session' | 'fork';
  lock_hash: string | null;
  mount_point_count: number;
  module_types: Record<string, number>;
  max_depth: number | null;
}

export function daemonRecord({ extra }: Pick<SessionMetadata, 'extra'>): DaemonRecord | null {
  return isPlainObject(extra.daemon) ? (extra.daemon as DaemonRecord) : null;
}

export function sessionView(metadata: SessionOutline): SessionView {
  const { created, ended, usage, error, extra } = metadata;
  // A spread before so many members costs thirty times as much as the rest.
  return Object.assign(entryOf(metadata), {
    started_at: metadata.started,
    duration_ms: ended === null ? null : Date.parse(ended) - Date.parse(created),
    agent_invocations: metadata.agent_invocations,
    token_usage: usage.total_tokens > 0 ? usage.total_tokens : metadata.token_count,
    usage: { ...usage },
    error_message: error?.message ?? null,
    error_details: error?.details ?? null,
    depth: metadata.depth,
    model: metadata.model,
    working_dir: metadata.working_dir,
    metadata: isPlainObject(extra.metadata) ? extra.metadata : {},
    forked_from: metadata.forked_from,
    allowed_transitions: allowedFrom(metadata.status),
    version: versionOf(metadata),
  });
}
