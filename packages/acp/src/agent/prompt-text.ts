import type { ContentBlock } from '@agentclientprotocol/sdk';

/** What a person said in an editor, as an instruction: words as they are, files by their place or with their content. */
export function promptText(blocks: readonly ContentBlock[]): string {
  return blocks
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n\n');
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
