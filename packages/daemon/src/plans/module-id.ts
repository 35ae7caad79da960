import type { MountKind } from './plan-schema.js';

/**
 * `collection/profile.kind.name`. The name is percent-encoded except for letters, digits, `_`, `-` and the slashes of
 * context paths, so two names never give one id. What has the name of another of its kind gets `.2`, `.3` and so on after it.
 * Ids are opaque to clients.
 */
export function moduleId(profile_id: string, kind: MountKind, name: string, occurrence = 1): string {
  const id = `${profile_id}.${kind}.${encodeName(name)}`;
  return occurrence === 1 ? id : `${id}.${occurrence}`;
}

/** The part of a module's id that its kind already says is left out: `provider-anthropic` is the provider `anthropic`. */
export function shortName(module: string): string {
  return module.replace(/^(provider|tool|hooks?)-(?=.)/, '');
}

export interface ModuleIdParts {
  profile_id: string;
  kind: string;
  name: string;
  /** 1, or more where others of its kind have the same name. */
  occurrence: number;
}

export function parseModuleId(id: string): ModuleIdParts | null {
  const match = /^([^/]+\/.+?)\.([a-z-]+)\.([A-Za-z0-9_%/-]+)(?:\.([2-9]|[1-9]\d+))?$/.exec(id);
  if (!match) return null;
  const [, profile_id = '', kind = '', name = '', occurrence = '1'] = match;
  try {
    return {
      profile_id,
      kind: PLURALS[kind] ?? kind,
      name: decodeURIComponent(name),
      occurrence: Number(occurrence),
    };
  } catch {
    return null;
  }
}

/** The same id whichever way the kind was written: some clients say `agents` for `agent`. */
export function canonicalId(id: string): string {
  const parts = parseModuleId(id);
  return parts ? moduleId(parts.profile_id, parts.kind as MountKind, parts.name, parts.occurrence) : id;
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
