import type { ContentBlock, MountPlan } from '@amplifier/core';
import type { Grant } from '@amplifier/workspace';
import type { Parent } from './parent.js';
import { type Attachment, readAttachments } from './read-attachments.js';
import type { DelegateRequest } from './request.js';

export interface InstructionReader {
  cwd: string;
  grant: Grant;
}

/** An instruction as it is stored, and the files it mentions that are no text. */
export interface ExpandedInstruction {
  text: string;
  attachments: Attachment[];
  /** What it changes of the session's plan for its own turn alone, where a person gave it to the session. */
  forTurn?: ((plan: MountPlan) => Promise<TurnPlan>) | undefined;
}

export interface TurnPlan {
  plan: MountPlan;
  /** What could not be had of it. */
  warnings: string[];
}

/** What a turn is told, with what goes along, read with the rights of the session that gets it. */
export async function instructionOf(
  planning: { expand(text: string, reader: InstructionReader): Promise<ExpandedInstruction> },
  { instruction, attachments = [] }: Pick<DelegateRequest, 'instruction' | 'attachments'>,
  reader: InstructionReader,
  parent: Pick<Parent, 'is_model'> | null,
): Promise<{ text: string; attached: ContentBlock[]; forTurn: ExpandedInstruction['forTurn'] }> {
  // What a model wrote is never expanded: it would read files in the name of a person. What it attaches it names itself.
  const expanded: ExpandedInstruction = parent?.is_model
    ? { text: instruction, attachments: [] }
    : await planning.expand(instruction, reader);
  const attached = await readAttachments([...expanded.attachments, ...attachments], reader);
  return { text: expanded.text, attached, forTurn: expanded.forTurn };
}
