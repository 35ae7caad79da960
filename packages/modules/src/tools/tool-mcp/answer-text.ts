import { sanitizeText, shorten } from '@amplifier/core';
import type { ContentBlock, ReadResourceResult } from '@modelcontextprotocol/client';
import { MCP_ANSWER_CHARACTERS } from '../defaults.js';

/** What a model can read of a server's answer. What it cannot is named. */
export function answerText(content: readonly ContentBlock[] = [], structured?: unknown): string {
  const text = content.map(blockText).join('\n');
  return bounded(text === '' && structured !== undefined ? JSON.stringify(structured) : text);
}

export function resourceText(contents: ReadResourceResult['contents']): string {
  return bounded(contents.map(partText).join('\n'));
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${block.data.length} characters of base64, not shown]`;
    case 'resource':
      return partText(block.resource);
    case 'resource_link':
      return `[resource ${block.uri}${block.name ? `: ${block.name}` : ''}]`;
  }
}

function partText(part: ReadResourceResult['contents'][number]): string {
  if ('text' in part) return part.text;
  return `[${part.mimeType ?? 'binary'} ${part.uri}, ${part.blob.length} characters of base64, not shown]`;
}

function bounded(text: string): string {
  return sanitizeText(shorten(text, MCP_ANSWER_CHARACTERS, (cut) => `\n[${cut} more characters left out]`));
}
