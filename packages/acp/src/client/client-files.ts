import type { FileHandle } from 'node:fs/promises';
import type { ReadTextFileRequest, WriteTextFileRequest } from '@agentclientprotocol/sdk';
import { type Grant, openInside, WorkspaceError } from '@amplifier/workspace';
import { FILE_READ_BYTES, FILE_SCAN_BYTES } from '../defaults.js';
import type { AgentView } from '../process/agent-view.js';

const LINE_END = 10;

/** Files an agent reads and writes through us: inside the session's scopes, and nowhere else. */
export interface ClientFiles {
  read(request: ReadTextFileRequest): Promise<{ content: string }>;
  write(request: WriteTextFileRequest): Promise<void>;
}

export function clientFiles(grant: Grant, { real, cwd }: AgentView): ClientFiles {
  return {
    async read({ path, line, limit }) {
      await using file = await openInside(grant, 'read', await real(checked(path)), { cwd });
      const first = Math.max(0, (line ?? 1) - 1);
      return { content: await readLines(file, path, first, limit ?? Number.POSITIVE_INFINITY) };
    },
    async write({ path, content }) {
      await using file = await openInside(grant, 'write', await real(checked(path)), { cwd, parents: true });
      await file.writeFile(String(content));
    },
  };
}

/**
 * `count` lines after the first `skipped`, without the last line's end. Throws instead of returning a part: an agent may write back
 * what it read.
 */
async function readLines(file: FileHandle, path: string, skipped: number, count: number): Promise<string> {
  const parts: Buffer[] = [];
  let [line, bytes, scanned] = [0, 0, 0];
  /** The position after the line end that makes `line` equal to `target`; the end of the chunk if that comes first. */
  const advance = (chunk: Buffer, from: number, target: number): number => {
    let at = from;
    for (; line < target; line++) {
      const end = chunk.indexOf(LINE_END, at);
      if (end === -1) return chunk.length;
      at = end + 1;
    }
    return at;
  };
  const isDone = () => line >= skipped + count;
  if (isDone()) return '';
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>) {
    const from = advance(chunk, 0, skipped);
    if (line >= skipped) {
      const to = advance(chunk, from, skipped + count);
      const part = chunk.subarray(from, isDone() ? to - 1 : to);
      bytes += part.length;
      if (bytes > FILE_READ_BYTES)
        throw new Error(
          `What was asked for of ${path} has more than ${FILE_READ_BYTES} bytes. Ask for fewer lines.`,
        );
      parts.push(part);
      if (isDone()) break;
    }
    scanned += chunk.length;
    if (scanned >= FILE_SCAN_BYTES)
      throw new Error(
        `${path} has the lines that were asked for beyond its first ${FILE_SCAN_BYTES} bytes. Read it with a command.`,
      );
  }
  return Buffer.concat(parts).toString('utf8');
}

function checked(path: unknown): string {
  if (typeof path === 'string' && path !== '') return path;
  throw new WorkspaceError('The request names no path.', { code: 'PATH_INVALID' });
}
