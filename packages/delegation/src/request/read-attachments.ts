import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { type ContentBlock, errorInfo, imageType } from '@amplifier/core';
import { type Grant, openInside } from '@amplifier/workspace';
import { z } from 'zod';
import { MAX_ATTACHMENTS, MAX_IMAGE_BYTES, MAX_TEXT_ATTACHMENT_BYTES } from '../defaults.js';
import { DelegationError } from './delegation-error.js';

/** A file as its caller has it. */
export const DataAttachment = z.strictObject({ name: z.string().min(1).max(200), data: z.base64() });
export type DataAttachment = z.infer<typeof DataAttachment>;

/** A file that goes along with an instruction: by its path, or as data where the caller has it and we do not. */
export const Attachment = z.union([z.strictObject({ path: z.string().min(1) }), DataAttachment]);
export type Attachment = z.infer<typeof Attachment>;

/** Who gets it: a file is read with the rights of the session. */
interface Reader {
  cwd: string;
  grant: Grant;
}

/** What a session is shown of them: images as images, text as text. Rejects for what is neither, too large, or not to be read. */
export async function readAttachments(
  attachments: readonly Attachment[],
  reader: Reader,
): Promise<ContentBlock[]> {
  if (attachments.length > MAX_ATTACHMENTS)
    throw unusable('The instruction', `has ${attachments.length} attachments; ${MAX_ATTACHMENTS} are taken`);
  const blocks: ContentBlock[] = [];
  for (const attachment of attachments)
    blocks.push(
      'path' in attachment
        ? await shownFile(attachment.path, reader)
        : shown(attachment.name, Buffer.from(attachment.data, 'base64')),
    );
  return blocks;
}

async function shownFile(path: string, { cwd, grant }: Reader): Promise<ContentBlock> {
  const file = await openInside(grant, 'read', path, { cwd }).catch((cause: unknown) => {
    throw unusable(`'${path}'`, `cannot be attached: ${errorInfo(cause).message}`);
  });
  try {
    return shown(path, await bytesOf(file, path));
  } finally {
    await file.close();
  }
}

async function bytesOf(file: FileHandle, path: string): Promise<Buffer> {
  const { size } = await file.stat();
  if (size > MAX_IMAGE_BYTES) throw tooLarge(path, size, MAX_IMAGE_BYTES);
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await file.read(bytes, 0, size, 0);
  return bytes.subarray(0, bytesRead);
}

function shown(name: string, bytes: Buffer): ContentBlock {
  const media_type = imageType(bytes);
  if (media_type !== null) {
    if (bytes.length > MAX_IMAGE_BYTES) throw tooLarge(name, bytes.length, MAX_IMAGE_BYTES);
    const source = { type: 'base64', media_type, data: bytes.toString('base64') };
    return { type: 'image', source, name: basename(name) };
  }
  if (bytes.length > MAX_TEXT_ATTACHMENT_BYTES) throw tooLarge(name, bytes.length, MAX_TEXT_ATTACHMENT_BYTES);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return {
      type: 'text',
      text: `<attachment name="${name.replaceAll('"', '&quot;')}">\n${text}\n</attachment>`,
    };
  } catch {
    throw unusable(
      `'${name}'`,
      'is neither text nor an image that models can look at (PNG, JPEG, GIF, WebP)',
    );
  }
}

function tooLarge(name: string, size: number, most: number): DelegationError {
  return unusable(`'${name}'`, `has ${size} bytes; at most ${most} are taken of such a file`);
}

function unusable(what: string, why: string): DelegationError {
  return new DelegationError(`${what} ${why}. Attach something else, or nothing.`, {
    code: 'ATTACHMENT_UNUSABLE',
  });
}
