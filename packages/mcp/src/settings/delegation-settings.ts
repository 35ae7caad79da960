import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { isPlainObject, type JsonObject, type Project, SafetyMode } from '@amplifier/host';
import { z } from 'zod';
import { McpToolError } from '../mcp-error.js';

export const Effort = z.enum(['low', 'medium', 'high', 'xhigh', 'max']);
export type Effort = z.infer<typeof Effort>;

/** What the settings say of one agent, by its id. Members for other entry points are kept. */
const AgentSettings = z.looseObject({
  enabled: z.boolean().optional(),
  effort: Effort.optional(),
  /** Seconds. */
  timeout_s: z.number().positive().optional(),
  default_model: z.string().min(1).optional(),
  /** Tried once when the model asked for is not to be had. */
  fallback_model: z.string().min(1).optional(),
});
export type AgentSettings = z.infer<typeof AgentSettings>;

/** The section `delegation:` of settings.yaml, as far as this entry point reads it. */
const DelegationSection = z.looseObject({
  default_safety_mode: SafetyMode.default('read_only'),
  default_effort: Effort.optional(),
  default_persistence: z.enum(['ephemeral', 'job']).default('ephemeral'),
  default_timeout_s: z.number().positive().optional(),
  jobs_dir: z.string().min(1).optional(),
  trusted_workspaces: z.array(z.string().min(1)).default([]),
  allow_direct_workspace_mutation: z.boolean().default(false),
  role_dirs: z.array(z.string().min(1)).default([]),
  agents: z.record(z.string(), AgentSettings).default({}),
});

export interface DelegationSettings {
  default_safety_mode: SafetyMode;
  default_effort: Effort | undefined;
  default_persistence: 'ephemeral' | 'job';
  default_timeout_s: number | undefined;
  jobs_dir: string;
  trusted_workspaces: string[];
  allow_direct_workspace_mutation: boolean;
  role_dirs: string[];
  agents: Record<string, AgentSettings>;
}

/**
 * Reads the section of all scopes together. What lets agents change files, and the place of jobs, are taken from the user's own file
 * alone: a project must not be able to declare itself trusted, nor to say where on this machine answers are written.
 */
export function readDelegationSettings({
  settings,
  paths,
}: Pick<Project, 'settings' | 'paths'>): DelegationSettings {
  const section = parse(settings.settings.delegation);
  const own = parse(settings.scopes.user?.delegation);
  return {
    default_safety_mode: section.default_safety_mode,
    default_effort: section.default_effort,
    default_persistence: section.default_persistence,
    default_timeout_s: section.default_timeout_s,
    jobs_dir: placeOf(own.jobs_dir ?? join(paths.home, 'jobs'), paths.cwd),
    trusted_workspaces: own.trusted_workspaces,
    allow_direct_workspace_mutation: own.allow_direct_workspace_mutation,
    role_dirs: section.role_dirs.map((folder) => placeOf(folder, paths.cwd)),
    agents: section.agents,
  };
}

function parse(section: unknown): z.infer<typeof DelegationSection> {
  const parsed = DelegationSection.safeParse(
    isPlainObject(section) ? withoutEmpty(section) : (section ?? {}),
  );
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = ['delegation', ...(issue?.path ?? [])].join('.');
  throw new McpToolError(
    'INVALID_INPUT',
    `The setting ${place} in settings.yaml cannot be used: ${issue?.message}.`,
  );
}

/** A name with nothing behind it, as a list leaves that lost its last entry, says nothing. */
function withoutEmpty(section: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== null));
}

function placeOf(path: string, cwd: string): string {
  const place = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
  return isAbsolute(place) ? place : resolve(cwd, place);
}
