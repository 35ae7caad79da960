import type { MountKind } from './plan-schema.js';

/**
 * `collection/profile.kind.name`. The name is percent-encoded except for letters, digits, `_`, `-` and the slashes of
 * context paths, so two names never give one id. Ids are opaque to clients.
 */
export function moduleId(profile_id: string, kind: MountKind, name: string): string {
  return `${profile_id}.${kind}.${encodeName(name)}`;
}

export interface ModuleIdParts {
  profile_id: string;
  kind: string;
  name: string;
}

export function parseModuleId(id: string): ModuleIdParts | null {
  const match = /^([^/]+\/.+?)\.([a-z-]+)\.([A-Za-z0-9_%/-]+)$/.exec(id);
  if (!match) return null;
  const [, profile_id = '', kind = '', name = ''] = match;
  try {
    return { profile_id, kind: PLURALS[kind] ?? kind, name: decodeURIComponent(name) };
  } catch {
    return null;
  }
}

/** The same id whichever way the kind was written: some clients say `agents` for `agent`. */
export function canonicalId(id: string): string {
  const parts = parseModuleId(id);
  return parts ? moduleId(parts.profile_id, parts.kind as MountKind, parts.name) : id;
}

const PLURALS: Record<string, string> = {
  agents: 'agent',
  contexts: 'context',
  providers: 'provider',
  tools: 'tool',
  hooks: 'hook',
  orchestrators: 'orchestrator',
};

function encodeName(name: string): string {
  return name.replace(/[^A-Za-z0-9_/-]/gu, (char) =>
    [...Buffer.from(char)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
