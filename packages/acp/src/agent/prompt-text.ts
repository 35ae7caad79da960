import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { Attachment } from '@amplifier/delegation';

/** What a person said in an editor, as an instruction: words as they are, files by their place or with their content. */
export function promptText(blocks: readonly ContentBlock[]): string {
  return blocks
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n\n');
}

/** The images of a prompt, and files that came as data. */
export function promptAttachments(blocks: readonly ContentBlock[]): Attachment[] {
  return blocks.flatMap((block, index): Attachment[] => {
    if (block.type === 'image') return [{ name: block.uri ?? `image ${index + 1}`, data: block.data }];
    if (block.type !== 'resource' || !('blob' in block.resource)) return [];
    return [{ name: block.resource.uri, data: block.resource.blob }];
  });
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `[${block.name}](${block.uri})`;
    case 'resource':
      return 'text' in block.resource
        ? `<file uri="${block.resource.uri}">\n${block.resource.text}\n</file>`
        : `[${block.resource.uri}]`;
    default:
      return '';
  }
}
