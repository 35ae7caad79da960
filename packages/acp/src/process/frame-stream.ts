import type { Readable, Writable } from 'node:stream';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { parseBoundedJson } from '@amplifier/core';
import { MAX_FRAME_BYTES } from '../defaults.js';
import type { FrameSender } from './frame-journal.js';

const NEWLINE = 0x0a;

export interface FrameTap {
  /** Each message of the agent, in the order it came. True: it has been dealt with and goes no further. */
  onFrame(frame: AnyMessage): boolean;
  /** Every line that is sent or received, before anything is made of it. */
  onLine(from: FrameSender, line: string): void;
  /** A line that is no message. Agents print banners and warnings to the wrong place. */
  onJunk(line: string): void;
}

/**
 * Messages over the pipes of a process, one JSON document per line. The SDK's own stream answers a stray line with an error
 * the agent cannot make sense of, and drops updates it does not know; hence the tap.
 */
export function frameStream(input: Readable, output: Writable, tap: FrameTap): Stream {
  return { readable: frames(input, tap), writable: writer(output, tap) };
}

function frames(input: Readable, { onFrame, onJunk, onLine }: FrameTap): ReadableStream<AnyMessage> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  /** Somebody reads. An agent goes on talking for a moment after we have hung up. */
  let open = true;
  return new ReadableStream<AnyMessage>(
    {
      start(controller) {
        const take = (line: string) => {
          if (line !== '') onLine('agent', line);
          const frame = parse(line);
          if (frame === null) return line.trim() === '' ? undefined : onJunk(line);
          if (!onFrame(frame) && open) controller.enqueue(frame);
        };
        input.on('data', (chunk: Buffer) => {
          let start = 0;
          for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
            const last = chunk.subarray(start, end);
            const line = pending.length === 0 ? last : Buffer.concat([...pending, last]);
            pending = [];
            pendingBytes = 0;
            start = end + 1;
            take(line.toString('utf8'));
          }
          if (start < chunk.length) {
            pending.push(chunk.subarray(start));
            pendingBytes += chunk.length - start;
          }
          if (pendingBytes > MAX_FRAME_BYTES) {
            input.destroy();
            if (open)
              controller.error(new Error(`The agent sent a message of more than ${MAX_FRAME_BYTES} bytes.`));
            open = false;
          }
          if (open && (controller.desiredSize ?? 1) <= 0) input.pause();
        });
        const end = () => {
          if (pendingBytes > 0) {
            const rest = Buffer.concat(pending).toString('utf8');
            onLine('agent', rest);
            onJunk(rest.slice(0, 200));
          }
          pending = [];
          pendingBytes = 0;
          if (open) controller.close();
          open = false;
        };
        input.once('end', end);
        input.once('close', end);
        input.once('error', end);
      },
      pull() {
        input.resume();
      },
      cancel() {
        open = false;
        input.resume();
      },
    },
    { highWaterMark: 64 },
  );
}

function writer(output: Writable, { onLine }: FrameTap): WritableStream<AnyMessage> {
  return new WritableStream<AnyMessage>({
    write(frame) {
      const line = JSON.stringify(frame);
      onLine('client', line);
      return new Promise<void>((resolve, reject) => {
        output.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
      });
    },
  });
}

function parse(line: string): AnyMessage | null {
  if (!line.startsWith('{')) return null;
  try {
    return parseBoundedJson(line, 'The message', { size: MAX_FRAME_BYTES }) as AnyMessage;
  } catch {
    return null;
  }
}
