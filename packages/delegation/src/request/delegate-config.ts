import { isPlainObject, type JsonObject, type MountPlan, moduleSpec } from '@amplifier/core';
import { z } from 'zod';
import { DEFAULT_LIMITS, MAX_CONTEXT_TURNS } from '../defaults.js';
import { DelegationError } from './delegation-error.js';

const toggle = z.object({ enabled: z.boolean().default(true) }).prefault({});

/** The configuration of the delegate tool, as its documentation writes it. Everything has a default. */
export const DelegateConfig = z.object({
  features: z
    .object({
      self_delegation: z
        .object({
          enabled: z.boolean().default(true),
          max_depth: z.number().int().nonnegative().default(DEFAULT_LIMITS.max_depth),
        })
        .prefault({}),
      session_resume: toggle,
      context_inheritance: z
        .object({
          enabled: z.boolean().default(true),
          max_turns: z.number().int().nonnegative().default(MAX_CONTEXT_TURNS),
        })
        .prefault({}),
      provider_selection: toggle,
      /** Children that run while the parent continues, and the tool to look after them. */
      background: toggle,
      /** A child may ask its parent and wait for the answer. */
      questions: toggle,
    })
    .prefault({}),
  settings: z
    .object({
      /** By module id or tool name. By default a child cannot delegate further unless its agent declares the tool itself. */
      exclude_tools: z.array(z.string()).default(['delegate']),
      /** Inherit only these, whatever is excluded; what an agent declares itself it has in any case. */
      inherit_tools: z.array(z.string()).optional(),
      exclude_hooks: z.array(z.string()).default([]),
      /** Seconds a delegation may take; null for no limit. */
      timeout: z.number().positive().nullable().default(DEFAULT_LIMITS.timeout),
    })
    .prefault({}),
});
export type DelegateConfig = z.infer<typeof DelegateConfig>;

export const DEFAULT_DELEGATE_CONFIG: DelegateConfig = DelegateConfig.parse({});

/** Reads the config of a tool entry, or the `modules: { tool-delegate: … }` form around it. */
export function readDelegateConfig(input: JsonObject): DelegateConfig {
  if (Object.keys(input).length === 0) return DEFAULT_DELEGATE_CONFIG;
  const nested = isPlainObject(input.modules) ? input.modules['tool-delegate'] : undefined;
  const parsed = DelegateConfig.safeParse(isPlainObject(nested) ? nested : input);
  if (parsed.success) return parsed.data;
  throw new DelegationError(
    `The configuration of tool-delegate cannot be used: ${z.prettifyError(parsed.error)}`,
    {
      code: 'INVALID_REQUEST',
    },
  );
}

/** How a plan configures delegation, for whoever delegates without the tool itself. */
export function delegateConfigOf(
  { tools = [] }: Pick<MountPlan, 'tools'>,
  module = 'tool-delegate',
): DelegateConfig {
  const entry = tools.map(moduleSpec).find((spec) => spec?.module === module);
  return readDelegateConfig(entry?.config ?? {});
}
