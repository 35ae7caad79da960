import type { JsonObject } from '@amplifier/core';
import type { ModuleKind } from './manifest.js';

export const LOCK_FILE = 'profile.lock.json';
export const LOCK_VERSION = 1;

interface LockedFile {
  ref: string | null;
  /** The commit, version or digest of the source; null for files of the collection itself. */
  commit: string | null;
  /** Where it is in the compiled folder. */
  path: string;
  digest: string;
}

/** A module, checked out. One without `ref` ships with the runtime. */
export interface LockedModule extends LockedFile {
  kind: ModuleKind;
  name: string;
  /** 2 or more where others of its kind have the same name; the name then ends with it. */
  occurrence?: number;
  module: string;
  id: string | null;
  config: JsonObject;
}

/** Text for a model. */
export interface LockedText extends LockedFile {
  kind: 'agent' | 'context';
  name: string;
  /** 2 or more where others of its kind have the same name; the name then ends with it. */
  occurrence?: number;
  bytes: number;
  /** What an agent's frontmatter says. */
  metadata: JsonObject;
}

export type LockedResource = LockedModule | LockedText;

/** All that a plan is made from. Written once beside the files it names, and never changed. */
export interface ProfileLock {
  format_version: typeof LOCK_VERSION;
  profile_id: string;
  profile_version: string;
  description: string;
  manifest_sha256: string;
  /** The digest of everything here but the time: the name of the compiled folder. */
  lock_hash: string;
  generated_at: string;
  collection: { id: string; source: string; commit: string | null };
  session: JsonObject;
  task: JsonObject;
  ui: JsonObject;
  extra: JsonObject;
  instruction: string;
  resources: LockedResource[];
  warnings: string[];
}

export function isText(resource: LockedResource): resource is LockedText {
  return resource.kind === 'agent' || resource.kind === 'context';
}
