import { z } from 'zod';

const ProviderPreference = z.looseObject({ provider: z.string(), model: z.string() });

/** The head of a SKILL.md. Members of other tools are kept out of the way, not refused. */
const SkillHead = z.object({
  name: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'use small letters, digits and single hyphens')
    .max(64),
  description: z.string().min(1).max(1024),
  /** With either of these the skill runs as a child, on its own model. */
  provider_preferences: z.array(ProviderPreference).min(1).optional(),
  model_role: z.string().optional(),
  /** `fork` runs the skill as a child without asking for another model. */
  context: z.enum(['inline', 'fork']).optional(),
});

export interface Skill extends z.output<typeof SkillHead> {
  instructions: string;
}

/** Reads a SKILL.md. Throws an error that says what is wrong with it. */
export async function parseSkill(text: string): Promise<Skill> {
  const parts = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text);
  if (!parts) throw new Error('it does not begin with a head between two lines of ---');
  const { parse } = await import('yaml');
  const head = SkillHead.safeParse(parse(parts[1] ?? ''));
  if (!head.success) throw new Error(`its head cannot be used: ${z.prettifyError(head.error)}`);
  return { ...head.data, instructions: (parts[2] ?? '').trim() };
}

/** A skill that asks for a model of its own, or for a conversation of its own, is not for the one that loads it. */
export function runsAsChild({ provider_preferences, model_role, context }: Skill): boolean {
  return provider_preferences !== undefined || model_role !== undefined || context === 'fork';
}
