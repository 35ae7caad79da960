import { crc32 } from 'node:zlib';

/** Bytes that were written to a file of a session and may not have reached the disk there. */
export interface Frame {
  session_id: string;
  /** The name of the file in the session's folder. */
  file: string;
  offset: number;
  bytes: Buffer;
  /** The number of the lock under which they were written. */
  epoch: number;
  /** The file came into being with these bytes, and its folder with so many files: all of them or none. */
  born?: number | undefined;
}

/** As JSON. Neither ids nor names of files have anything to escape. */
type Head = [session_id: string, file: string, offset: number, length: number, epoch: number, born: number];

const NEWLINE = 10;
const SUM_LENGTH = 8;

/** A frame is a line `<crc32> <head>`, then the bytes. The sum is over both, so that half a frame is never taken for one. */
export function encodeFrames(frames: readonly Frame[]): Buffer {
  let length = 0;
  const heads = frames.map(({ session_id, file, offset, bytes, epoch, born }) => {
    const line = ` ["${session_id}","${file}",${offset},${bytes.length},${epoch},${born ?? 0}]\n`;
    length += SUM_LENGTH + line.length + bytes.length;
    return sumOf(line, bytes) + line;
  });
  const encoded = Buffer.allocUnsafe(length);
  let at = 0;
  for (const [index, { bytes }] of frames.entries()) {
    at += encoded.write(heads[index] ?? '', at, 'latin1');
    at += bytes.copy(encoded, at);
  }
  return encoded;
}

/** The frames of a log from byte `start`, up to the first that is not whole: nothing after it was ever acknowledged. */
export function* decodeFrames(log: Buffer, start: number): Generator<Frame> {
  for (let at = start; ; ) {
    const newline = log.indexOf(NEWLINE, at);
    if (newline < 0 || log[at] === 0) return;
    const line = log.subarray(at + SUM_LENGTH, newline + 1);
    const head = parseHead(line);
    if (!head) return;
    const [session_id, file, offset, length, epoch, born] = head;
    const bytes = log.subarray(newline + 1, newline + 1 + length);
    if (bytes.length < length || log.toString('latin1', at, at + SUM_LENGTH) !== sumOf(line, bytes)) return;
    yield { session_id, file, offset, bytes, epoch, born: born || undefined };
    at = newline + 1 + length;
  }
}

/** Ids and names of files are ASCII, so a line is the same as text and as bytes. */
function sumOf(line: Buffer | string, bytes: Buffer): string {
  return crc32(bytes, crc32(line)).toString(16).padStart(SUM_LENGTH, '0');
}

function parseHead(line: Buffer): Head | null {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return null; // The end of what was flushed.
  }
}
