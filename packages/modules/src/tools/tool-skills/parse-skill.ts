import { boundsFault, looseMembers, outOfBounds, shorten } from '@amplifier/core';
import { z } from 'zod';
import { SKILL_PURPOSE_CHARACTERS } from '../defaults.js';

const ProviderPreference = z.looseObject({ provider: z.string(), model: z.string() });

/** The head of a SKILL.md. Members of other tools are kept out of the way, not refused. */
const SkillHead = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  /** With either of these the skill runs as a child, on its own model. */
  provider_preferences: z.array(ProviderPreference).min(1).optional(),
  model_role: z.string().optional(),
  /** `fork` runs the skill as a child without asking for another model. */
  context: z.enum(['inline', 'fork']).optional(),
});

export interface Skill extends z.output<typeof SkillHead> {
  name: string;
  description: string;
  instructions: string;
}

/** Small letters, digits and single hyphens. */
const NAME = /^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * Reads a SKILL.md. It goes by the name in its head, or by its folder's where that is none to ask for; without a description its
 * first paragraph serves. Throws an error that says what is wrong with it.
 */
export async function parseSkill(text: string, folder: string): Promise<Skill> {
  const parts = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text);
  if (!parts) throw new Error('it does not begin with a head between two lines of ---');
  const head = SkillHead.safeParse(await readHead(parts[1] ?? ''));
  if (!head.success) throw new Error(`its head cannot be used: ${z.prettifyError(head.error)}`);
  const instructions = (parts[2] ?? '').trim();
  const name = [head.data.name, folder].find((said) => said !== undefined && NAME.test(said));
  if (name === undefined)
    throw new Error('neither its head nor its folder gives it a name of small letters, digits and hyphens');
  const said = head.data.description?.trim() || firstParagraph(instructions);
  if (said === '') throw new Error('it says nowhere what it is for');
  const description = shorten(said, SKILL_PURPOSE_CHARACTERS);
  return { ...head.data, name, description, instructions };
}

async function readHead(head: string): Promise<unknown> {
  const { FAILSAFE_SCHEMA, load } = await import('js-yaml');
  const read = (text: string) => {
    const data = load(text, { schema: FAILSAFE_SCHEMA, json: true });
    const fault = boundsFault(data);
    if (fault !== null) throw outOfBounds('The head', fault);
    return data;
  };
  try {
    return read(head);
  } catch (error) {
    const members = looseMembers(head, (member) => Object.values(read(member) as object)[0]);
    if (members.length === 0) throw error;
    return Object.fromEntries(members.map(({ name, value }) => [name, value]));
  }
}

function firstParagraph(text: string): string {
  const paragraphs = text.split(/\n\s*\n/).map((part) => part.trim());
  return paragraphs.find((part) => part !== '' && !part.startsWith('#'))?.replace(/\s+/g, ' ') ?? '';
}

/** A skill that asks for a model of its own, or for a conversation of its own, is not for the one that loads it. */
export function runsAsChild({ provider_preferences, model_role, context }: Skill): boolean {
  return provider_preferences !== undefined || model_role !== undefined || context === 'fork';
}
