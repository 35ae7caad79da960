import { type ContentBlock, type JsonObject, textOf } from '@amplifier/core';

/** What goes along with an instruction, in the form of the protocol. An agent that takes no images is told of them, as is the person. */
export function attachedBlocks(
  attached: readonly ContentBlock[],
  { takesImages, agent }: { takesImages: boolean; agent: string },
): { blocks: JsonObject[]; warnings: string[] } {
  const blocks: JsonObject[] = [];
  const warnings: string[] = [];
  for (const block of attached) {
    if (block.type !== 'image') {
      blocks.push({ type: 'text', text: textOf([block]) });
      continue;
    }
    const { media_type, data } = block.source as { media_type?: unknown; data?: unknown };
    const name = typeof block.name === 'string' ? block.name : 'an image';
    if (takesImages) blocks.push({ type: 'image', mimeType: media_type, data });
    else {
      blocks.push({ type: 'text', text: `(The image ${name} was attached, and you take none.)` });
      warnings.push(`${agent} takes no images, so it was not shown ${name}.`);
    }
  }
  return { blocks, warnings };
}
