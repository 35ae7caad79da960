import { z } from 'zod';
import { wanted } from '../documents/describe-issue.js';
import { ProviderPreferences } from '../preferences/provider-preference.js';

/** Who an agent is. Members beside these are the author's own and are kept. */
export const AgentMeta = z.looseObject(
  {
    name: z.string({ error: wanted('text', 'name: my-agent') }).optional(),
    description: z
      .string({ error: wanted('text', 'description: what to delegate to this agent') })
      .nullish()
      .transform((text) => text ?? undefined)
      .optional(),
  },
  { error: wanted('a mapping', 'meta: { name: my-agent, description: … }') },
);
export type AgentMeta = z.infer<typeof AgentMeta>;

export const SystemConfig = z.looseObject(
  { instruction: z.string({ error: wanted('text', 'instruction: You are …') }).optional() },
  { error: wanted('a mapping', 'system: { instruction: You are … }') },
);
export type SystemConfig = z.infer<typeof SystemConfig>;

/** Which of its parent's agents an agent may delegate to in turn. Shapes access; it is no security boundary. */
export const AgentAccess = z.union([z.enum(['all', 'none']), z.array(z.string())], {
  error: wanted('all, none or a list of agent names', 'agents: none or agents: [explorer]'),
});
export type AgentAccess = z.infer<typeof AgentAccess>;

const moduleEntries = (example: string) =>
  z.array(
    z.union([z.string().min(1), z.looseObject({ module: z.string().min(1) })], {
      error: wanted('a module id or a mapping with one', `${example} or { module: ${example} }`),
    }),
    { error: wanted('a list', `[${example}]`) },
  );

const emptyIsAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => value ?? undefined, schema.optional());

const names = (example: string) => z.array(z.string().min(1), { error: wanted('a list of names', example) });

/** The frontmatter of an agent file. Unknown keys are kept, so that a newer file still loads. */
export const AgentFrontmatter = z.looseObject({
  meta: emptyIsAbsent(AgentMeta),
  name: z.string({ error: wanted('text', 'name: my-agent') }).optional(),
  description: emptyIsAbsent(z.string({ error: wanted('text', 'description: …') })),
  model_role: emptyIsAbsent(
    z.union([z.string().min(1), z.array(z.string().min(1)).min(1)], {
      error: wanted('a role or a list of roles', 'model_role: coding or [coding, general]'),
    }),
  ),
  provider_preferences: emptyIsAbsent(ProviderPreferences),
  /** What of the agent may reach the network, at most what its parent may. */
  network: emptyIsAbsent(
    z.union([z.boolean(), z.literal('tools')], { error: wanted('true, tools or false', 'network: false') }),
  ),
  tools: emptyIsAbsent(moduleEntries('tool-filesystem')),
  providers: emptyIsAbsent(moduleEntries('provider-anthropic')),
  hooks: emptyIsAbsent(moduleEntries('hooks-logging')),
  session: emptyIsAbsent(z.record(z.string(), z.unknown(), { error: wanted('a mapping', 'session: { … }') })),
  /** A mapping here is a roster, which means nothing in an agent file; it is let pass and not used. */
  agents: emptyIsAbsent(
    z.union([AgentAccess, z.record(z.string(), z.unknown())], {
      error: wanted('all, none or a list of agent names', 'agents: none or agents: [explorer]'),
    }),
  ),
  /** Of the parent's tools only these; a list of modules by id or short name. */
  inherit_tools: emptyIsAbsent(names('inherit_tools: [tool-search]')),
  exclude_tools: emptyIsAbsent(names('exclude_tools: [tool-bash]')),
  /** Skills whose text the agent is given from the start. */
  skills: emptyIsAbsent(names('skills: [release-notes]')),
  system: emptyIsAbsent(SystemConfig),
});
export type AgentFrontmatter = z.infer<typeof AgentFrontmatter>;

/** An agent as read from its file: who it is, what it is told, what it may use. */
export interface Agent {
  name: string;
  description: string;
  /** The system prompt: the body of the file, or `system.instruction`. */
  instruction: string | null;
  frontmatter: AgentFrontmatter;
}
