import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { frameStream } from './frame-stream.js';

const FRAME = '{"jsonrpc":"2.0","method":"session/update","params":{}}\n';

it('goes on reading, and does not fail, when the agent talks after we have hung up', async () => {
  const output = new PassThrough();
  const frames: unknown[] = [];
  const tap = {
    onFrame: (frame: unknown) => {
      frames.push(frame);
      return false;
    },
    onLine: () => {},
    onJunk: () => {},
  };
  const input = new PassThrough();
  const { readable } = frameStream(input, output, tap);
  const reader = readable.getReader();
  input.write(FRAME);
  await reader.read();
  await reader.cancel();
  const ended = new Promise((resolve) => input.once('end', resolve));
  // An exception in a listener of the pipe would end the whole process.
  for (let count = 0; count < 200; count++)
    expect(() => input.emit('data', Buffer.from(FRAME))).not.toThrow();
  input.end();
  await ended;
  expect(frames).toHaveLength(201);
});
