import type { ContentBlock, Message, MountPlan } from '@amplifier/core';
import type { NewMessage } from '@amplifier/sessions';
import type { Grant } from '@amplifier/workspace';
import type { Parent } from '../turn/parent.js';
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
  /** What of it is not available. */
  warnings: string[];
}

/** A `Project` can. */
interface Expanding {
  expandInstruction(text: string, reader: InstructionReader): Promise<ExpandedInstruction>;
}

/** What a turn is told, with what goes along, read with the rights of the session that gets it. */
export async function instructionOf(
  project: Expanding,
  { instruction, attachments = [] }: Pick<DelegateRequest, 'instruction' | 'attachments'>,
  reader: InstructionReader,
  parent: Pick<Parent, 'is_model'> | null,
): Promise<{ text: string; attached: ContentBlock[]; forTurn: ExpandedInstruction['forTurn'] }> {
  // What a model wrote is never expanded: it would read files in the name of a person. What it attaches it names itself.
  const expanded: ExpandedInstruction = parent?.is_model
    ? { text: instruction, attachments: [] }
    : await project.expandInstruction(instruction, reader);
  const files = [...expanded.attachments, ...attachments];
  const attached = files.length > 0 ? await readAttachments(files, reader) : [];
  return { text: expanded.text, attached, forTurn: expanded.forTurn };
}

/** The plan of a session as the instruction of one turn changes it. A model that the caller chose stays. */
export async function planForTurn(
  plan: MountPlan,
  { forTurn, isModelChosen }: Pick<ExpandedInstruction, 'forTurn'> & { isModelChosen: boolean },
): Promise<TurnPlan> {
  const changed = (await forTurn?.(plan)) ?? { plan, warnings: [] };
  if (!isModelChosen || !plan.providers) return changed;
  return { plan: { ...changed.plan, providers: plan.providers }, warnings: [] };
}

/** What a session is told at the beginning of a turn, with what goes along. */
export function instructionMessage(text: string, attached: readonly ContentBlock[]): NewMessage {
  return { role: 'user', content: instructionContent(text, attached), metadata: { kind: 'instruction' } };
}

export function instructionContent(text: string, attached: readonly ContentBlock[]): Message['content'] {
  return attached.length === 0 ? text : [{ type: 'text', text }, ...attached];
}

/** The two as they were, from a message that `instructionMessage` made. */
export function readInstruction(content: Message['content']): {
  instruction: string;
  attached: ContentBlock[];
} {
  if (typeof content === 'string') return { instruction: content, attached: [] };
  const [first, ...attached] = content;
  return { instruction: first?.type === 'text' ? first.text : '', attached };
}
